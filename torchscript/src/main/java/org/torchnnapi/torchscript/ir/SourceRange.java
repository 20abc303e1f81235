package org.torchnnapi.torchscript.ir;

/**
 * Where a node comes from: a line of the archive's TorchScript source, and, if the archive has debug information, the line
 * of Python it was compiled from.
 *
 * @param file       archive entry, for example {@code code/__torch__/net.py}
 * @param line       1-based line in that entry
 * @param pythonFile original file, or null
 * @param pythonLine 1-based original line, or 0
 */
public record SourceRange(String file, int line, String pythonFile, int pythonLine) {
    public static final SourceRange NONE = new SourceRange(null, 0, null, 0);

    /** The Python position if known, otherwise the archive's. */
    @Override
    public String toString() {
        if (pythonFile != null) {
            return pythonFile + ":" + pythonLine;
        }
        return file == null ? "<unknown>" : file + ":" + line;
    }
}
