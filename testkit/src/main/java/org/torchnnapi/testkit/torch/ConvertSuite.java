package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.platform.Strings;

/**
 * Judges conversions by what their callers see. Where PyTorch's converter is right, NNAPI computes all of the model in
 * one part, which takes as N, H, W, C what is given so, and its results have the case's types, shapes, scales and
 * values. Where it refuses or is wrong, a refusal is skipped and a conversion must run right. Cases named
 * {@code -rejected} PyTorch refuses: a refusal passes, and so does a conversion that runs right. How many serialized
 * models and numbers of operations are PyTorch's is a figure.
 */
final class ConvertSuite implements TorchSuite {
    private final ScriptRuntime runtime;
    private final Path conversions;
    private int equal;
    private int compared;
    private int shorter;
    private int longer;

    /** @param conversions folder that receives the converted files, or null */
    ConvertSuite(ScriptRuntime runtime, Path conversions) {
        this.runtime = runtime;
        this.conversions = conversions;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        NnapiCase nnapi = new NnapiCase(test, runtime);
        if (!nnapi.exists()) {
            return Outcome.skipped("no conversion");
        }
        Conversion conversion = nnapi.convert();
        if (!conversion.succeeded()) {
            return nnapi.isRejected()
                    ? Outcome.passed()
                    : nnapi.isRight()
                            ? Outcome.failed(conversion.report().text())
                            : Outcome.skipped(conversion.report().text());
        }
        if (conversions != null) {
            conversion.write(conversions.resolve(test.name() + ".pt"));
        }
        if (!nnapi.isRight() && nnapi.runs().stream().noneMatch(nnapi::isOfSizes)) {
            return Outcome.skipped(
                    "no run has the sizes that the case says, or NNAPI's tensors have: at least one element");
        }
        String wrong = nnapi.isRight() ? boundary(test, nnapi.description(), conversion) : null;
        wrong = wrong == null ? nnapi.run(conversion) : wrong;
        return wrong == null ? Outcome.passed() : Outcome.failed(wrong);
    }

    @Override
    public String figures() {
        return compared + " of PyTorch's own conversions: " + equal + " serialized models equal by bytes, "
                + Strings.counted(shorter, "model") + " of fewer operations, " + longer + " of more";
    }

    /** What is wrong with a model's parts and how they take their inputs, or null. */
    private String boundary(TorchCase test, JsonNode expected, Conversion conversion) throws IOException {
        if (conversion.models().size() != 1) {
            return conversion.models().size() + " parts on NNAPI (expected: one, which is all of the model)";
        }
        LoweredModel model = conversion.model();
        compared++;
        equal += Arrays.equals(words(test, expected.path("ser_model").asText()), conversion.serialized()) ? 1 : 0;
        int more =
                model.model().operations().size() - expected.path("operations").size();
        shorter += more < 0 ? 1 : 0;
        longer += more > 0 ? 1 : 0;
        int inputs = expected.path("inputs").size();
        for (int i = 0; i < Math.min(inputs, model.inputLayouts().size()); i++) {
            if (expected.path("inputs").get(i).path("nnapi_nhwc").asBoolean()
                    && model.inputLayouts().get(i) != OperandLayout.CHANNELS_LAST) {
                return "input " + i + " is put in another order (expected: taken as N, H, W, C, as it is given)";
            }
        }
        return null;
    }

    private static int[] words(TorchCase test, String file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(test.file(file))).order(ByteOrder.LITTLE_ENDIAN);
        int[] words = new int[bytes.remaining() / Integer.BYTES];
        bytes.asIntBuffer().get(words);
        return words;
    }
}
