package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Operators of 8-bit tensors; 13 is the code of quint8. */
class QuantizedTest {
    private static final Tensor X = random(1, 4, 6, 5);
    private static final String BYTES = "q = torch.quantize_per_tensor(x, 0.029999999999999999, 120, 13)";
    /** As convolutions leave them: the channels lie next to each other. */
    private static final String CHANNELS_LAST =
            "q = torch.quantize_per_tensor(torch.contiguous(x, memory_format=2), 0.029999999999999999, 120, 13)";

    private static List<String> converted(String first, String... rest) {
        List<String> body = new ArrayList<>(List.of(first));
        body.addAll(Arrays.asList(rest).subList(0, rest.length - 1));
        body.add("torch.dequantize(" + rest[rest.length - 1] + ")");
        return whole(X, List.of(), body.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ops.quantized.relu6(q)",
                "ops.quantized.clamp(q, -0.5, 0.90000000000000002)",
                "ops.quantized.clamp(q, None, 0.5)",
                "ops.quantized.threshold(q, 0.10000000000000001, 0.)",
                "ops.quantized.cat_relu([q, q], 1, 0.041000000000000002, 10)",
                "ops.quantized.mul_relu(q, q, 0.050000000000000003, 3)",
                "ops.quantized.sigmoid(q, 0.00390625, 0)",
                "ops.quantized.dropout(q, 0.5, 0, 0.5, False)",
                "ops.quantized.celu(q, 0.050000000000000003, 60, 1)",
                "torch.gelu(q)",
                "torch.threshold(q, 0.10000000000000001, 0.)"
            })
    void functionsOfBytes(String function) {
        converted(BYTES, function);
    }

    /** NNAPI's own product asks for a scale above that of the product; one of less than twice as much is scaled. */
    @ParameterizedTest
    @CsvSource({
        "mul, 0.00050000000000000001, true",
        "mul, 0.00021000000000000001, false",
        "mul, 0.050000000000000003, true",
        "mul_relu, 0.00050000000000000001, true",
        "mul_relu, 0.00021000000000000001, false"
    })
    void productsOfAnyScale(String product, String scale, boolean ofBytes) {
        List<String> operations = converted(BYTES, "ops.quantized." + product + "(q, q, " + scale + ", 3)");
        List<String> ofReals = List.of("QUANTIZE", "DEQUANTIZE");
        assertTrue(
                ofBytes == !operations.subList(0, operations.size() - 1).containsAll(ofReals), operations.toString());
    }

    /**
     * Limits of channels-last bytes move elements, as PyTorch's do: what is computed is compared with an interpreter
     * that has them so.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ops.quantized.relu6(q)",
                "ops.quantized.relu6(q, True)",
                "torch.hardtanh(q, -0.5, 0.5)",
                "torch.hardtanh(q, 0., 6.)",
                "torch.clamp(q, -0.5, 0.5)",
                "ops.quantized.clamp(q, -0.5, 0.5)",
                "torch.clamp(q, 0.20000000000000001, None)"
            })
    void limitsOfChannelsLast(String function) {
        converted(CHANNELS_LAST, function);
    }

    @Test
    void limitsMoveElementsOnceOnly() {
        converted(CHANNELS_LAST, "a = ops.quantized.relu6(q)", "torch.hardtanh(a, 0., 1.)");
    }

    /** What is written in place is read so by all who come after. */
    @Test
    void limitsInPlaceOfWhatIsReadElsewhereAreRight() {
        ScriptModule module = FreeUnderTest.module(
                List.of(random(8, 4, 3, 3)),
                "Tensor",
                "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])",
                "q = torch.quantize_per_tensor(y, 0.10000000000000001, 120, 13)",
                "r = ops.quantized.relu6(q, True)",
                "torch.add(torch.dequantize(r), torch.dequantize(q))");
        Conversion conversion = FreeUnderTest.convert(module, X);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(module, conversion, X);
    }

    /** Numbers of other scales are compared by what they stand for. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch.gt(q, 0.10000000000000001)",
                "torch.lt(q, torch.quantize_per_tensor(torch.neg(x), 0.050000000000000003, 100, 13))",
                "torch.ge(q, torch.flip(q, [3]))",
                "torch.eq(q, torch.max(q))"
            })
    void comparisons(String comparison) {
        whole(X, List.of(), BYTES, comparison);
    }

    @ParameterizedTest
    @CsvSource({"'[1, 2]', AVERAGE_POOL_2D", "'[2, 3]', MEAN", "[3], MEAN"})
    void meansAreRounded(String dimensions, String operation) {
        // Sums of 24, 30 and 5 numbers have no ties.
        List<String> operations = converted(CHANNELS_LAST, "torch.mean(q, " + dimensions + ")");
        assertTrue(operations.contains(operation), operations.toString());
    }

    @Test
    void spreadOfBytes() {
        converted(BYTES, "torch.std(q, [2, 3], True, True)");
    }

    /** The slopes' scale has no 1: what is positive is multiplied by the nearest to it. */
    @Test
    void slopesBelowOne() {
        List<String> operations = converted(
                BYTES,
                "w = torch.quantize_per_tensor(torch.mul(torch.ones([4]), 0.25), 0.00098039215686274508, 0, 13)",
                "ops.quantized.prelu(q, w, 0.0041000000000000003, 100)");
        assertFalse(operations.isEmpty());
    }

    /** Bytes whose scale is another one in each run stand for the real numbers that they are rounded to. */
    @ParameterizedTest
    @ValueSource(strings = {"13, False", "12, False", "13, True"})
    void scalesThatAreChosenInEachRun(String form) {
        String[] body = {
            "q = torch.quantize_per_tensor_dynamic(torch.mul(x, torch.sum(x)), " + form + ")",
            "torch.relu(torch.dequantize(q))"
        };
        whole(X, List.of(), body);
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", body);
        Conversion conversion = FreeUnderTest.convert(original, X);
        float[] other = X.toFloatArray().clone();
        for (int i = 0; i < other.length; i++) {
            other[i] = i % 3 == 0 ? 0 : Math.abs(other[i]) * 7;
        }
        FreeUnderTest.compare(original, conversion, Tensor.of(other, X.sizes()));
        FreeUnderTest.compare(original, conversion, Tensor.zeros(DType.FLOAT32, X.sizes()));
    }

    /** Divided by their quantum these are half way between two quanta; times its inverse, as PyTorch has it, not. */
    @Test
    void aQuantumsInverseDecidesWhatIsRounded() {
        float[] ties = {5.094573f, 0.5494147f, 0.62932956f, 2.147712f, 2.4673715f, 4.1655626f, 4.3453708f, 0};
        String[] body = {"q = torch.quantize_per_tensor_dynamic(x, 13, False)", "torch.relu(torch.dequantize(q))"};
        Tensor x = Tensor.of(ties, 8);
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", body);
        FreeUnderTest.compare(original, FreeUnderTest.convert(original, x), x);
    }
}
