package org.torchnnapi.torchscript.format;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes files that are whole or stay as they were, by way of a temporary one beside them. Safe for use by several
 * threads.
 */
public final class WholeFile {
    private static final int BUFFER = 1 << 16;

    /**
     * Temporary files and folders, those in a folder behind it, deleted where the process is told to end meanwhile. The
     * virtual machine's own list for that only ever grows, with each file that a server writes.
     */
    private static final Set<Path> BEGUN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(WholeFile::deleteBegun, "torch-nnapi-unfinished-files"));
    }

    private static void deleteBegun() {
        // What is in a folder goes before it.
        BEGUN.stream()
                .sorted(Comparator.reverseOrder())
                .forEach(file -> file.toFile().delete());
    }

    /** What a file is to hold. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of it to a stream, which stays open. */
        void writeTo(OutputStream out) throws IOException;
    }

    private WholeFile() {}

    /** As {@link #write(Path, Content)}, of text in UTF-8. */
    public static void write(Path target, String text) throws IOException {
        write(target, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Writes a file. It may be one that is read meanwhile. A link stays, what it leads to is replaced; a pipe or device
     * is written to. A file that was there keeps its permissions.
     *
     * @throws FileSystemException if the target is a folder or cannot be written; it names the target, which is as it
     *     was, and nothing is left beside it
     */
    public static void write(Path target, Content content) throws IOException {
        FileNames.requireSome(target, "the name of a file");
        if (Files.isDirectory(target)) {
            throw new FileSystemException(target.toString(), null, "is a folder (expected: the name of a file)");
        }
        try {
            if (Files.exists(target) && !Files.isRegularFile(target)) {
                try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(target), BUFFER)) {
                    content.writeTo(out);
                }
            } else {
                replace(Files.exists(target) ? target.toRealPath() : target.toAbsolutePath(), content);
            }
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            // A full disk does not say which file it was.
            FileSystemException named =
                    new FileSystemException(target.toString(), null, "cannot be written: " + e.getMessage());
            named.initCause(e);
            throw named;
        }
    }

    /**
     * An empty file among the temporary ones, for its maker alone, which goes with the process if it has not been
     * {@linkplain #discard discarded} before.
     *
     * @param ending of its name
     */
    public static Path temporary(String ending) throws IOException {
        Path file = Files.createTempFile("torch-nnapi", ending);
        BEGUN.add(file);
        return file;
    }

    /**
     * Has a file or folder, there or not yet, go with the process if it has not been {@linkplain #discard discarded}
     * before; a folder only if what is in it goes too.
     */
    public static Path passing(Path file) {
        BEGUN.add(file);
        return file;
    }

    /**
     * Deletes a temporary file or an empty folder, if it is there.
     *
     * @throws IOException if it cannot be deleted, as on Windows while it is mapped; then it goes with the process
     */
    public static void discard(Path file) throws IOException {
        Files.deleteIfExists(file);
        BEGUN.remove(file);
    }

    private static void replace(Path whole, Content content) throws IOException {
        // Not a file of the kind for secrets, which nobody else may read: the move keeps permissions.
        Path temporary =
                whole.resolveSibling(whole.getFileName() + "." + Long.toUnsignedString(System.nanoTime(), 36) + ".tmp");
        boolean kept = Files.exists(whole)
                && whole.getFileSystem().supportedFileAttributeViews().contains("posix");
        Set<PosixFilePermission> permissions = kept ? Files.getPosixFilePermissions(whole) : Set.of();
        BEGUN.add(temporary);
        try {
            try (OutputStream out = new BufferedOutputStream(create(temporary, kept, permissions), BUFFER)) {
                content.writeTo(out);
            }
            if (kept) {
                // The process's mask may have taken some away.
                Files.setPosixFilePermissions(temporary, permissions);
            }
            Files.move(temporary, whole, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            discard(temporary);
        }
    }

    /** With permissions from the first byte on: what is private never lies there for others. */
    private static OutputStream create(Path file, boolean kept, Set<PosixFilePermission> permissions)
            throws IOException {
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return Channels.newOutputStream(
                kept
                        ? Files.newByteChannel(file, options, PosixFilePermissions.asFileAttribute(permissions))
                        : Files.newByteChannel(file, options));
    }
}
