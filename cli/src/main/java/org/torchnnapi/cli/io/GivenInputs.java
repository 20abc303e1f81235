package org.torchnnapi.cli.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.testkit.torch.Npy;

/**
 * Inputs as a user writes them (see {@link InputValues}), whose words are .npy files, pictures, or descriptions of
 * random numbers.
 */
public final class GivenInputs {
    private static final Pattern SPEC = Pattern.compile("[a-z]+[0-9]*\\[.*");

    private final List<String> values;
    private final Images images;
    private final Random random;

    /** Of pictures cut to 224 by 224; random numbers of seed 0. */
    public GivenInputs(List<String> values) {
        this(values, Images.preset(), new Random(0));
    }

    /**
     * @param images reads pictures
     * @param random where random numbers come from
     */
    public GivenInputs(List<String> values, Images images, Random random) {
        this.values =
                values.stream().filter(value -> !Strings.strip(value).isEmpty()).collect(Streams.toList());
        this.images = images;
        this.random = random;
    }

    /** @throws CommandFailure if one is of no known form, or its file cannot be read */
    public List<Object> read() throws IOException {
        List<Object> inputs = new ArrayList<>();
        for (String value : values) {
            inputs.add(isFile(value) ? tensor(value) : InputValues.parse(value, this::tensor));
        }
        return inputs;
    }

    /** The files that they are read from. */
    public List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String value : values) {
            if (isFile(value)) {
                files.add(path(value));
                continue;
            }
            InputValues.parse(value, word -> {
                if (!isSpec(word)) {
                    files.add(path(word));
                }
                return null;
            });
        }
        return files;
    }

    /** A file's name is taken for one whatever else it reads as, such as {@code cat (1).jpg}. */
    private static boolean isFile(String word) {
        try {
            return Files.isRegularFile(Paths.get(word));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean isSpec(String word) {
        return SPEC.matcher(word).matches() && !isFile(word);
    }

    private Tensor tensor(String word) throws IOException {
        if (isSpec(word)) {
            return RandomTensors.asked(InputText.parse(word), random);
        }
        return word.toLowerCase(Locale.ROOT).endsWith(".npy") ? Npy.read(path(word)) : images.load(path(word));
    }

    private static Path path(String word) {
        try {
            return Paths.get(word);
        } catch (InvalidPathException e) {
            throw new CommandFailure("input: " + word + " (expected: the name of a file)", e);
        }
    }
}
