package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;

/** A position among the tokens of a text; some are seen ahead. */
final class Cursor {
    private final Lexer lexer;
    private final List<Token> ahead = new ArrayList<>();
    private int at;

    Cursor(Lexer lexer) {
        this.lexer = lexer;
    }

    String entry() {
        return lexer.source().entry();
    }

    Token peek() {
        if (at == ahead.size()) {
            ahead.clear();
            at = 0;
            lexer.next(ahead);
        }
        return ahead.get(at);
    }

    /** Takes a token; the last one, END, is never passed. */
    Token next() {
        Token token = peek();
        at++;
        return token;
    }

    SourceText source() {
        return lexer.source();
    }

    /**
     * Passes over a function, of whose first line no more than {@code def} and the name are taken, or seen.
     *
     * @param start of {@code def}
     * @param twin a function that may have the same text, or null
     */
    FunctionText skipFunction(Position start, FunctionText twin) {
        requireUnseen();
        return lexer.skipFunction(start, twin);
    }

    /**
     * Passes over a class up to its first method, if that is the same text as another's; no more than {@code class} and
     * the name are taken, or seen.
     *
     * @param start of {@code class}
     */
    boolean skipHeader(Position start, ClassHeader twin) {
        requireUnseen();
        return lexer.skipHeader(start, twin);
    }

    /** Passes over a type, of which nothing is seen; what comes behind may stand there at once. */
    Tree.Annotation annotation() {
        requireUnseen();
        return lexer.annotation();
    }

    /** Whether a bracket is open where the cursor stands. */
    boolean isInBrackets() {
        return lexer.isInBrackets();
    }

    private void requireUnseen() {
        if (at < ahead.size()) {
            throw new IllegalStateException(
                    ahead.get(at).shown() + " is seen already (expected: what comes is to be passed over)");
        }
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
        return new SourceException(entry(), peek().at(), peek().shown(), expected);
    }
}
