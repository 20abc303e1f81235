package org.torchnnapi.cli.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The folder of a server, which its user alone may enter and which goes with it: models, inputs, and what jobs wrote.
 * Safe for several threads.
 */
final class ServedFiles implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    /** What files beside models are for, and how they end. */
    enum Kind {
        /** What models are run on, names of classes, and how pictures are prepared. */
        INPUTS(FileName.PICTURES, List.of(".npy", ".txt", ".json")),
        /** What a model is observed on to be quantized. */
        CALIBRATION(FileName.PICTURES, List.of(".npy", ".npz"));

        private final List<String> endings;

        Kind(List<String> pictures, List<String> others) {
            endings = Stream.concat(pictures.stream(), others.stream()).toList();
        }

        static Kind of(String word) {
            for (Kind kind : values()) {
                if (kind.word().equals(word)) {
                    return kind;
                }
            }
            throw HttpError.notFound("files: none of that kind (expected: inputs or calibration)");
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param origin what made it, empty where it was sent */
    record Model(int id, Path file, String origin) {
        String name() {
            return file.getFileName().toString();
        }
    }

    private final Path folder;
    private final Limits limits;
    private final Map<Integer, Model> models = new LinkedHashMap<>();
    private int lastId;

    ServedFiles(Limits limits) throws IOException {
        this.limits = limits;
        // With no permission for others, wherever the system knows permissions.
        folder = Files.createTempDirectory("torch-nnapi-serve").toRealPath();
        for (Kind kind : Kind.values()) {
            Files.createDirectory(folder(kind));
        }
    }

    Path folder() {
        return folder;
    }

    Path folder(Kind kind) {
        return folder.resolve(kind.word());
    }

    synchronized List<Model> models() {
        return List.copyOf(models.values());
    }

    synchronized Model model(int id) {
        Model model = models.get(id);
        if (model == null) {
            throw HttpError.notFound("model: " + id + " is not kept any more (expected: one of the list)");
        }
        return model;
    }

    /** Keeps a copy of a file. */
    Model take(Path file) throws IOException {
        String encoded = URLEncoder.encode(file.getFileName().toString(), StandardCharsets.UTF_8);
        try (InputStream in = Files.newInputStream(file)) {
            return receive(encoded.replace("+", "%20"), in, Files.size(file));
        }
    }

    /**
     * Says whether a model may be sent.
     *
     * @param encoded its name as a request has it
     * @return the name that it is to have
     * @throws HttpError if it may not
     */
    String requireModel(String encoded, long length) throws IOException {
        String name = FileName.of(encoded, FileName.MODELS);
        requireRoom(length);
        synchronized (this) {
            requirePlace();
        }
        return name;
    }

    /**
     * Keeps a model that is sent.
     *
     * @param length that is announced, or -1
     */
    Model receive(String encoded, InputStream body, long length) throws IOException {
        String name = requireModel(encoded, length);
        int id;
        synchronized (this) {
            id = ++lastId;
        }
        Path into = Files.createDirectory(folder.resolve("model-" + id));
        try {
            copy(body, length, into.resolve(name));
            return keep(new Model(id, into.resolve(name), ""));
        } catch (IOException | HttpError e) {
            delete(into);
            throw e;
        }
    }

    /** Makes a model of what a job wrote; where there is no place it stays a file of the job's. */
    synchronized Model adopt(Path file, String origin) throws IOException {
        if (models.size() >= limits.models()) {
            return null;
        }
        int id = ++lastId;
        Path into = Files.createDirectory(folder.resolve("model-" + id));
        return keep(new Model(id, Files.move(file, into.resolve(file.getFileName())), origin));
    }

    private synchronized Model keep(Model model) throws IOException {
        requirePlace();
        models.put(model.id(), model);
        return model;
    }

    private void requirePlace() {
        if (models.size() >= limits.models()) {
            throw HttpError.full("models: " + models.size() + " are kept (expected: fewer; remove some from the list)");
        }
    }

    void remove(int id) throws IOException {
        Model model;
        synchronized (this) {
            model = model(id);
            models.remove(id);
        }
        delete(model.file().getParent());
    }

    /** As {@link #requireModel}, of a file for jobs to read. */
    String requireFile(Kind kind, String encoded, long length) throws IOException {
        String name = FileName.of(encoded, kind.endings);
        requireRoom(length);
        if (files(kind).size() >= limits.files()) {
            throw HttpError.full("files: " + limits.files() + " are kept (expected: fewer; clear them first)");
        }
        return name;
    }

    /**
     * Keeps a file for jobs to read, in the place of one of its name.
     *
     * @return the name that it has from now on
     */
    String receive(Kind kind, String encoded, InputStream body, long length) throws IOException {
        String name = requireFile(kind, encoded, length);
        copy(body, length, folder(kind).resolve(name));
        return name;
    }

    /** The files of a kind, by name. */
    List<Path> files(Kind kind) throws IOException {
        try (Stream<Path> all = Files.list(folder(kind))) {
            return all.filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    void clear(Kind kind) throws IOException {
        for (Path file : files(kind)) {
            Files.deleteIfExists(file);
        }
    }

    /** Of a job's own. */
    Path jobFolder(int id) throws IOException {
        return Files.createDirectory(folder.resolve("job-" + id));
    }

    /** Whatever is known to be too large is not read at all. */
    private void requireRoom(long length) throws IOException {
        if (length > limits.uploadBytes()) {
            throw tooLarge(Long.toString(length));
        }
        long used = size();
        if (used + Math.max(0, length) > limits.keptBytes()) {
            throw HttpError.full("folder: " + used + " bytes are kept (expected: at most " + limits.keptBytes()
                    + " with this file; remove models, or clear files)");
        }
    }

    private HttpError tooLarge(String bytes) {
        return HttpError.tooLarge("file: " + bytes + " bytes (expected: at most " + limits.uploadBytes()
                + "; serve --upload-limit says how many)");
    }

    private void copy(InputStream body, long length, Path target) throws IOException {
        // Nobody sees a file that did not arrive whole.
        Path arriving = target.resolveSibling("." + target.getFileName());
        try {
            long copied = 0;
            try (OutputStream out = Files.newOutputStream(arriving)) {
                byte[] buffer = new byte[BUFFER];
                for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
                    copied += read;
                    if (copied > limits.uploadBytes()) {
                        throw tooLarge("more than " + limits.uploadBytes());
                    }
                    out.write(buffer, 0, read);
                }
            }
            if (length >= 0 && copied != length) {
                throw HttpError.badRequest("file: " + copied + " bytes came (expected: " + length + ", as announced)");
            }
            Files.move(arriving, target, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(arriving);
        }
    }

    /** Bytes of all files. */
    private long size() throws IOException {
        long[] sum = {0};
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                sum[0] += attributes.size();
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return sum[0];
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> all = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            walk.forEach(all::add);
        }
        for (int i = all.size() - 1; i >= 0; i--) {
            Files.deleteIfExists(all.get(i));
        }
    }

    /** Removes everything. */
    @Override
    public void close() throws IOException {
        delete(folder);
    }
}
