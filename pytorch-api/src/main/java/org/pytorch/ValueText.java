package org.pytorch;

import java.lang.reflect.Array;
import java.util.Iterator;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;

/** What a value holds, for people. */
final class ValueText {
    /** Entries of a list or dictionary that are shown. */
    private static final int MAX_ENTRIES = 8;

    private static final int MAX_TEXT = 80;

    private ValueText() {}

    /** @param content of an {@link IValue}: arrays, maps and what is in them */
    static String of(Object content) {
        if (content == null) {
            return "null";
        }
        if (content instanceof String text) {
            return '"' + Strings.beginning(text, MAX_TEXT) + '"';
        }
        if (content instanceof Map<?, ?> map) {
            Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
            StringBuilder shown = new StringBuilder("{");
            for (int i = 0; i < Math.min(map.size(), MAX_ENTRIES); i++) {
                Map.Entry<?, ?> entry = entries.next();
                shown.append(i == 0 ? "" : ", ")
                        .append(of(entry.getKey()))
                        .append(": ")
                        .append(of(entry.getValue()));
            }
            return shown.append(rest(map.size())).append('}').toString();
        }
        if (content.getClass().isArray()) {
            int length = Array.getLength(content);
            StringBuilder shown = new StringBuilder("[");
            for (int i = 0; i < Math.min(length, MAX_ENTRIES); i++) {
                shown.append(i == 0 ? "" : ", ").append(of(Array.get(content, i)));
            }
            return shown.append(rest(length)).append(']').toString();
        }
        return content.toString();
    }

    private static String rest(int size) {
        return size > MAX_ENTRIES ? ", ... " + (size - MAX_ENTRIES) + " more" : "";
    }
}
