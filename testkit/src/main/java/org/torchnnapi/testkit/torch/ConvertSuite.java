package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Compares conversions with PyTorch's. Where PyTorch is right, ours must be the same: serialized model, memory formats,
 * weights, and the effect of the shape code. Where it refuses or is wrong, a refusal is skipped and a conversion must
 * run right. Cases named {@code -rejected} PyTorch refuses: a refusal passes, and so does a conversion that runs right.
 */
final class ConvertSuite implements TorchSuite {
    private final ScriptRuntime runtime;
    private final Path conversions;

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
        String wrong = nnapi.isRight() ? compare(test, nnapi, conversion) : nnapi.run(conversion);
        return wrong == null ? Outcome.passed() : Outcome.failed(wrong);
    }

    private String compare(TorchCase test, NnapiCase nnapi, Conversion conversion) throws IOException {
        if (!conversion.isLikePyTorch()) {
            return "converted in another way than PyTorch does (expected: its bytes)";
        }
        JsonNode expected = nnapi.description();
        int[] words = conversion.serialized().words();
        String wrong = words(words(test, expected.path("ser_model").asText()), words, "serialized model");
        if (wrong == null) {
            wrong = formats(expected.path("inp_mem_fmts"), conversion.model().inputLayouts(), "inp_mem_fmts");
        }
        if (wrong == null) {
            wrong = formats(expected.path("out_mem_fmts"), conversion.model().outputLayouts(), "out_mem_fmts");
        }
        if (wrong == null) {
            wrong = weights(
                    expected.path("used_weights"), conversion.model().model().weights());
        }
        return wrong == null ? shapeCode(test, nnapi, conversion) : wrong;
    }

    private static String words(int[] expected, int[] actual, String what) {
        int at = Arrays.mismatch(expected, actual);
        return at < 0
                ? null
                : what + ": expected " + expected.length + " words, actual " + actual.length
                        + ", first difference at word " + at + ": expected "
                        + (at < expected.length ? expected[at] : "none") + ", actual "
                        + (at < actual.length ? actual[at] : "none");
    }

    private static String formats(JsonNode expected, List<OperandLayout> actual, String what) {
        int[] codes = actual.stream().mapToInt(OperandLayout::code).toArray();
        return Arrays.equals(CaseValues.ints(expected), codes)
                ? null
                : what + ": expected " + expected + ", actual " + Arrays.toString(codes);
    }

    private static String weights(JsonNode expected, List<Tensor> actual) {
        if (expected.size() != actual.size()) {
            return "weights: expected " + expected.size() + ", actual " + actual.size();
        }
        for (int i = 0; i < actual.size(); i++) {
            JsonNode want = expected.get(i);
            Tensor got = actual.get(i);
            boolean same = want.path("dtype").asText().equals(got.dtype().torchName())
                    && Arrays.equals(CaseValues.ints(want.path("shape")), got.sizes())
                    && want.path("sha256").asText().equals(digest(got));
            if (!same) {
                return "weight " + i + ": expected " + want.path("dtype").asText() + want.path("shape") + " "
                        + want.path("sha256").asText() + ", actual " + got + " " + digest(got);
            }
            String wrong = quantization(want, got, "weight " + i);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private static String quantization(JsonNode expected, Tensor actual, String what) {
        return Objects.equals(CaseValues.quantization(expected.path("quant")), actual.quantization())
                ? null
                : what + ": expected " + expected.path("quant") + ", actual " + actual.quantization();
    }

    /**
     * Runs {@code prepare} of the converted module: what it makes of the serialized model, and the output templates.
     */
    private String shapeCode(TorchCase test, NnapiCase nnapi, Conversion conversion) throws IOException {
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), runtime);
        ScriptObject module = (ScriptObject) converted.object().get("mod");
        ScriptObject shapes = (ScriptObject) module.get("shape_compute_module");
        List<JsonNode> runs = nnapi.runs();
        for (int i = 0; i < nnapi.description().path("prepared").size(); i++) {
            JsonNode prepared = nnapi.description().path("prepared").get(i);
            Tensor model = ((Tensor) module.get("ser_model")).copy(MemoryFormat.CONTIGUOUS);
            ScriptList arguments = new ScriptList(Type.Basic.TENSOR, nnapi.inputs(runs.get(i)));
            Object templates = converted
                    .interpreter()
                    .run(shapes.type().method("prepare"), List.of(shapes, model, arguments), Map.of());
            String file = prepared.has("ser_model")
                    ? prepared.path("ser_model").asText()
                    : nnapi.description().path("ser_model").asText();
            String wrong = words(words(test, file), model.storage().intArray(), "prepared model of run " + i);
            if (wrong == null) {
                wrong = templates(prepared.path("templates"), ((ScriptList) templates).items());
            }
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private static String templates(JsonNode expected, List<Object> actual) {
        if (expected.size() != actual.size()) {
            return "templates: expected " + expected.size() + ", actual " + actual.size();
        }
        for (int i = 0; i < actual.size(); i++) {
            JsonNode want = expected.get(i);
            Tensor got = (Tensor) actual.get(i);
            if (DType.ofName(want.path("dtype").asText()) != got.dtype()
                    || !Arrays.equals(CaseValues.ints(want.path("shape")), got.sizes())) {
                return "template " + i + ": expected " + want + ", actual " + got;
            }
            String wrong = quantization(want, got, "template " + i);
            if (wrong != null) {
                return wrong;
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

    /** SHA-256 of the raw little-endian elements in logical order. */
    private static String digest(Tensor tensor) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(tensor.copy(MemoryFormat.CONTIGUOUS).storage().toBytes());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
