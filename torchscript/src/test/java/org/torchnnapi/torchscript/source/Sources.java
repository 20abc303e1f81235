package org.torchnnapi.torchscript.source;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.value.ScriptList;

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

    /** One file, {@code code/__torch__/m.py}, without operators; constant 0 is the list [1, 2]. */
    public static CodeLoader loader(String text) {
        return loader(text, kind -> List.of());
    }

    public static CodeLoader loader(String text, OperatorFacts operators) {
        return new CodeLoader(archive(Map.of("code/__torch__/m.py", text), ScriptList.ofInts(1, 2)), operators);
    }
}
