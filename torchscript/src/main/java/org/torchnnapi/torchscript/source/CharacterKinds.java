package org.torchnnapi.torchscript.source;

/** What characters of source text can be part of, looked up by their codes. */
final class CharacterKinds {
    private static final int CODES = 128;
    private static final byte[] KINDS = new byte[CODES];
    private static final String[] SYMBOLS = new String[CODES];
    private static final int NAME_START = 1;
    private static final int DIGIT = 2;
    private static final int SYMBOL = 4;
    /** What may not be passed over unseen. */
    private static final int SEEN = 8;

    static {
        mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", NAME_START);
        mark("0123456789", DIGIT);
        mark("()[]{},:.=-+", SYMBOL);
        mark("()[]{}\"'#\n", SEEN);
        for (int c = 0; c < CODES; c++) {
            SYMBOLS[c] = (KINDS[c] & SYMBOL) == 0 ? null : String.valueOf((char) c);
        }
    }

    private CharacterKinds() {}

    private static void mark(String characters, int kind) {
        for (int i = 0; i < characters.length(); i++) {
            KINDS[characters.charAt(i)] |= (byte) kind;
        }
    }

    static boolean isNameStart(int c) {
        return c >= 0 && c < CODES && KINDS[c] == NAME_START;
    }

    static boolean isInName(int c) {
        return c >= 0 && c < CODES && (KINDS[c] & (NAME_START | DIGIT)) != 0;
    }

    static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    static boolean isSymbol(byte c) {
        return c >= 0 && (KINDS[c] & SYMBOL) != 0;
    }

    /** The symbol as text. */
    static String symbol(byte c) {
        return SYMBOLS[c];
    }

    static boolean isBlank(byte c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\f';
    }

    static boolean mayBePassedOver(byte c) {
        return c < 0 || (KINDS[c] & SEEN) == 0;
    }
}
