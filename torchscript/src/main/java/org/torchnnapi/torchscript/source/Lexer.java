package org.torchnnapi.torchscript.source;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * Splits source text into tokens, one at a time; indentation becomes INDENT and DEDENT, line breaks inside brackets vanish. Bodies of
 * functions can be passed over.
 */
final class Lexer {
    private static final int MAX_LENGTH = 64 << 20;
    private static final int MAX_INDENTS = 256;
    private static final int CODES = 128;
    private static final String[] SYMBOLS = new String[CODES];
    /** What a name begins with or goes on with, and what may not be passed over unseen. */
    private static final byte[] KINDS = new byte[CODES];
    private static final int NAME_START = 1;
    private static final int DIGIT = 2;
    private static final int SEEN = 4;

    static {
        for (char symbol : "()[]{},:.=-+".toCharArray()) {
            SYMBOLS[symbol] = String.valueOf(symbol);
        }
        for (char seen : "()[]{}\"'#\n".toCharArray()) {
            KINDS[seen] = SEEN;
        }
        for (char c = 'a'; c <= 'z'; c++) {
            KINDS[c] = NAME_START;
            KINDS[c - 'a' + 'A'] = NAME_START;
        }
        KINDS['_'] = NAME_START;
        for (char c = '0'; c <= '9'; c++) {
            KINDS[c] = DIGIT;
        }
    }

    private final SourceText source;
    private final byte[] codes;
    private final int end;
    private final ArrayDeque<Integer> indents = new ArrayDeque<>();
    private int at;
    private int line;
    private int lineStart;
    private boolean lineBegins;
    private int brackets;
    private int dedents;

    /** Of a whole file. */
    Lexer(SourceText source) {
        this(source, Position.START, source.text().length());
        lineBegins = true;
        if (end > MAX_LENGTH) {
            throw error(Position.START, end + " characters", "at most " + MAX_LENGTH);
        }
        indents.push(0);
    }

    private Lexer(SourceText source, Position start, int end) {
        this.source = source;
        codes = source.codes();
        this.end = end;
        at = start.offset();
        line = start.line();
        lineStart = start.offset() - start.column() + 1;
    }

    /** Of a function that was passed over. */
    static Lexer of(FunctionText function) {
        Lexer lexer = new Lexer(function.source(), function.at(), function.end());
        lexer.indents.push(function.indent());
        return lexer;
    }

    /** Of a type that was passed over. */
    static Lexer of(Tree.Annotation annotation) {
        Lexer lexer = new Lexer(annotation.source(), annotation.at(), annotation.end());
        lexer.indents.push(0);
        return lexer;
    }

    String entry() {
        return source.entry();
    }

    boolean isInBrackets() {
        return brackets > 0;
    }

    /** The next token; END again and again behind the last one. */
    Token next() {
        if (dedents > 0) {
            dedents--;
            return token(Token.Kind.DEDENT, "", position());
        }
        while (at < end) {
            if (lineBegins && brackets == 0) {
                int width = indentation();
                if (width >= 0) {
                    lineBegins = false;
                    if (width != indents.peek()) {
                        return indented(width);
                    }
                }
                continue;
            }
            byte c = codes[at];
            if (c == '\n') {
                Position here = position();
                newLine();
                if (brackets == 0) {
                    lineBegins = true;
                    return token(Token.Kind.NEWLINE, "", here);
                }
            } else if (isBlank(c)) {
                at++;
            } else if (c == '#') {
                skipToLineEnd();
            } else {
                return token(c);
            }
        }
        if (!lineBegins) {
            lineBegins = true;
            return token(Token.Kind.NEWLINE, "", position());
        }
        if (indents.size() > 1) {
            indents.pop();
            return token(Token.Kind.DEDENT, "", position());
        }
        return token(Token.Kind.END, "", position());
    }

    /** Measures the blanks before a line; -1 if the line is empty, which changes nothing. */
    private int indentation() {
        int width = 0;
        while (at < end && (codes[at] == ' ' || codes[at] == '\t')) {
            width += codes[at] == '\t' ? 8 - width % 8 : 1;
            at++;
        }
        if (at < end && codes[at] == '#') {
            skipToLineEnd();
        }
        if (at < end && codes[at] == '\r') {
            at++;
        }
        if (at >= end) {
            return -1;
        }
        if (codes[at] == '\n') {
            newLine();
            return -1;
        }
        return width;
    }

