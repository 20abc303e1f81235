package org.torchnnapi.torchscript.ir;

import java.util.Set;

/** What may be a name in TorchScript's text. */
public final class Identifiers {
    private static final Set<String> KEYWORDS = Set.of(
            "False",
            "None",
            "True",
            "and",
            "as",
            "assert",
            "async",
            "await",
            "break",
            "class",
            "continue",
            "def",
            "del",
            "elif",
            "else",
            "except",
            "finally",
            "for",
            "from",
            "global",
            "if",
            "import",
            "in",
            "is",
            "lambda",
            "nonlocal",
            "not",
            "or",
            "pass",
            "raise",
            "return",
            "try",
            "while",
            "with",
            "yield");

    private Identifiers() {}

    /** Whether Python takes a name for a word of its own. */
    public static boolean isKeyword(String name) {
        return KEYWORDS.contains(name);
    }

    /** Whether a name has no character that may not stand in one; keywords have none. */
    public static boolean isPlain(String name) {
        return !name.isEmpty() && plain(name).equals(name);
    }

    /** The name with what may not stand in one replaced; {@code _} for an empty one. */
    public static String plain(String name) {
        StringBuilder made = new StringBuilder(name.length() + 1);
        if (name.isEmpty() || isDigit(name.charAt(0))) {
            made.append('_');
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain = c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
            made.append(plain ? c : '_');
        }
        return made.toString();
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
