package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;

class DerivedFormsTest {
    private static final OperatorRegistry ALL = OperatorRegistry.withBuiltins();

    private static Operator form(String kind, String overload) {
        return DerivedForms.of(kind, ALL::overloads).stream()
                .filter(o -> o.schema().overload().equals(overload))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anOutFormWritesIntoTheTensorItIsGiven() {
        Tensor out = Tensor.of(new float[3], 3);
        Operator add = form("aten::add", "Tensor_out");
        Object result = add.kernel().call(new Object[] {
            Tensor.of(new float[] {1, 2, 3}, 3), Tensor.of(new float[] {10, 20, 30}, 3), 1L, out
        });
        assertSame(out, result);
        assertArrayEquals(new float[] {11, 22, 33}, out.toFloatArray());
        FunctionSchema.Argument last = add.schema().arguments().get(3);
        assertEquals("out", last.name());
        assertTrue(last.keywordOnly() && last.mutated());
    }

    @Test
    void anOutTensorOfOtherSizesTakesTheResults() {
        Tensor values = Tensor.of(new float[0], 0);
        Tensor indices = Tensor.zeros(DType.INT64, 7);
        form("aten::sort", "out").kernel().call(new Object[] {
            Tensor.of(new float[] {3, 1, 2}, 3), -1L, false, values, indices
        });
        assertArrayEquals(new float[] {1, 2, 3}, values.toFloatArray());
        assertArrayEquals(new long[] {1, 2, 0}, indices.toLongArray());
    }

    @Test
    void namesOfPyTorchFindTheirForm() {
        List<List<String>> names = List.of(
                List.of("aten::add", "out", "Tensor_out"),
                List.of("aten::sum", "IntList_out", "dim_IntList_out"),
                List.of("aten::mean", "out", "dim_out"),
                List.of("aten::sort", "values", "out"),
                List.of("aten::sort", "values_stable", "stable_out"),
                List.of("aten::div", "out_mode", "Tensor_mode_out"),
                List.of("aten::max", "dim_max", "dim_out"),
                List.of("aten::topk", "values", "out"),
                List.of("aten::xlogy", "OutTensor", "Tensor_out"),
                List.of("aten::pow", "Tensor_Scalar_out", "Tensor_Scalar_out"),
                List.of("aten::linalg_svd", "U", "out"),
                List.of("aten::exp", "out", "out"));
        for (List<String> name : names) {
            FunctionSchema found = ALL.derived(name.get(0), name.get(1), -1);
            assertEquals(name.get(2), found == null ? null : found.overload(), name.toString());
        }
        assertNull(ALL.derived("aten::exp", "nonsense", -1));
        assertNull(ALL.derived("aten::size", "out", -1));
        assertEquals(
                "out", ALL.derived("aten::nuclear_norm", "out", 2).overload(), "the form for dimensions needs more");
    }

    /** As torch.can_cast says. */
    @Test
    void resultsByElementsAreWrittenWhereTheirKindOfNumberFits() {
        Operator add = form("aten::add", "Tensor_out");
        Tensor t = Tensor.of(new float[] {1.5f, 2}, 2);
        Tensor wide = Tensor.zeros(DType.FLOAT64, 2);
        add.kernel().call(new Object[] {t, t, 1L, wide});
        assertEquals(3, wide.getDouble(0));
        String told = assertThrows(
                        IllegalArgumentException.class,
                        () -> add.kernel().call(new Object[] {t, t, 1L, Tensor.zeros(DType.INT64, 2)}))
                .getMessage();
        assertEquals("result type Float can't be cast to the desired output type Long", told);
        assertThrows(
                IllegalArgumentException.class,
                () -> form("aten::mul", "Tensor_out").kernel().call(new Object[] {t, t, Tensor.zeros(DType.BOOL, 2)}));
    }

    @Test
    void anInPlaceFormKeepsTheTensorsType() {
        Operator form = ALL.find("aten::special_entr_");
        Tensor t = Tensor.of(new float[] {1, 0.5f}, 2);
        assertSame(t, form.kernel().call(new Object[] {t}));
        assertEquals(0.34657359, t.getDouble(1), 1e-6);
        Tensor whole = Tensor.of(new long[] {1, 2}, 2);
        assertThrows(IllegalArgumentException.class, () -> form.kernel().call(new Object[] {whole}));
        assertTrue(form.schema().isMutating());
    }
}
