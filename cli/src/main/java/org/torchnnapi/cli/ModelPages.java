package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.page.ModelPage;
import org.torchnnapi.tensor.platform.Strings;

/** Pages about a model for the commands that write them. */
final class ModelPages {
    private ModelPages() {}

    /**
     * Writes one of a model that is run on inputs; of one that is not converted, with what stands against converting
     * it.
     */
    static void explain(Path file, LoadedModel model, List<Object> inputs, Path html) throws IOException {
        page(file, model, inputs).write(html);
    }

    /** Writes one of a model's steps and what they took. */
    static void profile(
            Path file,
            LoadedModel model,
            String method,
            List<Object> inputs,
            List<ProfiledStep> steps,
            int iterations,
            Path html)
            throws IOException {
        ModelPage.of(file.getFileName().toString(), model, method, inputs)
                .profile(steps, iterations)
                .write(html);
    }

    private static ModelPage page(Path file, LoadedModel model, List<Object> inputs) throws IOException {
        ModelPage page = ModelPage.of(file.getFileName().toString(), model, "forward", inputs)
                .note("File", file.getFileName() + ", " + Files.size(file) + " bytes");
        if (!model.nnapiParts().isEmpty()) {
            return page;
        }
        if (inputs.isEmpty()) {
            return page.note("Conversion", "not tried: the model has no inputs");
        }
        ScriptRuntime runtime = Runtimes.standard();
        Conversion conversion;
        try {
            conversion = Converter.convert(
                    ModelFile.read(file, runtime).eval(),
                    ConversionOptions.defaults().withExample(inputs).withSelfCheck(false),
                    runtime);
        } catch (IllegalArgumentException e) {
            return page.note("Conversion", "not tried: " + e.getMessage());
        }
        String coverage = conversion.succeeded()
                ? "would make " + Strings.counted(conversion.report().coverage().segments(), "NNAPI segment") + " of "
                        + conversion.report().coverage().operators() + " of the "
                        + conversion.report().coverage().allOperators() + " operators"
                : "would be refused";
        return page.note(
                        "Conversion",
                        coverage + ", for inputs of these shapes; "
                                + Strings.counted(conversion.refusals().size(), "refusal"))
                .refusals(conversion.refusals(), conversion.succeeded());
    }
}
