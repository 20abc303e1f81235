package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkEnv;

/**
 * Leaves a file in a folder wherever it arrives and whenever it opens a model, so that a process that is killed has
 * told it too.
 */
final class NotedOpener implements PictureModel.Opener {
    private static final long serialVersionUID = 1;

    private final String folder;
    private final PictureModel.Opener opener;

    /** @param folder which all executors have, made here */
    NotedOpener(Path folder, PictureModel.Opener opener) throws IOException {
        this.folder = Files.createDirectories(folder).toString();
        this.opener = opener;
    }

    /**
     * What an executor did.
     *
     * @param what {@code arrived} or {@code opened}
     */
    record Note(String what, String executor, long process) {
        static Note of(Path file) {
            String[] parts = file.getFileName().toString().split("-");
            return new Note(parts[0], parts[1], Long.parseLong(parts[2]));
        }
    }

    List<Note> notes() throws IOException {
        try (var files = Files.list(Path.of(folder))) {
            return files.map(Note::of).toList();
        }
    }

    @Override
    public PictureModel open(byte[] file) throws IOException {
        note("opened");
        return opener.open(file);
    }

    private void note(String what) throws IOException {
        String executor = SparkEnv.get().executorId();
        long process = ProcessHandle.current().pid();
        Files.createTempFile(Path.of(folder), what + "-" + executor + "-" + process + "-", "");
    }

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        note("arrived");
    }

    /** The process of an executor that has opened the model. */
    ProcessHandle process(String executor) {
        try {
            return notes().stream()
                    .filter(note -> note.executor().equals(executor))
                    .map(note -> ProcessHandle.of(note.process()).orElseThrow())
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
