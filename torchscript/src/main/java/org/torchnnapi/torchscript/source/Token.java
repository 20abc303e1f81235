package org.torchnnapi.torchscript.source;

import org.torchnnapi.tensor.platform.Strings;

/**
 * A lexical element.
 *
 * @param text the characters; of a string literal its decoded value
 */
record Token(Kind kind, String text, Position at) {
    enum Kind {
        NAME,
        INT,
        FLOAT,
        IMAGINARY,
        STRING,
        SYMBOL,
        NEWLINE,
        INDENT,
        DEDENT,
        END
    }

    boolean is(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    boolean isName(String name) {
        return kind == Kind.NAME && text.equals(name);
    }

    /** The token as an error message shows it. */
    String shown() {
        return switch (kind) {
            case NEWLINE -> "end of line";
            case INDENT -> "deeper indentation";
            case DEDENT -> "shallower indentation";
            case END -> "end of file";
            case STRING -> "\"" + Strings.beginning(text, 40) + "\"";
            default -> "'" + Strings.beginning(text, 40) + "'";
        };
    }
}
