package org.torchnnapi.torchscript.source;

/**
 * A place that moves on through a text, line by line; it knows how many brackets are open, and passes over what is no
 * token.
 */
final class TextScanner {
    private final SourceText source;
    private final byte[] codes;
    private final int end;
    private int at;
    private int line;
    private int lineStart;
    private int brackets;

    /** @param end offset behind what is to be read */
    TextScanner(SourceText source, Position start, int end) {
        this.source = source;
        codes = source.codes();
        this.end = end;
        at = start.offset();
        line = start.line();
        lineStart = start.offset() - start.column() + 1;
    }

    SourceText source() {
        return source;
    }

    boolean isAtEnd() {
        return at >= end;
    }

    int offset() {
        return at;
    }

    int end() {
        return end;
    }

    int line() {
        return line;
    }

    /** The character here; not at the end. */
    byte code() {
        return codes[at];
    }

    /** Whether a character stands here, or so many further on. */
    boolean is(char c, int further) {
        return at + further < end && codes[at + further] == c;
    }

    boolean isDigit(int further) {
        return at + further < end && CharacterKinds.isDigit(codes[at + further]);
    }

    /** Moves on in the line. */
    void skip(int characters) {
        at += characters;
    }

    /** The characters from an offset up to here. */
    String textFrom(int from) {
        return source.text().substring(from, at);
    }

    Position position() {
        return new Position(line, at - lineStart + 1, at);
    }

    int brackets() {
        return brackets;
    }

    /** Moves behind a character that may be a bracket. */
    void skipBracket(byte c) {
        if (c == '(' || c == '[' || c == '{') {
            brackets++;
        } else if ((c == ')' || c == ']' || c == '}') && --brackets < 0) {
            throw error(position(), "'" + (char) c + "'", "a bracket that is open");
        }
        at++;
    }

    /** Moves behind the break of a line. */
    void newLine() {
        at++;
        line++;
        lineStart = at;
    }

    /** Moves to the start of a line that is so many further on. */
    void jump(int to, int lines) {
        at = to;
        line += lines;
        lineStart = to;
    }

    void skipBlanks() {
        while (at < end && CharacterKinds.isBlank(codes[at])) {
            at++;
        }
    }

    void skipName() {
        while (at < end && CharacterKinds.isInName(codes[at])) {
            at++;
        }
    }

    void skipDigits() {
        while (at < end && CharacterKinds.isDigit(codes[at])) {
            at++;
        }
    }

    void skipToLineEnd() {
        while (at < end && codes[at] != '\n') {
            at++;
        }
    }

    /** Measures the blanks before a line and moves behind them; -1 if the line is empty, which is passed over. */
    int indentation() {
        int width = 0;
        while (at < end && (codes[at] == ' ' || codes[at] == '\t')) {
            width += codes[at] == '\t' ? 8 - width % 8 : 1;
            at++;
        }
        if (is('#', 0)) {
            skipToLineEnd();
        }
        if (is('\r', 0)) {
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

    /** Passes over the rest of a line, and over those that it goes on in as brackets are open. */
    void skipLine() {
        while (at < end) {
            byte c = codes[at];
            if (CharacterKinds.mayBePassedOver(c)) {
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
                skipBracket(c);
            }
        }
    }

    /** Passes over a string that begins here. */
    void skipString(byte quote) {
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

    SourceException open(Position start, byte quote) {
        return error(start, "a string without end", "a closing " + (char) quote);
    }

    SourceException error(Position where, String found, String expected) {
        return new SourceException(source.entry(), where, found, expected);
    }
}