    private Token indented(int width) {
        if (width > indents.peek()) {
            if (indents.size() > MAX_INDENTS) {
                throw error(position(), "indentation of " + indents.size() + " levels", "at most " + MAX_INDENTS);
            }
            indents.push(width);
            return token(Token.Kind.INDENT, "", position());
        }
        while (width < indents.peek() && indents.size() > 1) {
            indents.pop();
            dedents++;
        }
        if (width != indents.peek()) {
            throw error(position(), "indentation of " + width + " columns", "that of an enclosing block, " + indents.peek());
        }
        dedents--;
        return token(Token.Kind.DEDENT, "", position());
    }

    /** Passes over the rest of a function's first line and all lines behind it that are deeper indented than that one. */
    FunctionText skipFunction(Position start) {
        int indent = indents.peek();
        skipLine();
        while (at < end) {
            int from = at;
            int width = indentation();
            if (width >= 0 && width <= indent) {
                at = from;
                break;
            }
            if (width >= 0) {
                skipLine();
            }
        }
        lineBegins = true;
        return new FunctionText(source, start, at, indent);
    }

    /** Passes over a type: up to what cannot be in one outside its brackets. */
    Tree.Annotation annotation() {
        while (at < end && isBlank(codes[at])) {
            at++;
        }
        Position start = position();
        int outside = brackets;
        int last = at;
        while (at < end) {
            byte c = codes[at];
            if (brackets == outside && (c == ',' || c == '=' || c == ':' || c == ')' || c == ']' || c == '}' || c == '#')
                || c == '\n' && brackets == 0) {
                break;
            }
            if (c == '\n') {
                newLine();
            } else if (c == '"' || c == '\'') {
                skipString(c);
                last = at;
            } else {
                at++;
                bracket(c);
                last = isBlank(c) ? last : at;
            }
        }
        return new Tree.Annotation(source, start, last);
    }

    private static boolean isBlank(byte c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\f';
    }

    /** A line and those that it goes on in, as brackets are open. */
    private void skipLine() {
        while (at < end) {
            byte c = codes[at];
            if (c < 0 || (KINDS[c] & SEEN) == 0) {
                at++;
            } else if (c == '\n') {
                newLine();
                if (brackets == 0) {
                    return;
                }
            } else if (c == '"' || c == '\'') {
                skipString(c);
            } else if (c == '#') {
                skipToLineEnd();
            } else {
                at++;
                bracket(c);
            }
        }
    }

    private void bracket(byte c) {
        if (c == '(' || c == '[' || c == '{') {
            brackets++;
        } else if ((c == ')' || c == ']' || c == '}') && --brackets < 0) {
            throw error(new Position(line, at - lineStart, at - 1), "'" + (char) c + "'", "a bracket that is open");
        }
    }

    private void skipString(byte quote) {
        Position start = position();
        at++;
        while (at < end && codes[at] != quote) {
            if (codes[at] == '\n') {
                throw open(start, quote);
            }
            at += codes[at] == '\\' ? 2 : 1;
        }
        if (at >= end) {
            throw open(start, quote);
        }
        at++;
    }

    private SourceException open(Position start, byte quote) {
        return error(start, "a string without end", "a closing " + (char) quote);
    }

    private void newLine() {
        at++;
        line++;
        lineStart = at;
    }

    private void skipToLineEnd() {
        while (at < end && codes[at] != '\n') {
            at++;
        }
    }

    private Token token(byte c) {
        Position start = position();
        int kind = c < 0 ? 0 : KINDS[c];
        if (kind == NAME_START) {
            int from = at;
            int to = from + 1;
            while (to < end && codes[to] >= 0 && (KINDS[codes[to]] & (NAME_START | DIGIT)) != 0) {
                to++;
            }
            at = to;
            return token(Token.Kind.NAME, source.text().substring(from, to), start);
        }
        if (kind == DIGIT || c == '.' && at + 1 < end && isDigit(codes[at + 1])) {
            return number(start);
        }
        if (c == '"' || c == '\'') {
            return string(c, start);
        }
        if (c == '-' && at + 1 < end && codes[at + 1] == '>') {
            at += 2;
            return token(Token.Kind.SYMBOL, "->", start);
        }
        if (c < 0 || SYMBOLS[c] == null) {
            char shown = source.text().charAt(at);
            throw error(start, shown < 0x20 || shown > 0x7e ? String.format("character U+%04X", (int) shown) : "'" + shown + "'",
                "TorchScript source");
        }
        at++;
        bracket(c);
        return token(Token.Kind.SYMBOL, SYMBOLS[c], start);
    }

