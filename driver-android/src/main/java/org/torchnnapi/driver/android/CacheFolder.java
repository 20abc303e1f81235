package org.torchnnapi.driver.android;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** A folder of its own among the temporary files, through which the system's cache files become cache data and back. */
final class CacheFolder implements AutoCloseable {
    /** 32 bytes that name a model; the folder has but one. */
    static final String TOKEN = "torch-nnapi, one model, a folder";

    private static final int MOST_FILES = 1000;

    private final Path path;

    private CacheFolder(Path path) {
        this.path = path;
    }

    /** @param content of an earlier folder, or null for an empty one; what it is not, is left out: the system then compiles */
    static CacheFolder of(byte[] content) {
        try {
            CacheFolder folder = new CacheFolder(Files.createTempDirectory("torchnnapi-cache"));
            if (content != null) {
                folder.fill(content);
            }
            return folder;
        } catch (IOException e) {
            throw new NnapiException(ResultCode.OP_FAILED, "folder for the system's cache: " + e, e);
        }
    }

    Path path() {
        return path;
    }

    private void fill(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        int files = in.available() < Integer.BYTES ? 0 : in.readInt();
        for (int i = 0; i < files && i < MOST_FILES && in.available() > Integer.BYTES; i++) {
            String name = in.readUTF();
            int size = in.available() < Integer.BYTES ? -1 : in.readInt();
            Path file = path.resolve(name.isEmpty() ? "." : name).normalize();
            if (size < 0 || size > in.available() || !path.equals(file.getParent())) {
                return;
            }
            byte[] bytes = new byte[size];
            in.readFully(bytes);
            Files.write(file, bytes);
        }
    }

    /** All files, or null if there are none. */
    byte[] content() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(all);
            int count = 0;
            for (Path file : files) {
                byte[] bytes = Files.readAllBytes(file);
                out.writeUTF(file.getFileName().toString());
                out.writeInt(bytes.length);
                out.write(bytes);
                count++;
            }
            if (count == 0) {
                return null;
            }
            ByteArrayOutputStream counted = new ByteArrayOutputStream(Integer.BYTES + all.size());
            new DataOutputStream(counted).writeInt(count);
            all.writeTo(counted);
            return counted.toByteArray();
        } catch (IOException e) {
            throw new NnapiException(ResultCode.OP_FAILED, "folder for the system's cache: " + e, e);
        }
    }

    @Override
    public void close() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                Files.delete(file);
            }
        } catch (IOException leftToTheSystem) {
            return;
        }
        path.toFile().delete();
    }
}
