package org.torchnnapi.torchscript.source;

import java.util.List;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.torchscript.ir.ClassType;

/**
 * A class statement up to its first method. Archives write the same one for every object of a class of Python, so that
 * the next classes take its attributes as they are.
 */
final class ClassHeader {
    private final String base;
    private final List<Tree.Member> members;
    private final SourceText source;
    private final Position at;
    private final int end;
    private final int lines;
    private List<ClassType.Attribute> attributes;

    /**
     * @param base {@code Module}, {@code ModuleInterface}, {@code NamedTuple}, {@code Enum}, .. or null
     * @param at where {@code class} is
     * @param end where the line of the first method begins; -1 if there is none, or there are members behind it
     * @param lines breaks of lines up to there
     */
    ClassHeader(String base, List<Tree.Member> members, SourceText source, Position at, int end, int lines) {
        this.base = base;
        this.members = members;
        this.source = source;
        this.at = at;
        this.end = end >= 0 && source.isKnown(at.offset(), end) ? end : -1;
        this.lines = lines;
    }

    String base() {
        return base;
    }

    List<Tree.Member> members() {
        return members;
    }

    /** Characters up to the first method; negative if they are not known. */
    int length() {
        return end - at.offset();
    }

    int lines() {
        return lines;
    }

    /** Whether the same characters stand at {@code from} in another text. */
    boolean stands(SourceText other, int from, int limit) {
        return end >= 0
                && from + length() < limit
                && Buffers.equal(source.codes(), at.offset(), other.codes(), from, length());
    }

    /** The attributes that a class with this header was found to have; null before. Called under the loader's lock. */
    List<ClassType.Attribute> attributes() {
        return attributes;
    }

    void attributes(List<ClassType.Attribute> found) {
        attributes = found;
    }
}
