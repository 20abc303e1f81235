package org.torchnnapi.torchscript.source;

import java.util.List;

/** A position among the tokens of a file. */
final class Cursor {
    private final String entry;
    private final List<Token> tokens;
    private int at;

    Cursor(String entry, List<Token> tokens) {
        this.entry = entry;
        this.tokens = tokens;
    }

    String entry() {
        return entry;
    }

    Token peek() {
        return tokens.get(at);
    }

    /** Takes a token; the last one, END, is never passed. */
    Token next() {
        Token token = tokens.get(at);
        if (token.kind() != Token.Kind.END) {
            at++;
        }
        return token;
    }

    boolean skip(String symbol) {
        if (peek().is(symbol)) {
            next();
            return true;
        }
        return false;
    }

    Token expect(String symbol) {
        if (!peek().is(symbol)) {
            throw error("'" + symbol + "'");
        }
        return next();
    }

    String name(String expected) {
        return take(Token.Kind.NAME, expected);
    }

    String string(String expected) {
        return take(Token.Kind.STRING, expected);
    }

    void expectLineEnd() {
        take(Token.Kind.NEWLINE, "end of line");
    }

    void expectIndent() {
        take(Token.Kind.INDENT, "an indented block");
    }

    boolean skipDedent() {
        if (peek().kind() == Token.Kind.DEDENT) {
            next();
            return true;
        }
        if (peek().kind() == Token.Kind.END) {
            throw error("the end of the block");
        }
        return false;
    }

    private String take(Token.Kind kind, String expected) {
        if (peek().kind() != kind) {
            throw error(expected);
        }
        return next().text();
    }

    SourceException error(String expected) {
        return new SourceException(entry, peek().at(), peek().shown(), expected);
    }
}
