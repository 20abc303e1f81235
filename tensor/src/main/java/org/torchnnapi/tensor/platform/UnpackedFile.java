package org.torchnnapi.tensor.platform;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;

/**
 * A file that lies in a jar, copied to where the system can load it: a folder of its own among the temporary ones,
 * which only the process's user may enter, so that nobody else puts another file in its place. Closing deletes both;
 * where the system keeps what it has loaded (Windows) that happens as the process ends.
 */
public final class UnpackedFile implements AutoCloseable {
    private final File folder;
    private final File file;

    private UnpackedFile(Path folder, Path file) {
        this.folder = folder.toFile();
        this.file = file.toFile();
    }

    /**
     * @param name of the copy
     * @throws IOException if it cannot be written; nothing is left then
     */
    public static UnpackedFile of(InputStream in, String name) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        Path folder = newFolder(permissions(posix, "rwx------"));
        UnpackedFile unpacked = new UnpackedFile(folder, folder.resolve(name));
        try (OutputStream out = Channels.newOutputStream(Files.newByteChannel(
                unpacked.path(),
                EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                permissions(posix, "rw-------")))) {
            InputStreams.copy(in, out);
        } catch (IOException full) {
            unpacked.close();
            throw full;
        }
        return unpacked;
    }

    /**
     * {@code Files.createTempDirectory} would start the security providers for its names, which takes longer than all
     * else that loads a library. A name that is taken is refused by the system and another tried.
     */
    private static Path newFolder(FileAttribute<?>... permissions) throws IOException {
        Path parent = Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        long number = System.nanoTime();
        while (true) {
            try {
                return Files.createDirectory(
                        parent.resolve("torchnnapi" + Long.toUnsignedString(number, 36)), permissions);
            } catch (FileAlreadyExistsException taken) {
                number++;
            }
        }
    }

    private static FileAttribute<?>[] permissions(boolean posix, String permissions) {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    public Path path() {
        return file.toPath();
    }

    @Override
    public void close() {
        if (!file.exists() || file.delete()) {
            folder.delete();
        } else {
            // Deleted in the reverse order.
            folder.deleteOnExit();
            file.deleteOnExit();
        }
    }
}
