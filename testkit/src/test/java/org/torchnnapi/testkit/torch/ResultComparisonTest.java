package org.torchnnapi.testkit.torch;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class ResultComparisonTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ResultComparison EXACT = new ResultComparison(0, 0, 0, 0);

    private static String compare(ResultComparison comparison, String expected, Object actual, Path folder)
            throws IOException {
        return comparison.compare(JSON.readTree(expected), actual, folder, "out");
    }

    @Test
    void scalarsAndContainers(@TempDir Path folder) throws IOException {
        assertNull(compare(EXACT, "{\"kind\":\"int\",\"value\":3}", 3L, folder));
        assertNotNull(compare(EXACT, "{\"kind\":\"int\",\"value\":3}", 3.0, folder));
        assertNull(compare(EXACT, "{\"kind\":\"float\",\"value\":\"nan\"}", Double.NaN, folder));
        assertNull(compare(EXACT, "{\"kind\":\"none\"}", null, folder));
        assertNotNull(compare(EXACT, "{\"kind\":\"none\"}", 1L, folder));
        String tuple =
                "{\"kind\":\"tuple\",\"items\":[{\"kind\":\"str\",\"value\":\"a\"},{\"kind\":\"bool\",\"value\":true}"
                        + "]}";
        assertNull(compare(EXACT, tuple, ScriptTuple.of("a", true), folder));
        assertNotNull(compare(EXACT, tuple, ScriptTuple.of("a"), folder));
        assertNotNull(compare(EXACT, tuple, new ScriptList(Type.Basic.ANY, List.of("a", true)), folder));
    }

    @Test
    void tensorsWithinTheirTolerance() {
        Tensor expected = Tensor.of(new float[] {1, Float.NaN, Float.POSITIVE_INFINITY}, 3);
        assertNull(EXACT.tensors(expected, Tensor.of(new float[] {1, Float.NaN, Float.POSITIVE_INFINITY}, 3), "out"));
        assertNotNull(EXACT.tensors(
                expected, Tensor.of(new float[] {1.01f, Float.NaN, Float.POSITIVE_INFINITY}, 3), "out"));
        assertNull(new ResultComparison(0.1, 0, 0, 0)
                .tensors(expected, Tensor.of(new float[] {1.01f, Float.NaN, Float.POSITIVE_INFINITY}, 3), "out"));
        assertNotNull(new ResultComparison(0.1, 0.1, 0, 0)
                .tensors(expected, Tensor.of(new float[] {1, 0, Float.MAX_VALUE}, 3), "out"));
        assertNotNull(EXACT.tensors(expected, Tensor.of(new float[] {1}, 1), "out"));
        assertNotNull(EXACT.tensors(Tensor.of(new long[] {1}, 1), Tensor.of(new int[] {1}, 1), "out"));
    }

    @Test
    void quantizedTensorsMayDifferInFewSteps() {
        Quantization q = new Quantization.PerTensor(0.5, 1);
        Tensor expected = Tensor.of(DType.QUINT8, new byte[] {1, 2, 3, 4}, 4).withQuantization(q);
        Tensor one = Tensor.of(DType.QUINT8, new byte[] {1, 2, 3, 5}, 4).withQuantization(q);
        assertNotNull(EXACT.tensors(expected, one, "out"));
        assertNull(new ResultComparison(0, 0, 1, 0.25).tensors(expected, one, "out"));
        assertNotNull(new ResultComparison(0, 0, 1, 0.2).tensors(expected, one, "out"));
        assertNotNull(EXACT.tensors(expected, expected.withQuantization(new Quantization.PerTensor(0.25, 1)), "out"));
    }

    @Test
    void typesMayHaveToleranceOfTheirOwn() {
        ResultComparison coarse = new ResultComparison(0, 0.001, 0, 0, Map.of("float64", 0.1));
        assertNull(coarse.tensors(doubles(1), doubles(1.05), "out"));
        assertNotNull(coarse.tensors(Tensor.of(new float[] {1}, 1), Tensor.of(new float[] {1.05f}, 1), "out"));
    }

    private static Tensor doubles(double... values) {
        return Tensor.of(DType.FLOAT64, values, values.length);
    }
}
