package org.torchnnapi.execution.interp;

import java.util.Arrays;
import java.util.Map;
import org.torchnnapi.torchscript.source.CodeArchive;

/** Archives of a few lines for tests. */
public final class Sources {
    private Sources() {}

    /** Source with every line indented by two blanks more, as the body of {@code def f(parameters)}. */
    public static String function(String signature, String... body) {
        return "def f" + signature + ":\n  " + String.join("\n  ", body) + "\n";
    }

    public static CodeArchive archive(Map<String, String> entries, Object... constants) {
        return new CodeArchive() {
            @Override
            public String source(String entry) {
                return entries.get(entry);
            }

            @Override
            public Object constant(int index) {
                return Arrays.asList(constants).get(index);
            }
        };
    }
}
