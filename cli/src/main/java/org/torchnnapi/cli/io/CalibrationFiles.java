package org.torchnnapi.cli.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.torchnnapi.quantizer.CalibrationInputs;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;

/**
 * Inputs to calibrate on. For models of one argument: pictures, each one input, and .npy files, whose rows are inputs.
 * For models of several: .npz files, whose arrays are the arguments of one input, and the folders in a folder, whose
 * files are. Nothing is kept but the names and the array whose turn it is.
 */
public final class CalibrationFiles implements CalibrationInputs {
    private static final int MAX_ARRAY_BYTES = 1 << 30;

    /** What one input is made of. */
    private enum Kind {
        PICTURE,
        /** Rows of an array. */
        ROWS,
        /** Arrays in one file, an argument each. */
        ARCHIVE,
        /** Files of a folder, an argument each. */
        FOLDER
    }

    private record Place(Kind kind, Path file, int from, int to) {
        static Place whole(Kind kind, Path file) {
            return new Place(kind, file, 0, 0);
        }
    }

    private final List<Place> places = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private final Images images;
    private final int batch;
    private Path latest;
    private Tensor array;

    /**
     * @param given files and folders, whose files are taken in the order of their names
     * @param images reads pictures
     * @param batch rows of an array that are one input
     * @throws CommandFailure if a given file cannot be read, or none is left; those of folders are skipped
     */
    public CalibrationFiles(List<Path> given, Images images, int batch) throws IOException {
        this.images = images;
        this.batch = batch;
        for (Path path : given) {
            if (!Files.isDirectory(path)) {
                add(path);
                continue;
            }
            for (Path file : listed(path)) {
                try {
                    add(file);
                } catch (CommandFailure | IllegalArgumentException | IOException e) {
                    skipped.add(e.getMessage());
                }
            }
        }
        if (places.isEmpty()) {
            throw new CommandFailure("calibration inputs: none in " + given
                    + (skipped.isEmpty()
                            ? ""
                            : ", where "
                                    + (skipped.size() == 1
                                            ? "1 file cannot be read: "
                                            : skipped.size() + " files cannot be read, such as ")
                                    + skipped.get(0))
                    + " (expected: pictures, .npy or .npz files, or folders with the arguments of one input each)");
        }
    }

    /** What lies in a folder, but hidden files and folders, by name. */
    public static List<Path> listed(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    private void add(Path file) throws IOException {
        if (Files.isDirectory(file) || hasEnding(file, ".npz")) {
            Place place = Place.whole(Files.isDirectory(file) ? Kind.FOLDER : Kind.ARCHIVE, file);
            if (arguments(place).isEmpty()) {
                throw new CommandFailure(
                        "calibration input: " + file + " holds nothing (expected: the arguments of one input)");
            }
            places.add(place);
        } else if (hasEnding(file, ".npy")) {
            Tensor rows = Npy.read(file);
            if (rows.rank() == 0 || rows.numel() == 0) {
                throw new CommandFailure("calibration file: " + file + " holds " + rows
                        + " (expected: rows that are inputs, such as [100, 3, 224, 224])");
            }
            for (int row = 0; row < rows.size(0); row += batch) {
                places.add(new Place(Kind.ROWS, file, row, Math.min(row + batch, rows.size(0))));
            }
        } else {
            images.load(file);
            places.add(Place.whole(Kind.PICTURE, file));
        }
    }

    private static boolean hasEnding(Path file, String ending) {
        return file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(ending);
    }

    private List<Object> arguments(Place place) throws IOException {
        List<Object> arguments = new ArrayList<>();
        if (place.kind == Kind.FOLDER) {
            for (Path file : listed(place.file)) {
                arguments.add(hasEnding(file, ".npy") ? Npy.read(file) : images.load(file));
            }
            return arguments;
        }
        try (ZipFile archive = new ZipFile(place.file.toFile())) {
            for (ZipEntry entry : Collections.list(archive.entries())) {
                String name = place.file + ": " + entry.getName();
                try (InputStream stream = archive.getInputStream(entry)) {
                    byte[] content = stream.readNBytes(MAX_ARRAY_BYTES);
                    if (stream.read() >= 0) {
                        throw new CommandFailure("calibration file: " + name + " has more than " + MAX_ARRAY_BYTES
                                + " bytes (expected: at most that)");
                    }
                    arguments.add(Npy.read(name, content, null));
                }
            }
        } catch (ZipException e) {
            throw new CommandFailure("calibration file: " + place.file + ": " + e.getMessage()
                    + " (expected: a .npz file, as numpy.savez writes)");
        }
        return arguments;
    }

    /** What of the folders could not be read, with the reason. */
    public List<String> skipped() {
        return skipped;
    }

    /** The files that inputs come from. */
    public Set<Path> files() throws IOException {
        Set<Path> files = new LinkedHashSet<>();
        for (Place place : places) {
            files.addAll(place.kind == Kind.FOLDER ? listed(place.file) : List.of(place.file));
        }
        return files;
    }

    @Override
    public int size() {
        return places.size();
    }

    @Override
    public String name(int index) {
        Place place = places.get(index);
        return place.kind == Kind.ROWS ? place.file + " row " + place.from : place.file.toString();
    }

    @Override
    public List<Object> read(int index) throws IOException {
        Place place = places.get(index);
        switch (place.kind) {
            case PICTURE:
                return List.of(images.load(place.file));
            case ROWS:
                return List.of(rows(place));
            default:
                return arguments(place);
        }
    }

    private Tensor rows(Place place) throws IOException {
        if (!place.file.equals(latest)) {
            array = Npy.read(place.file);
            latest = place.file;
        }
        int[] sizes = array.sizes().clone();
        sizes[0] = place.to - place.from;
        return array.asStrided(sizes, array.strides(), array.offset() + place.from * array.strides()[0])
                .contiguous();
    }
}
