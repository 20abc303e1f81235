package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.cli.io.Bundled;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.GivenInputs;
import org.torchnnapi.cli.io.Images;
import org.torchnnapi.cli.io.InputText;
import org.torchnnapi.cli.io.RandomTensors;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.cli.io.StoredShapes;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.torchscript.ir.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What a model is run on: files, its own bundled inputs, or random numbers, of the shapes that stand in a converted
 * file where nothing else says them.
 */
final class InputOptions {
    @Option(
            names = {"-i", "--input"},
            paramLabel = "VALUE",
            description = "An input: a .npy file, a picture, random numbers such as float32[1,3,224,224], "
                    + "a number, True, False, None, \"text\", or lists, tuples and dictionaries of them: "
                    + "[a.npy, b.npy], (x.npy, 3), {\"left\": a.npy} (repeatable, in order).")
    private List<String> values = new ArrayList<>();

    @Mixin
    private ImageOptions imageOptions;

    @Option(names = "--bundled", paramLabel = "N", description = "Use the model's bundled input number N.")
    private Integer bundled;

    @Option(
            names = "--random",
            paramLabel = "SPEC",
            hidden = true,
            description =
                    "An input of random numbers, such as float32[1,3,224,224] or quint8[1,8]@0.05,128 (repeatable).")
    private List<String> random = new ArrayList<>();

    @Option(names = "--seed", defaultValue = "0", description = "Seed of random numbers. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /**
     * The inputs in order. Without any option the first bundled input, if the model has one; else random numbers of the
     * shapes that stand in the file, of which the user is told.
     *
     * @param file the model's
     * @param method the model's that will be called
     * @param others of the same inputs, whose files may have the shapes too
     * @throws CommandFailure if nothing says what the inputs are
     */
    List<Object> read(Path file, LoadedModel model, String method, LoadedModel... others) throws IOException {
        Random numbers = new Random(seed);
        List<Object> inputs = new GivenInputs(values, images(model), numbers).read();
        for (String spec : random) {
            inputs.add(RandomTensors.asked(InputText.parse(spec), numbers));
        }
        if (bundled != null) {
            inputs.addAll(Bundled.inputs(model, method, bundled));
        }
        if (inputs.isEmpty() && Bundled.has(model, method)) {
            inputs.addAll(Bundled.inputs(model, method, 0));
        }
        Function called = model.module().method(method);
        if (inputs.isEmpty() && called != null && called.schema().arguments().size() > 1) {
            List<LoadedModel> all = new ArrayList<>(Arrays.asList(others));
            all.add(0, model);
            StoredShapes.Taken taken = StoredShapes.inputs(all, method, numbers);
            if (taken != null) {
                command.commandLine().getErr().println("inputs: none given, so " + ShownText.of(taken.text()));
                return taken.inputs();
            }
        }
        if (inputs.isEmpty() && called != null && called.schema().arguments().size() > 1) {
            throw new CommandFailure("inputs: none, and none are bundled in " + file
                    + " (expected: --input VALUE, such as x.npy, cat.jpg or float32[1,3,224,224])");
        }
        return inputs;
    }

    /**
     * The inputs of several methods, those of the first one first, as many as each has arguments; or what each has by
     * itself, where none are given.
     *
     * @throws CommandFailure also if there are more or fewer
     */
    List<List<Object>> read(Path file, LoadedModel model, List<String> methods) throws IOException {
        List<List<Object>> all = new ArrayList<>();
        if (methods.size() == 1 || values.isEmpty() && random.isEmpty()) {
            for (String method : methods) {
                all.add(read(file, model, method));
            }
            return all;
        }
        List<Object> left = read(file, model, methods.get(0));
        for (String method : methods) {
            Function called = model.module().method(method);
            int count = called == null ? 0 : called.schema().arguments().size() - 1;
            if (count > left.size()) {
                throw new CommandFailure("inputs: " + left.size() + " left for " + method + " (expected: " + count
                        + ", one for each of its arguments)");
            }
            all.add(new ArrayList<>(left.subList(0, count)));
            left = left.subList(count, left.size());
        }
        if (!left.isEmpty()) {
            throw new CommandFailure("inputs: " + left.size() + " more than " + String.join(", ", methods)
                    + " have arguments (expected: one for each)");
        }
        return all;
    }

    /** The files that inputs are read from. */
    List<Path> files() throws IOException {
        return folder() != null ? List.of() : new GivenInputs(values).files();
    }

    /** The folder that is the only input, or null. */
    Path folder() {
        if (values.size() != 1 || bundled != null || !random.isEmpty()) {
            return null;
        }
        try {
            Path path = Paths.get(values.get(0));
            return Files.isDirectory(path) ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    Images images(LoadedModel model) throws IOException {
        return imageOptions.images(model.module().source().extraFiles());
    }
}
