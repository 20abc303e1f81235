package org.torchnnapi.torchscript.ir;

/**
 * Where a node comes from: a line of the archive's TorchScript source, and, if the archive has debug information, the
 * line of Python it was compiled from.
 */
public final class SourceRange {
    public static final SourceRange NONE = new SourceRange(null, 0);

    /**
     * A line of Python.
     *
     * @param file as the compiler knew it
     * @param line 1-based
     * @param text that line, without indentation
     */
    public record Python(String file, int line, String text) {}

    /** Debug information. */
    public interface Debug {
        /** What the text at a character offset of an archive entry was compiled from, or null if that is not known. */
        Python find(String file, int offset);
    }

    private final String file;
    private final int line;
    private final int offset;
    private final Debug debug;
    private final String module;

    /**
     * A place whose line of Python is looked up when it is asked for: that of most nodes never is, and debug
     * information is larger than the code.
     *
     * @param file archive entry, for example {@code code/__torch__/net.py}
     * @param line 1-based line in that entry
     * @param offset characters from the start of the entry
     * @param debug null for none
     */
    public SourceRange(String file, int line, int offset, Debug debug) {
        this(file, line, offset, debug, "");
    }

    private SourceRange(String file, int line, int offset, Debug debug, String module) {
        this.file = file;
        this.line = line;
        this.offset = offset;
        this.debug = debug;
        this.module = module;
    }

    /** A place without debug information. */
    public SourceRange(String file, int line) {
        this(file, line, 0, null);
    }

    /** The place so many lines and characters further on in another file. */
    public SourceRange moved(String otherFile, int lines, int characters) {
        return new SourceRange(otherFile, line + lines, offset + characters, debug, module);
    }

    /** The same place, as code of a module of that path. */
    public SourceRange in(String modulePath) {
        return new SourceRange(file, line, offset, debug, modulePath);
    }

    /**
     * Path from the root of the module whose method the code was inlined from, such as {@code features.0.conv}; empty
     * in the root's own code and where calls were not inlined.
     */
    public String module() {
        return module;
    }

    /** Archive entry, or null. */
    public String file() {
        return file;
    }

    /** 1-based line in that entry. */
    public int line() {
        return line;
    }

    /** The line of Python, or null if that is not known. */
    public Python python() {
        return debug == null ? null : debug.find(file, offset);
    }

    /** The Python position if known, otherwise the archive's. */
    @Override
    public String toString() {
        Python python = python();
        if (python != null) {
            return python.file() + ":" + python.line();
        }
        return file == null ? "<unknown>" : file + ":" + line;
    }
}
