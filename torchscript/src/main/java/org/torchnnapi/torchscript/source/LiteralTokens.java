package org.torchnnapi.torchscript.source;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Numbers and strings of a text. */
final class LiteralTokens {
    private LiteralTokens() {}

    /** The number that begins here. */
    static Token number(TextScanner in) {
        Position start = in.position();
        boolean real = false;
        in.skipDigits();
        if (in.is('.', 0)) {
            real = true;
            in.skip(1);
            in.skipDigits();
        }
        if (in.is('e', 0) || in.is('E', 0)) {
            int sign = in.is('+', 1) || in.is('-', 1) ? 1 : 0;
            if (in.isDigit(1 + sign)) {
                real = true;
                in.skip(1 + sign);
                in.skipDigits();
            }
        }
        String digits = in.textFrom(start.offset());
        if (in.is('j', 0)) {
            in.skip(1);
            return new Token(Token.Kind.IMAGINARY, digits, start);
        }
        if (!in.isAtEnd() && CharacterKinds.isNameStart(in.code())) {
            throw in.error(start, "'" + digits + (char) in.code() + "'", "a number");
        }
        return new Token(real ? Token.Kind.FLOAT : Token.Kind.INT, digits, start);
    }

    /** The string that begins here. */
    static Token string(TextScanner in) {
        Position start = in.position();
        byte quote = in.code();
        in.skip(1);
        skipPlain(in, quote);
        if (in.is('\\', 0)) {
            return escapedString(in, quote, start);
        }
        requireOpen(in, quote, start);
        String value = in.textFrom(start.offset() + 1);
        in.skip(1);
        return new Token(Token.Kind.STRING, value, start);
    }

    private static void skipPlain(TextScanner in, byte quote) {
        while (!in.isAtEnd() && in.code() != quote && in.code() != '\\' && in.code() != '\n') {
            in.skip(1);
        }
    }

    private static void requireOpen(TextScanner in, byte quote, Position start) {
        if (in.isAtEnd() || in.code() == '\n') {
            throw in.open(start, quote);
        }
    }

    /**
     * Octal escapes stand for bytes, so a literal is gathered as bytes and read as UTF-8; up to here there was no
     * escape.
     */
    private static Token escapedString(TextScanner in, byte quote, Position start) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int plainFrom = start.offset() + 1;
        while (true) {
            skipPlain(in, quote);
            requireOpen(in, quote, start);
            byte[] plain = in.textFrom(plainFrom).getBytes(StandardCharsets.UTF_8);
            bytes.write(plain, 0, plain.length);
            boolean ends = in.code() == quote;
            in.skip(1);
            if (ends) {
                return new Token(Token.Kind.STRING, new String(bytes.toByteArray(), StandardCharsets.UTF_8), start);
            }
            bytes.write(escape(in, start));
            plainFrom = in.offset();
        }
    }

    /** The byte that an escape stands for, of which the backslash is passed. */
    private static int escape(TextScanner in, Position start) {
        if (in.isAtEnd()) {
            throw in.error(start, "a string without end", "an escape after \\");
        }
        int from = in.offset();
        in.skip(1);
        char c = in.textFrom(from).charAt(0);
        int index = "abfnrtv\\'\"".indexOf(c);
        if (index >= 0) {
            return "\u0007\b\f\n\r\t\u000b\\'\"".charAt(index);
        }
        if (c == 'x' && in.offset() + 2 <= in.end()) {
            in.skip(2);
            String digits = in.textFrom(from + 1);
            try {
                return Integer.parseInt(digits, 16);
            } catch (NumberFormatException e) {
                throw in.error(start, "escape \\x" + digits, "two hexadecimal digits");
            }
        }
        if (c >= '0' && c <= '7') {
            int value = c - '0';
            for (int i = 0; i < 2 && !in.isAtEnd() && in.code() >= '0' && in.code() <= '7'; i++) {
                value = value * 8 + in.code() - '0';
                in.skip(1);
            }
            return value & 0xff;
        }
        throw in.error(start, "escape \\" + c, "one of \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" or an octal number");
    }
}
