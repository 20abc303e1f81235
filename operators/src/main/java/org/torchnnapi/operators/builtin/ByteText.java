package org.torchnnapi.operators.builtin;

import org.torchnnapi.operators.OperatorFamily.Registrar;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * TorchScript's strings are bytes of UTF-8: they are counted, indexed and cut by bytes. Here such bytes are the
 * characters 0 to 255 of a string. What is cut out of the middle of a character is no UTF-8; in ordinary strings each
 * such byte is a lone surrogate, U+DC00 and the byte, which joins with its neighbours again where strings are put
 * together.
 */
final class ByteText {
    private static final int ESCAPE = 0xDC00;

    private ByteText() {}

    /** Hands operators over that are written for bytes; they get and give ordinary strings. */
    static Registrar operators(Registrar r) {
        return (schema, kernel, traits) -> r.op(
                schema,
                in -> {
                    Object[] bytes = new Object[in.length];
                    for (int i = 0; i < in.length; i++) {
                        bytes[i] = each(in[i], true);
                    }
                    Object result = kernel.call(bytes);
                    if (result instanceof Object[] several) {
                        for (int i = 0; i < several.length; i++) {
                            several[i] = each(several[i], false);
                        }
                        return several;
                    }
                    return each(result, false);
                },
                traits);
    }

    private static Object each(Object value, boolean toBytes) {
        if (value instanceof String text) {
            return toBytes ? bytes(text) : text(text);
        }
        if (value instanceof ScriptList list && list.elementType() == Type.Basic.STRING) {
            ScriptList converted = new ScriptList(Type.Basic.STRING);
            list.items().forEach(item -> converted.items().add(each(item, toBytes)));
            return converted;
        }
        return value;
    }

    /** A character for each byte. */
    static String bytes(String text) {
        if (isAscii(text)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            int c = text.codePointAt(i);
            if (c < 0x80) {
                out.append((char) c);
            } else if (c >= ESCAPE + 0x80 && c <= ESCAPE + 0xFF) {
                out.append((char) (c - ESCAPE));
            } else if (c < 0x800) {
                out.append((char) (0xC0 | c >> 6)).append(low(c));
            } else if (c < 0x10000) {
                out.append((char) (0xE0 | c >> 12)).append(low(c >> 6)).append(low(c));
            } else {
                out.append((char) (0xF0 | c >> 18))
                        .append(low(c >> 12))
                        .append(low(c >> 6))
                        .append(low(c));
                i++;
            }
        }
        return out.toString();
    }

    private static char low(int bits) {
        return (char) (0x80 | bits & 0x3F);
    }

    /** The ordinary string of bytes. */
    static String text(String bytes) {
        if (isAscii(bytes)) {
            return bytes;
        }
        StringBuilder out = new StringBuilder(bytes.length());
        int at = 0;
        while (at < bytes.length()) {
            int length = length(bytes, at);
            int c = bytes.charAt(at);
            if (length == 0) {
                out.append((char) (ESCAPE + c));
            } else if (length == 1) {
                out.append((char) c);
            } else {
                int code = c & 0x7F >> length;
                for (int i = 1; i < length; i++) {
                    code = code << 6 | bytes.charAt(at + i) & 0x3F;
                }
                out.appendCodePoint(code);
            }
            at += Math.max(1, length);
        }
        return out.toString();
    }

    /** How many bytes the character at a place has, or 0 if there is none. */
    private static int length(String bytes, int at) {
        int first = bytes.charAt(at);
        if (first < 0x80) {
            return 1;
        }
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (at + length > bytes.length()) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((bytes.charAt(at + i) & 0xC0) != 0x80) {
                return 0;
            }
        }
        int second = length < 3 ? 0 : bytes.charAt(at + 1);
        boolean isOdd = first == 0xE0 && second < 0xA0
                || first == 0xF0 && second < 0x90
                || first == 0xF4 && second >= 0x90
                // The bytes of an escape are no character, or they would be taken for the byte that it stands for.
                || first == 0xED && second >= 0xB2 && second <= 0xB3;
        return isOdd ? 0 : length;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
