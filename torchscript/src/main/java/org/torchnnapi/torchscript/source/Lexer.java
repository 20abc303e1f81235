package org.torchnnapi.torchscript.source;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Splits source text into tokens; indentation becomes INDENT and DEDENT, line breaks inside brackets vanish. */
final class Lexer {
    private static final int MAX_LENGTH = 64 << 20;
    private static final int MAX_INDENTS = 256;

    private final String entry;
    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private final ArrayDeque<Integer> indents = new ArrayDeque<>();
    private int at;
    private int line = 1;
    private int lineStart;
    private int brackets;

    private Lexer(String entry, String text) {
        this.entry = entry;
        this.text = text;
    }

    static List<Token> tokens(String entry, String text) {
        Lexer lexer = new Lexer(entry, text);
        if (text.length() > MAX_LENGTH) {
            throw lexer.error(Position.START, text.length() + " characters", "at most " + MAX_LENGTH);
        }
        lexer.run();
        return lexer.tokens;
    }

    private void run() {
        indents.push(0);
        boolean lineBegins = true;
        while (at < text.length()) {
            if (lineBegins && brackets == 0) {
                lineBegins = !indentation();
                continue;
            }
            char c = text.charAt(at);
            if (c == '\n') {
                if (brackets == 0) {
                    add(Token.Kind.NEWLINE, "", position());
                    lineBegins = true;
                }
                newLine();
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
                at++;
            } else if (c == '#') {
                skipToLineEnd();
            } else {
                token(c);
            }
        }
        if (!lineBegins) {
            add(Token.Kind.NEWLINE, "", position());
        }
        while (indents.pop() > 0) {
            add(Token.Kind.DEDENT, "", position());
        }
        add(Token.Kind.END, "", position());
    }

    /** Measures the blanks before a line; false if the line is empty, which changes nothing. */
    private boolean indentation() {
        int width = 0;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            width += text.charAt(at) == '\t' ? 8 - width % 8 : 1;
            at++;
        }
        if (at < text.length() && text.charAt(at) == '#') {
            skipToLineEnd();
        }
        if (at < text.length() && text.charAt(at) == '\r') {
            at++;
        }
        if (at >= text.length()) {
            return false;
        }
        if (text.charAt(at) == '\n') {
            newLine();
            return false;
        }
        if (width > indents.peek()) {
            if (indents.size() > MAX_INDENTS) {
                throw error(position(), "indentation of " + indents.size() + " levels", "at most " + MAX_INDENTS);
            }
            indents.push(width);
            add(Token.Kind.INDENT, "", position());
        }
        while (width < indents.peek()) {
            indents.pop();
            add(Token.Kind.DEDENT, "", position());
        }
        if (width != indents.peek()) {
            throw error(position(), "indentation of " + width + " columns", "that of an enclosing block, " + indents.peek());
        }
        return true;
    }

    private void newLine() {
        at++;
        line++;
        lineStart = at;
    }

    private void skipToLineEnd() {
        while (at < text.length() && text.charAt(at) != '\n') {
            at++;
        }
    }

    private void token(char c) {
        Position start = position();
        if (isNameStart(c)) {
            int from = at;
            while (at < text.length() && isNamePart(text.charAt(at))) {
                at++;
            }
            add(Token.Kind.NAME, text.substring(from, at), start);
        } else if (isDigit(c) || c == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1))) {
            number(start);
        } else if (c == '"' || c == '\'') {
            string(c, start);
        } else if (c == '-' && at + 1 < text.length() && text.charAt(at + 1) == '>') {
            at += 2;
            add(Token.Kind.SYMBOL, "->", start);
        } else if ("()[]{},:.=-+".indexOf(c) >= 0) {
            at++;
            if ("([{".indexOf(c) >= 0) {
                brackets++;
            } else if (")]}".indexOf(c) >= 0 && --brackets < 0) {
                throw error(start, "'" + c + "'", "a bracket that is open");
            }
            add(Token.Kind.SYMBOL, String.valueOf(c), start);
        } else {
            throw error(start, c < 0x20 || c > 0x7e ? String.format("character U+%04X", (int) c) : "'" + c + "'", "TorchScript source");
        }
    }

    private void number(Position start) {
        int from = at;
        boolean real = false;
        digits();
        if (at < text.length() && text.charAt(at) == '.') {
            real = true;
            at++;
            digits();
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            int exponent = at + 1;
            if (exponent < text.length() && (text.charAt(exponent) == '+' || text.charAt(exponent) == '-')) {
                exponent++;
            }
            if (exponent < text.length() && isDigit(text.charAt(exponent))) {
                real = true;
                at = exponent;
                digits();
            }
        }
        String digits = text.substring(from, at);
        if (at < text.length() && text.charAt(at) == 'j') {
            at++;
            add(Token.Kind.IMAGINARY, digits, start);
        } else if (at < text.length() && isNameStart(text.charAt(at))) {
            throw error(start, "'" + digits + text.charAt(at) + "'", "a number");
        } else {
            add(real ? Token.Kind.FLOAT : Token.Kind.INT, digits, start);
        }
    }

    private void digits() {
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
    }

    /** Octal escapes stand for bytes, so a literal is gathered as bytes and read as UTF-8. */
    private void string(char quote, Position start) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        at++;
        int plainFrom = at;
        while (true) {
            if (at >= text.length() || text.charAt(at) == '\n') {
                throw error(start, "a string without end", "a closing " + quote);
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
        add(Token.Kind.STRING, bytes.toString(StandardCharsets.UTF_8), start);
    }

    private int escape(Position start) {
        if (at >= text.length()) {
            throw error(start, "a string without end", "an escape after \\");
        }
        char c = text.charAt(at++);
        int index = "abfnrtv\\'\"".indexOf(c);
        if (index >= 0) {
            return "\u0007\b\f\n\r\t\u000b\\'\"".charAt(index);
        }
        if (c == 'x' && at + 2 <= text.length()) {
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
            for (int i = 0; i < 2 && at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '7'; i++) {
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

    private void add(Token.Kind kind, String value, Position start) {
        tokens.add(new Token(kind, value, start));
    }

    private SourceException error(Position where, String found, String expected) {
        return new SourceException(entry, where, found, expected);
    }
}
