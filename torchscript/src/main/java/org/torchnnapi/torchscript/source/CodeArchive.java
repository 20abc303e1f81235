package org.torchnnapi.torchscript.source;

import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.ir.SourceRange;

/** What compiling source needs of the archive it stands in. */
public interface CodeArchive {
    /**
     * The text of an entry such as {@code code/__torch__/net.py} (without the top folder), or null if there is none.
     */
    String source(String entry);

    /**
     * The runtime value {@code CONSTANTS.c<index>} stands for.
     *
     * @throws IllegalArgumentException if there is none
     */
    Object constant(int index);

    /** What reading may make of the file that the archive is. */
    default ReadBudget budget() {
        return ReadBudget.of(0);
    }

    /** The archive's version, which says what operators meant when it was written. */
    default int operatorVersion() {
        return 10;
    }

    /**
     * The place in the archive, and, where debug information has it, in Python.
     *
     * @param line 1-based
     * @param offset characters from the start of the entry
     */
    default SourceRange locate(String entry, int line, int offset) {
        return new SourceRange(entry, line);
    }
}