    private Token number(Position start) {
        int from = at;
        boolean real = false;
        digits();
        if (at < end && codes[at] == '.') {
            real = true;
            at++;
            digits();
        }
        if (at < end && (codes[at] == 'e' || codes[at] == 'E')) {
            int exponent = at + 1;
            if (exponent < end && (codes[exponent] == '+' || codes[exponent] == '-')) {
                exponent++;
            }
            if (exponent < end && isDigit(codes[exponent])) {
                real = true;
                at = exponent;
                digits();
            }
        }
        String digits = source.text().substring(from, at);
        if (at < end && codes[at] == 'j') {
            at++;
            return token(Token.Kind.IMAGINARY, digits, start);
        }
        if (at < end && isNameStart(codes[at])) {
            throw error(start, "'" + digits + (char) codes[at] + "'", "a number");
        }
        return token(real ? Token.Kind.FLOAT : Token.Kind.INT, digits, start);
    }

    private void digits() {
        while (at < end && isDigit(codes[at])) {
            at++;
        }
    }

    private Token string(byte quote, Position start) {
        int from = at + 1;
        int to = from;
        while (to < end && codes[to] != quote && codes[to] != '\\' && codes[to] != '\n') {
            to++;
        }
        if (to < end && codes[to] == '\\') {
            return escapedString(quote, start);
        }
        if (to >= end || codes[to] == '\n') {
            throw open(start, quote);
        }
        at = to + 1;
        return token(Token.Kind.STRING, source.text().substring(from, to), start);
    }

    /** Octal escapes stand for bytes, so a literal is gathered as bytes and read as UTF-8. */
    private Token escapedString(byte quote, Position start) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        at++;
        int plainFrom = at;
        while (true) {
            if (at >= end || codes[at] == '\n') {
                throw open(start, quote);
            }
            byte c = codes[at];
            if (c == quote || c == '\\') {
                bytes.writeBytes(source.text().substring(plainFrom, at).getBytes(StandardCharsets.UTF_8));
                at++;
                if (c == quote) {
                    break;
                }
                bytes.write(escape(start));
                plainFrom = at;
            } else {
                at++;
            }
        }
        return token(Token.Kind.STRING, bytes.toString(StandardCharsets.UTF_8), start);
    }

    private int escape(Position start) {
        if (at >= end) {
            throw error(start, "a string without end", "an escape after \\");
        }
        char c = source.text().charAt(at++);
        int index = "abfnrtv\\'\"".indexOf(c);
        if (index >= 0) {
            return "\u0007\b\f\n\r\t\u000b\\'\"".charAt(index);
        }
        if (c == 'x' && at + 2 <= end) {
            try {
                int value = Integer.parseInt(source.text().substring(at, at + 2), 16);
                at += 2;
                return value;
            } catch (NumberFormatException e) {
                throw error(start, "escape \\x" + source.text().substring(at, at + 2), "two hexadecimal digits");
            }
        }
        if (c >= '0' && c <= '7') {
            int value = c - '0';
            for (int i = 0; i < 2 && at < end && codes[at] >= '0' && codes[at] <= '7'; i++) {
                value = value * 8 + codes[at++] - '0';
            }
            return value & 0xff;
        }
        throw error(start, "escape \\" + c, "one of \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" or an octal number");
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(byte c) {
        return c >= 0 && KINDS[c] == NAME_START;
    }

    private Position position() {
        return new Position(line, at - lineStart + 1, at);
    }

    private static Token token(Token.Kind kind, String value, Position start) {
        return new Token(kind, value, start);
    }

    private SourceException error(Position where, String found, String expected) {
        return new SourceException(source.entry(), where, found, expected);
    }
}
