package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** The conversion part of a case: converts its model as PyTorch's converter was asked to, and runs the result. */
final class NnapiCase {
    private static final String REJECTED = "-rejected";

    private final TorchCase test;
    private final ScriptRuntime runtime;

    NnapiCase(TorchCase test, ScriptRuntime runtime) {
        this.test = test;
        this.runtime = runtime;
    }

    JsonNode description() {
        return test.nnapi();
    }

    /** Whether a conversion was tried at all, on a file that is there. */
    boolean exists() {
        return description().has("accepted") && Files.exists(source());
    }

    private Path source() {
        return test.file(description()
                .path("source")
                .asText(test.description().path("model").asText()));
    }

    /** Whether PyTorch refuses to convert the model by its rules. */
    boolean isRejected() {
        return test.name().endsWith(REJECTED);
    }

    /** Whether PyTorch converts the model, and rightly. */
    boolean isRight() {
        return description().path("accepted").asBoolean()
                && description().path("agrees").asBoolean();
    }

    Conversion convert() throws IOException {
        JsonNode nnapi = description();
        ScriptModule module = ScriptModule.load(source(), runtime);
        List<InputSpec> specs = new ArrayList<>();
        nnapi.path("inputs").forEach(input -> specs.add(spec(input)));
        return Converter.convert(
                module, ConversionOptions.defaults().withInputs(specs).withSelfCheck(false), runtime);
    }

    /**
     * Runs a converted module on the NNAPI runtime over the case's runs.
     *
     * @return what is wrong, or null
     */
    String run(Conversion conversion) {
        byte[] file = conversion.toBytes();
        JsonNode tolerance =
                isRight() ? description().path("tolerance") : test.description().path("tolerance");
        ResultComparison comparison = ResultComparison.of(tolerance);
        for (JsonNode run : runs()) {
            if (run.has("raises") || run.has("kwargs") || run.has("method") || !isRight() && !isOfSizes(run)) {
                continue;
            }
            ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(file), runtime);
            Object output = converted.call("forward", inputs(run).toArray());
            String wrong = comparison.compare(
                    run.path("output"), widened(run.path("output"), output), test.folder(), "output");
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** Whether a run's tensors have the sizes of the conversion, and elements. */
    boolean isOfSizes(JsonNode run) {
        JsonNode wanted = description().path("inputs");
        for (int i = 0; i < wanted.size() && i < run.path("inputs").size(); i++) {
            int[] open = CaseValues.ints(wanted.get(i).path("shape"));
            int[] sizes = CaseValues.ints(run.path("inputs").get(i).path("shape"));
            for (int d = 0; d < Math.min(open.length, sizes.length); d++) {
                if (sizes[d] == 0 || open[d] > 0 && open[d] != sizes[d]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** NNAPI has no float64: where PyTorch computed one, the converted model's float32 is compared with it. */
    private static Object widened(JsonNode expected, Object actual) {
        if (!expected.path("dtype").asText().equals(DType.FLOAT64.torchName())
                || !(actual instanceof Tensor tensor)
                || tensor.dtype() != DType.FLOAT32) {
            return actual;
        }
        float[] from = tensor.toFloatArray();
        double[] to = new double[from.length];
        for (int i = 0; i < to.length; i++) {
            to[i] = from[i];
        }
        return Tensor.of(DType.FLOAT64, to, tensor.sizes());
    }

    /** The runs that the converted module is compared on. */
    List<JsonNode> runs() {
        if (description().has("source_run")) {
            return List.of(description().path("source_run"));
        }
        List<JsonNode> runs = new ArrayList<>();
        test.runs().forEach(runs::add);
        return runs;
    }

    List<Object> inputs(JsonNode run) {
        List<Object> inputs = new ArrayList<>();
        run.path("inputs").forEach(input -> inputs.add(CaseValues.value(input, test.folder(), null)));
        return inputs;
    }

    private static InputSpec spec(JsonNode input) {
        boolean nhwc = input.path("nnapi_nhwc").asBoolean();
        int[] shape = CaseValues.ints(input.path("shape"));
        DType dtype = DType.ofName(input.path("dtype").asText());
        Quantization.PerTensor q =
                CaseValues.quantization(input.path("quant")) instanceof Quantization.PerTensor p ? p : null;
        return new InputSpec(dtype, shape, nhwc, q == null ? 0 : q.scale(), q == null ? 0 : q.zeroPoint());
    }
}
