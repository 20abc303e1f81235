package org.torchnnapi.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.Images;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** A way by which bytes of others come in. */
enum Door {
    /** A whole file: the zip container. */
    ARCHIVE {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Modules.exercise(() -> TorchScriptArchive.of(input));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(
                    Seeds.read("net.pt"),
                    Seeds.read("program.pt"),
                    Seeds.read("quantized.pt"),
                    Seeds.read("program.ptl"));
        }
    },

    /** A module for the lite interpreter as a flat buffer. */
    FLATBUFFER {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Modules.exercise(() -> TorchScriptArchive.of(input));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Seeds.read("small.ff"), Seeds.read("net.ff"), Seeds.read("program.ff"));
        }
    },

    /** The pickle of a module's attributes, in an archive that is whole otherwise. */
    PICKLE {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Modules.exercise(Seeds.with("program.pt", "data.pkl", input));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(
                    Seeds.record("program.pt", "data.pkl"),
                    Seeds.record("net.pt", "data.pkl"),
                    Seeds.record("quantized.pt", "data.pkl"));
        }
    },

    /** TorchScript source. */
    SOURCE {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Modules.exercise(Seeds.with("program.pt", Seeds.PROGRAM_SOURCE, input));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Seeds.record("program.pt", Seeds.PROGRAM_SOURCE));
        }

        @Override
        List<String> words() {
            return Dictionary.source();
        }
    },

    /** Byte code of the lite interpreter. */
    BYTECODE {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Modules.exercise(
                    () -> Seeds.with("small.ptl", "bytecode.pkl", input).get().forLite());
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Seeds.record("small.ptl", "bytecode.pkl"), Seeds.record("program.ptl", "bytecode.pkl"));
        }

        @Override
        List<String> words() {
            return Dictionary.bytecode();
        }
    },

    /** A whole file of torch.export: the zip container, of either layout. */
    EXPORTED {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Modules.exerciseSource(() -> ModuleSource.of(ByteBuffer.wrap(input)));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Programs.archive(Seeds.read("program.json"), Seeds.read("weights.json")), Programs.legacy());
        }
    },

    /** The JSON of a program of torch.export, with its structures and expressions, in an archive that is whole. */
    PROGRAM {
        @Override
        boolean enter(byte[] input) throws Throwable {
            byte[] archive = Programs.archive(input, Seeds.read("weights.json"));
            return Modules.exerciseSource(() -> ModuleSource.of(ByteBuffer.wrap(archive)));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Seeds.read("program.json"), Seeds.read("control.json"));
        }

        @Override
        List<String> words() {
            return Dictionary.program();
        }
    },

    /** The table of a program's weights, in an archive that is whole. */
    WEIGHTS {
        @Override
        boolean enter(byte[] input) throws Throwable {
            byte[] archive = Programs.archive(Seeds.read("program.json"), input);
            return Modules.exerciseSource(() -> ModuleSource.of(ByteBuffer.wrap(archive)));
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Seeds.read("weights.json"));
        }
    },

    /** The serialized NNAPI model of a converted file: its words, then its weights. */
    MODEL {
        @Override
        boolean enter(byte[] input) throws Throwable {
            return Models.exercise(input);
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return Models.seeds();
        }
    },

    /** The files that a device kept in the compilation cache. */
    CACHE {
        @Override
        boolean enter(byte[] input) {
            return Models.exerciseCache(input);
        }

        @Override
        List<byte[]> seeds() {
            return Models.cacheSeeds();
        }
    },

    /** NumPy's arrays. */
    NPY {
        @Override
        boolean enter(byte[] input) throws Throwable {
            try {
                Npy.read(Seeds.file(input, ".npy"));
                return true;
            } catch (IllegalArgumentException refused) {
                return false;
            }
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return List.of(Seeds.npy());
        }
    },

    /** Pictures. */
    IMAGE {
        @Override
        boolean enter(byte[] input) throws Throwable {
            try {
                new Images(ImagePreprocessing.imageNet(8, 8), true).load(Seeds.file(input, ".png"));
                return true;
            } catch (CommandFailure refused) {
                return false;
            }
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return Seeds.images();
        }
    },

    /** Descriptions of devices. */
    PROFILE {
        @Override
        boolean enter(byte[] input) throws Throwable {
            DeviceProfile profile;
            try {
                profile = DeviceProfile.parse(new String(input, StandardCharsets.UTF_8));
            } catch (NnapiException refused) {
                return false;
            }
            Models.place(profile);
            return true;
        }

        @Override
        List<byte[]> seeds() throws IOException {
            return Seeds.profiles();
        }
    };

    /**
     * Takes what comes in, or refuses it. @return whether it was sound as far as the door looks @throws Throwable what
     * is a finding
     */
    abstract boolean enter(byte[] input) throws Throwable;

    /** Sound inputs to begin with. */
    abstract List<byte[]> seeds() throws IOException;

    /**
     * Takes the seeds, so that the time of the first input, which is limited, is not that of loading and instrumenting
     * most classes.
     */
    final void prepare() throws Throwable {
        InputTimeLimit.warmUp(() -> {
            for (byte[] seed : seeds()) {
                enter(seed);
            }
        });
    }

    /**
     * Words that inputs are likely to hold, for mutations that flipping of bits finds only by chance; in the form of
     * libFuzzer's dictionaries.
     */
    List<String> words() throws IOException {
        return List.of();
    }

    /** @throws IllegalArgumentException if there is no such door */
    static Door of(String name) {
        return Arrays.stream(values())
                .filter(door -> door.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("door: " + name + " (expected: one of "
                        + Arrays.toString(values()).toLowerCase(Locale.ROOT) + ")"));
    }

    /** {@code FOLDER}: writes the seeds of each door into a folder seeds in one of its name. */
    public static void main(String[] args) throws IOException {
        for (Door door : values()) {
            Path folder = Files.createDirectories(Path.of(args[0], door.name().toLowerCase(Locale.ROOT), "seeds"));
            List<byte[]> seeds = door.seeds();
            for (int i = 0; i < seeds.size(); i++) {
                Files.write(folder.resolve("seed-" + i), seeds.get(i));
            }
            if (!door.words().isEmpty()) {
                Files.write(folder.resolveSibling("dictionary"), Dictionary.lines(door.words()));
            }
        }
    }

    /** The bytes of a buffer. */
    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
