package org.torchnnapi.driver.android;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.torchnnapi.nnapi.driver.CacheFiles;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** A folder of its own among the temporary files, through which the system's cache files become cache data and back. */
final class CacheFolder implements AutoCloseable {
    /** 32 bytes that name a model; the folder has but one. */
    static final String TOKEN = "torch-nnapi, one model, a folder";

    private final Path path;

    private CacheFolder(Path path) {
        this.path = path;
    }

    /** @param files what is in it, by names of files in a folder */
    static CacheFolder of(Map<String, byte[]> files) {
        try {
            CacheFolder folder = new CacheFolder(Files.createTempDirectory("torchnnapi-cache"));
            try {
                for (Map.Entry<String, byte[]> file : files.entrySet()) {
                    Files.write(folder.path.resolve(file.getKey()), file.getValue());
                }
                return folder;
            } catch (IOException | InvalidPathException e) {
                folder.close();
                throw e;
            }
        } catch (IOException | InvalidPathException e) {
            throw new NnapiException(ResultCode.OP_FAILED, "folder for the system's cache: " + e, e);
        }
    }

    Path path() {
        return path;
    }

    /** All files, or null if there are none. */
    byte[] content() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            Map<String, byte[]> contents = new LinkedHashMap<>();
            for (Path file : files) {
                contents.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
            return contents.isEmpty() ? null : CacheFiles.pack(contents);
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
