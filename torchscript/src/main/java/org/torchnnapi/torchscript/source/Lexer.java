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
    private static final String[] SYMBOLS = new String[128];

    static {
        for (char symbol : "()[]{},:.=-+".toCharArray()) {
            SYMBOLS[symbol] = String.valueOf(symbol);
        }
    }

    private final String entry;
    private final String text;
    private final int end;
    private final ArrayDeque<Integer> indents = new ArrayDeque<>();
    private int at;
    private int line;
    private int lineStart;
    private boolean lineBegins;
    private int brackets;
    private int dedents;

    /** Of a whole file. */
    Lexer(String entry, String text) {
        this(entry, text, Position.START, text.length());
        lineBegins = true;
        if (end > MAX_LENGTH) {
            throw error(Position.START, end + " characters", "at most " + MAX_LENGTH);
        }
        indents.push(0);
    }

    private Lexer(String entry, String text, Position start, int end) {
        this.entry = entry;
        this.text = text;
        this.end = end;
        at = start.offset();
        line = start.line();
        lineStart = start.offset() - start.column() + 1;
    }

    /** Of a function that was passed over. */
    static Lexer of(FunctionText function) {
        Lexer lexer = new Lexer(function.entry(), function.text(), function.at(), function.end());
        lexer.indents.push(function.indent());
        return lexer;
    }

    String entry() {
        return entry;
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
            char c = text.charAt(at);
            if (c == '\n') {
                Position here = position();
                newLine();
                if (brackets == 0) {
                    lineBegins = true;
                    return token(Token.Kind.NEWLINE, "", here);
                }
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
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
        while (at < end && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            width += text.charAt(at) == '\t' ? 8 - width % 8 : 1;
            at++;
        }
        if (at < end && text.charAt(at) == '#') {
            skipToLineEnd();
        }
        if (at < end && text.charAt(at) == '\r') {
            at++;
        }
        if (at >= end) {
            return -1;
        }
        if (text.charAt(at) == '\n') {
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
        while (width < indents.peek()) {
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
        return new FunctionText(entry, text, start, at, indent);
    }

    /** A line and those that it goes on in, as brackets are open. */
    private void skipLine() {
        while (at < end) {
            char c = text.charAt(at);
            if (c == '\n') {
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

    private void bracket(char c) {
        if (c == '(' || c == '[' || c == '{') {
            brackets++;
        } else if ((c == ')' || c == ']' || c == '}') && --brackets < 0) {
            throw error(new Position(line, at - lineStart, at - 1), "'" + c + "'", "a bracket that is open");
        }
    }

    private void skipString(char quote) {
        Position start = position();
        at++;
        while (at < end && text.charAt(at) != quote) {
            if (text.charAt(at) == '\n') {
                throw open(start, quote);
            }
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        if (at >= end) {
            throw open(start, quote);
        }
        at++;
    }

    private SourceException open(Position start, char quote) {
        return error(start, "a string without end", "a closing " + quote);
    }

    private void newLine() {
        at++;
        line++;
        lineStart = at;
    }

    private void skipToLineEnd() {
        while (at < end && text.charAt(at) != '\n') {
            at++;
        }
    }

    private Token token(char c) {
        Position start = position();
        if (isNameStart(c)) {
            int from = at;
            do {
                at++;
            } while (at < end && isNamePart(text.charAt(at)));
            return token(Token.Kind.NAME, text.substring(from, at), start);
        }
        if (isDigit(c) || c == '.' && at + 1 < end && isDigit(text.charAt(at + 1))) {
            return number(start);
        }
        if (c == '"' || c == '\'') {
            return string(c, start);
        }
        if (c == '-' && at + 1 < end && text.charAt(at + 1) == '>') {
            at += 2;
            return token(Token.Kind.SYMBOL, "->", start);
        }
        if (c >= SYMBOLS.length || SYMBOLS[c] == null) {
            throw error(start, c < 0x20 || c > 0x7e ? String.format("character U+%04X", (int) c) : "'" + c + "'", "TorchScript source");
        }
        at++;
        bracket(c);
        return token(Token.Kind.SYMBOL, SYMBOLS[c], start);
    }

    private Token number(Position start) {
        int from = at;
        boolean real = false;
        digits();
        if (at < end && text.charAt(at) == '.') {
            real = true;
            at++;
            digits();
        }
        if (at < end && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            int exponent = at + 1;
            if (exponent < end && (text.charAt(exponent) == '+' || text.charAt(exponent) == '-')) {
                exponent++;
            }
            if (exponent < end && isDigit(text.charAt(exponent))) {
                real = true;
                at = exponent;
                digits();
            }
        }
        String digits = text.substring(from, at);
        if (at < end && text.charAt(at) == 'j') {
            at++;
            return token(Token.Kind.IMAGINARY, digits, start);
        }
        if (at < end && isNameStart(text.charAt(at))) {
            throw error(start, "'" + digits + text.charAt(at) + "'", "a number");
        }
        return token(real ? Token.Kind.FLOAT : Token.Kind.INT, digits, start);
    }

    private void digits() {
        while (at < end && isDigit(text.charAt(at))) {
            at++;
        }
    }

    /** Octal escapes stand for bytes, so a literal is gathered as bytes and read as UTF-8. */
    private Token string(char quote, Position start) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        at++;
        int plainFrom = at;
        while (true) {
            if (at >= end || text.charAt(at) == '\n') {
                throw open(start, quote);
            }
            char c = text.charAt(at);
            if (c == quote || c == '\\') {
                bytes.writeBytes(text.substring(plainFrom, at).getBytes(StandardCharsets.UTF_8));
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
        char c = text.charAt(at++);
        int index = "abfnrtv\\'\"".indexOf(c);
        if (index >= 0) {
            return "\u0007\b\f\n\r\t\u000b\\'\"".charAt(index);
        }
        if (c == 'x' && at + 2 <= end) {
            try {
                int value = Integer.parseInt(text.substring(at, at + 2), 16);
                at += 2;
                return value;
            } catch (NumberFormatException e) {
                throw error(start, "escape \\x" + text.substring(at, at + 2), "two hexadecimal digits");
            }
        }
        if (c >= '0' && c <= '7') {
            int value = c - '0';
            for (int i = 0; i < 2 && at < end && text.charAt(at) >= '0' && text.charAt(at) <= '7'; i++) {
                value = value * 8 + text.charAt(at++) - '0';
            }
            return value & 0xff;
        }
        throw error(start, "escape \\" + c, "one of \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" or an octal number");
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || isDigit(c);
    }

    private Position position() {
        return new Position(line, at - lineStart + 1, at);
    }

    private static Token token(Token.Kind kind, String value, Position start) {
        return new Token(kind, value, start);
    }

    private SourceException error(Position where, String found, String expected) {
        return new SourceException(entry, where, found, expected);
    }
}
