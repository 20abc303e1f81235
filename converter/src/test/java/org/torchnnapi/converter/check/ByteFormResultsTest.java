package org.torchnnapi.converter.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class ByteFormResultsTest {
    private static final Quantization.PerTensor Q = new Quantization.PerTensor(0.5, 3);

    /** All bytes there are, as real numbers. */
    private static Tensor all() {
        float[] values = new float[256];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i - 3) * 0.5f;
        }
        return Tensor.of(values, 256);
    }

    private static byte[] bytes(ScriptModule module, Set<ByteForm> forms) {
        return SelfCheck.runOriginal(module, "forward", List.of(all()), forms)
                .get(0)
                .storage()
                .byteArray();
    }

    /** The function's own table, and one in which two bytes are one quantum off. */
    private static ByteForm form(ScriptModule module) {
        byte[] exact = bytes(module, Set.of());
        byte[] made = exact.clone();
        made[100]++;
        made[200]++;
        return new ByteForm("a function", "SOME", Q, Q, exact, made);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ops.quantized.hardswish(q, 0.5, 3)",
                "torch.quantize_per_tensor(torch.silu(torch.dequantize(q)), 0.5, 3, 13)",
                "torch.quantize_per_tensor(torch.silu_(torch.dequantize(q)), 0.5, 3, 13)",
                "torch.quantize_per_tensor(torch.mul(torch.dequantize(q), 0.5), 0.5, 3, 13)"
            })
    void aRunHasThePromisedRoundingsAndNoOthers(String function) {
        ScriptModule module =
                FreeUnderTest.module(List.of(), "Tensor", "q = torch.quantize_per_tensor(x, 0.5, 3, 13)", function);
        ByteForm form = form(module);
        assertEquals(2, form.differing());
        assertTrue(form.isClose());
        byte[] rounded = bytes(module, Set.of(form));
        for (int i = 0; i < 256; i++) {
            assertEquals(form.made()[i], rounded[i], "byte " + i);
        }
    }

    /** Another function, another scale, or a function of two tensors has its own results. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ops.quantized.sigmoid(q, 0.5, 3)",
                "ops.quantized.hardswish(q, 0.25, 3)",
                "torch.quantize_per_tensor(torch.mul(torch.dequantize(q), torch.flip(x, [0])), 0.5, 3, 13)"
            })
    void othersStayAsTheyAre(String function) {
        String first = "q = torch.quantize_per_tensor(x, 0.5, 3, 13)";
        ByteForm form = form(FreeUnderTest.module(List.of(), "Tensor", first, "ops.quantized.hardswish(q, 0.5, 3)"));
        ScriptModule module = FreeUnderTest.module(List.of(), "Tensor", first, function);
        assertEquals(List.of(), differing(bytes(module, Set.of()), bytes(module, Set.of(form))));
    }

    private static List<Integer> differing(byte[] a, byte[] b) {
        return IntStream.range(0, a.length).filter(i -> a[i] != b[i]).boxed().toList();
    }

    /** What is not promised is a fault, be it one quantum of one value. */
    @Test
    void anotherRoundingIsFound() {
        ScriptModule module = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "q = torch.quantize_per_tensor(x, 0.5, 3, 13)",
                "torch.dequantize(ops.quantized.hardswish(q, 0.5, 3))");
        ScriptModule bytes = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "q = torch.quantize_per_tensor(x, 0.5, 3, 13)",
                "ops.quantized.hardswish(q, 0.5, 3)");
        List<Tensor> promised = SelfCheck.runOriginal(module, "forward", List.of(all()), Set.of(form(bytes)));
        List<Tensor> other = SelfCheck.runOriginal(module, "forward", List.of(all()));
        assertFalse(SelfCheck.compare(promised, other, SelfCheck.Bound.REAL).agrees());
        assertTrue(SelfCheck.compare(promised, promised, SelfCheck.Bound.REAL).agrees());
    }
}
