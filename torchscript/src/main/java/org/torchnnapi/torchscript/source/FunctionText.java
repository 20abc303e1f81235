package org.torchnnapi.torchscript.source;

import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.torchscript.ir.Function;

/**
 * The text of a function, which is parsed when it is needed. Archives write a module's methods once for every object,
 * each time with another class as the type of {@code self}: such texts are twins, and what follows from the first of
 * them is kept with that one.
 */
final class FunctionText {
    private final SourceText source;
    private final Position at;
    private final int end;
    private final int lines;
    private final int indent;
    private final FunctionText first;
    // Threads that come at once may each parse, to trees that are equal.
    private volatile Tree.FunctionTree tree;
    private volatile boolean hasTwins;
    private volatile Function function;
    /** From the colon on, and behind its name; 0 before they are looked for, -1 for none. */
    private int typeStart;

    private int typeEnd;

    private FunctionText(SourceText source, Position at, int end, int lines, int indent, FunctionText first) {
        this.source = source;
        this.at = at;
        this.end = end;
        this.lines = lines;
        this.indent = indent;
        this.first = first == null ? this : first;
    }

    /**
     * @param at where {@code def} is
     * @param end offset behind its last line
     * @param lines breaks of lines in it
     * @param indent columns before {@code def}
     */
    static FunctionText of(SourceText source, Position at, int end, int lines, int indent) {
        return new FunctionText(source, at, end, lines, indent, null);
    }

    /**
     * The function at a place, if its text is this one's but for the name of the class that its first parameter has,
     * and it is indented and followed by something else as this one is; otherwise null.
     */
    FunctionText twin(SourceText other, Position start, int limit, int otherIndent) {
        byte[] ours = source.codes();
        byte[] theirs = other.codes();
        int type = typeEnd();
        int name = typeStart - at.offset();
        int otherType = name < 0 || start.offset() + name >= limit || theirs[start.offset() + name] != ':'
                ? -1
                : typeEnd(theirs, start.offset() + name, limit);
        int otherEnd = otherType + end - type;
        if (otherType < 0
                || otherIndent != indent
                || otherEnd > limit
                || ours[end - 1] != '\n'
                || !Buffers.equal(ours, at.offset(), theirs, start.offset(), name)
                || !Buffers.equal(ours, type, theirs, otherType, end - type)
                || !endsAt(theirs, otherEnd, limit)) {
            return null;
        }
        first.hasTwins = true;
        return new FunctionText(other, start, otherEnd, lines, indent, first);
    }

    /** Finds the type of the first parameter; without it, or with characters that are not known, there are no twins. */
    private int typeEnd() {
        if (typeEnd == 0) {
            byte[] codes = source.codes();
            int i = at.offset();
            while (i < end && codes[i] != ':' && codes[i] != ')' && codes[i] != ',') {
                i++;
            }
            typeEnd = i < end && codes[i] == ':' && source.isKnown(at.offset(), end) ? typeEnd(codes, i, end) : -1;
            typeStart = typeEnd < 0 ? -1 : i;
        }
        return typeEnd;
    }

    /** Where the name of a class ends that is a parameter's type; -1 if there is something else. */
    private static int typeEnd(byte[] codes, int from, int limit) {
        for (int i = from; i < limit; i++) {
            byte c = codes[i];
            if (c == ',' || c == ')') {
                return i;
            }
            boolean ofName = c >= 'a' && c <= 'z'
                    || c >= '0' && c <= ':'
                    || c == '_'
                    || c == '.'
                    || c >= 'A' && c <= 'Z'
                    || c == ' ';
            if (!ofName) {
                return -1;
            }
        }
        return -1;
    }

    /** Whether what begins here is no part of a function before it. */
    private boolean endsAt(byte[] codes, int from, int limit) {
        int i = from;
        while (i < limit && codes[i] == ' ') {
            i++;
        }
        return from == limit || i < limit && i - from <= indent && CharacterKinds.isInName(codes[i]);
    }

    SourceText source() {
        return source;
    }

    Position at() {
        return at;
    }

    int end() {
        return end;
    }

    int lines() {
        return lines;
    }

    int indent() {
        return indent;
    }

    /** The first text that this one is a twin of; itself if none was before it. */
    FunctionText first() {
        return first;
    }

    /**
     * The function parsed, with places in the {@link #first} text.
     *
     * @throws SourceException if it is no TorchScript
     */
    Tree.FunctionTree tree() {
        Tree.FunctionTree known = first.tree;
        if (known == null) {
            known = Parser.function(first);
            first.tree = known;
        }
        return known;
    }

    /** Lets the tree go unless there are twins, which may need it too. */
    void forgetTree() {
        if (!first.hasTwins) {
            first.tree = null;
        }
    }

    /** The place in this text that is at another in the first one, behind the type of the first parameter. */
    Position moved(Position place) {
        return this == first
                ? place
                : new Position(
                        place.line() + at.line() - first.at.line(), place.column(), place.offset() + end - first.end);
    }

    /** The same text, of which nothing is kept with another. */
    FunctionText alone() {
        return new FunctionText(source, at, end, lines, indent, null);
    }

    /** The function that was made of the first text; null if none was. */
    Function firstFunction() {
        return first.function;
    }

    /** Keeps a function that was made of this text for its twins. */
    void made(Function made) {
        function = made;
    }
}
