package org.torchnnapi.nnapi.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LevelCheckTest {
    private static Model of(OperationType type, OperandDescriptor out, OperandDescriptor... inputs) {
        ModelBuilder builder = new ModelBuilder();
        int[] ids = new int[inputs.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = builder.addOperand(inputs[i]);
        }
        int result = builder.addOperand(out);
        builder.addOperation(type, ids, new int[] {result});
        builder.identifyInputsAndOutputs(ids, new int[] {result});
        return builder.finish();
    }

    private static OperandDescriptor tensor(OperandType type, int... dims) {
        return OperandDescriptor.tensor(type, dims);
    }

    @Test
    void listsEverythingAboveALevel() {
        OperandDescriptor x = tensor(OperandType.TENSOR_FLOAT32, 2, 3);
        Model model = of(OperationType.HARD_SWISH, x, x);
        LevelCheck check = LevelCheck.of(model, FeatureLevel.V1_2);
        assertFalse(check.passes());
        assertEquals(Map.of("HARD_SWISH came with NNAPI 1.3", 1), check.found());
        assertEquals(List.of(0), check.refused());
        assertEquals("1 x HARD_SWISH came with NNAPI 1.3", check.text());
        assertTrue(LevelCheck.of(model, FeatureLevel.V1_3).passes());
        assertTrue(LevelCheck.of(model, FeatureLevel.LEVEL_5).passes());
    }

    @Test
    void namesTypesToo() {
        OperandDescriptor x = tensor(OperandType.TENSOR_FLOAT16, 2, 3);
        LevelCheck check = LevelCheck.of(of(OperationType.RELU, x, x), FeatureLevel.V1_1);
        assertEquals(2, check.found().get("operands of type TENSOR_FLOAT16 came with NNAPI 1.2"));
        assertEquals(List.of(0), check.refused());
    }

    /** As Android 11's validateOperation and its compliance test have it. */
    @Test
    void levelsOfLookUpsAndUnknownRanks() {
        OperandDescriptor places = tensor(OperandType.TENSOR_INT32, 2);
        OperandDescriptor real = tensor(OperandType.TENSOR_FLOAT32, 3, 4);
        OperandDescriptor whole = tensor(OperandType.TENSOR_INT32, 3, 4);
        assertEquals(
                FeatureLevel.V1_0,
                of(OperationType.EMBEDDING_LOOKUP, tensor(OperandType.TENSOR_FLOAT32, 2, 4), places, real)
                        .featureLevelNeed()
                        .level());
        assertEquals(
                FeatureLevel.V1_2,
                of(OperationType.EMBEDDING_LOOKUP, tensor(OperandType.TENSOR_INT32, 2, 4), places, whole)
                        .featureLevelNeed()
                        .level());
        OperandDescriptor open = tensor(OperandType.TENSOR_FLOAT32);
        assertEquals(
                FeatureLevel.V1_2,
                of(OperationType.RELU, real, open).featureLevelNeed().level());
        assertEquals(
                FeatureLevel.V1_0,
                of(OperationType.RELU, real, tensor(OperandType.TENSOR_FLOAT32, 0, 4))
                        .featureLevelNeed()
                        .level());
        assertFalse(LevelCheck.of(of(OperationType.RELU, real, open), FeatureLevel.V1_1)
                .passes());
    }
}
