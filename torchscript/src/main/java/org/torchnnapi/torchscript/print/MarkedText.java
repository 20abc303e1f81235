package org.torchnnapi.torchscript.print;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.SourceRange;

/** Text of which each part knows the place it was made from. */
final class MarkedText {
    private final StringBuilder text = new StringBuilder();
    private final List<PrintedCode.Mark> marks = new ArrayList<>();
    private SourceRange current = SourceRange.NONE;

    static MarkedText of(String plain) {
        return new MarkedText().append(plain);
    }

    /** What follows comes from here; returns where the text before came from. */
    SourceRange at(SourceRange range) {
        SourceRange before = current;
        if (range != current) {
            int last = marks.size() - 1;
            if (last >= 0 && marks.get(last).offset() == text.length()) {
                marks.remove(last);
            }
            marks.add(new PrintedCode.Mark(text.length(), range));
            current = range;
        }
        return before;
    }

    MarkedText append(String plain) {
        text.append(plain);
        return this;
    }

    /** Appends a text with its places; what follows comes again from where the text before did. */
    MarkedText append(MarkedText other) {
        SourceRange before = current;
        int start = 0;
        for (PrintedCode.Mark mark : other.marks) {
            text.append(other.text, start, mark.offset());
            start = mark.offset();
            at(mark.range());
        }
        text.append(other.text, start, other.text.length());
        at(before);
        return this;
    }

    int length() {
        return text.length();
    }

    List<PrintedCode.Mark> marks() {
        return marks;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
