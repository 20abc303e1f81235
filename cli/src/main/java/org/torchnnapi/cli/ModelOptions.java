package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.Images;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A model, what of it is called with what, and where it runs. */
final class ModelOptions {
    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2, .pt or .ptl file.")
    private Path file;

    @Mixin
    private InputOptions inputOptions;

    @Mixin
    private DeviceOptions deviceOptions;

    @Option(names = "--method", defaultValue = "forward", description = "Method to call. Default: ${DEFAULT-VALUE}.")
    private String method;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads to compute with. Default: one for each fast core.")
    private Integer threads;

    @Option(
            names = "--cpus",
            paramLabel = "LIST",
            description = "Processors to compute on, such as 4-7. Linux and Android.")
    private String cpus;

    /** Loads the model, to be closed by the caller, after setting the threads, and processors, of the whole process. */
    LoadedModel load() throws IOException {
        return load(options -> options);
    }

    /** As {@link #load()}, with changed options of the engine. */
    LoadedModel load(UnaryOperator<EngineOptions> change) throws IOException {
        if (cpus != null) {
            CpuThreads.keepTo(cpus);
        }
        if (threads != null) {
            CpuThreads.set(threads);
        }
        return ModelFile.load(file, change.apply(deviceOptions.engine()));
    }

    /** Writes a page about the model's steps on inputs. */
    void writeProfile(LoadedModel model, List<Object> inputs, List<ProfiledStep> steps, int iterations, Path html)
            throws IOException {
        ModelPages.profile(file, model, method, inputs, steps, iterations, html);
    }

    /** @throws CommandFailure if a number of rows to show was given and there is no such number */
    static void requireTop(Integer top) {
        if (top != null && top < 1) {
            throw new CommandFailure("top: " + top + " (expected: >= 1)");
        }
    }

    /** @throws CommandFailure if nothing says what the inputs are */
    List<Object> inputs(LoadedModel model) throws IOException {
        return inputOptions.read(file, model, method);
    }

    /** The folder of pictures that is the only input, or null. */
    Path folder() {
        return inputOptions.folder();
    }

    /** Reads pictures as the options, or else the model's file, say. */
    Images images(LoadedModel model) throws IOException {
        return inputOptions.images(model);
    }

    /** What is checked so that no output replaces the model or its inputs. */
    OutputFiles outputs() throws IOException {
        return new OutputFiles(file).reading(inputOptions.files());
    }

    Object call(LoadedModel model, List<Object> inputs) {
        return model.call(method, inputs.toArray());
    }
}
