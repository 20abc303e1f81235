package org.torchnnapi.cli.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.torchnnapi.converter.quantize.CalibrationInputs;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;

/**
 * Inputs to calibrate on: pictures, each one input, and .npy files, whose rows are inputs. Nothing is kept but the names and the array whose
 * turn it is.
 */
public final class CalibrationFiles implements CalibrationInputs {
    private static final int COLOURS = 3;

    /** An input: a picture, or rows of an array. */
    private record Place(Path file, int from, int to) {
        boolean isArray() {
            return to > 0;
        }
    }

    private final List<Place> places = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private final int height;
    private final int width;
    private final int batch;
    private Path latest;
    private Tensor array;

    /**
     * @param given  files and folders, whose files are taken in the order of their names
     * @param height pictures are cut to
     * @param batch  rows of an array that are one input
     * @throws CommandFailure if a given file cannot be read, or none is left; those of folders are skipped
     */
    public CalibrationFiles(List<Path> given, int height, int width, int batch) throws IOException {
        this.height = height;
        this.width = width;
        this.batch = batch;
        for (Path path : given) {
            if (!Files.isDirectory(path)) {
                add(path);
                continue;
            }
            for (Path file : listed(path)) {
                try {
                    add(file);
                } catch (CommandFailure | IOException e) {
                    skipped.add(e.getMessage());
                }
            }
        }
        if (places.isEmpty()) {
            throw new CommandFailure("calibration inputs: none in " + given + (skipped.isEmpty() ? "" : ", where " + skipped.size() + " files cannot be read, such as "
                + skipped.get(0)) + " (expected: pictures or .npy files)");
        }
    }

    private static List<Path> listed(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private void add(Path file) throws IOException {
        if (!file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".npy")) {
            Images.load(file, COLOURS, height, width);
            places.add(new Place(file, 0, 0));
            return;
        }
        Tensor rows = Npy.read(file);
        if (rows.rank() == 0 || rows.numel() == 0) {
            throw new CommandFailure("calibration file: " + file + " holds " + rows + " (expected: rows that are inputs, such as [100, 3, 224, 224])");
        }
        for (int row = 0; row < rows.size(0); row += batch) {
            places.add(new Place(file, row, Math.min(row + batch, rows.size(0))));
        }
    }

    /** What of the folders could not be read, with the reason. */
    public List<String> skipped() {
        return skipped;
    }

    @Override
    public int size() {
        return places.size();
    }

    @Override
    public String name(int index) {
        Place place = places.get(index);
        return place.isArray() ? place.file + " row " + place.from : place.file.toString();
    }

    @Override
    public List<Object> read(int index) throws IOException {
        Place place = places.get(index);
        if (!place.isArray()) {
            return List.of(Images.load(place.file, COLOURS, height, width));
        }
        if (!place.file.equals(latest)) {
            array = Npy.read(place.file);
            latest = place.file;
        }
        int[] sizes = array.sizes().clone();
        sizes[0] = place.to - place.from;
        return List.of(array.asStrided(sizes, array.strides(), array.offset() + place.from * array.strides()[0]).contiguous());
    }
}
