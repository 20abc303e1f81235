package org.torchnnapi.exported.lowering;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;

/** Arguments by their kinds. */
class ArgumentWriterTest {
    private static String text(String name, Type type, Object value) {
        return JsonText.text(ArgumentWriter.of(FunctionSchema.Argument.of(name, type), value));
    }

    @Test
    void namesTellTypesAndFormatsFromNumbers() {
        assertEquals("{\"as_scalar_type\":7}", text("dtype", Type.optional(Type.Basic.INT), 6L));
        assertEquals("{\"as_memory_format\":2}", text("memory_format", Type.Basic.INT, 2L));
        assertEquals("{\"as_layout\":7}", text("layout", Type.Basic.INT, 0L));
        assertEquals("{\"as_int\":6}", text("dim", Type.Basic.INT, 6L));
        assertEquals("{\"as_int\":6}", text("dtype", Type.Basic.NUMBER, 6L));
    }

    @Test
    void listsHaveTheirElementsKind() {
        assertEquals("{\"as_ints\":[]}", text("size", Type.list(Type.Basic.INT), List.of()));
        assertEquals(
                "{\"as_floats\":[1.0,\"Infinity\"]}",
                text("scale", Type.list(Type.Basic.FLOAT), Arrays.asList(1L, Double.POSITIVE_INFINITY)));
        assertEquals("{\"as_bools\":[true]}", text("mask", Type.list(Type.Basic.BOOL), List.of(true)));
        GraphTensor tensor = GraphTensor.of(GraphTensor.Origin.RESULT, "", Tensor.of(new float[] {1}, 1));
        tensor.name("y");
        Type optional = Type.list(Type.optional(Type.Basic.TENSOR));
        assertEquals("{\"as_tensors\":[{\"name\":\"y\"}]}", text("indices", optional, List.of(tensor)));
        assertEquals(
                "{\"as_optional_tensors\":[{\"as_none\":true},{\"as_tensor\":{\"name\":\"y\"}}]}",
                text("indices", optional, Arrays.asList(null, tensor)));
    }

    @Test
    void whatJsonLacksIsText() {
        assertEquals("{\"as_float\":\"NaN\"}", text("eps", Type.Basic.FLOAT, Double.NaN));
        assertEquals("{\"as_float\":\"-Infinity\"}", text("min", Type.Basic.NUMBER, Double.NEGATIVE_INFINITY));
        assertEquals("{\"as_none\":true}", text("bias", Type.optional(Type.Basic.TENSOR), null));
    }
}
