package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Models that devices take but no execution can compute: refused by rule, left to executions where that is asked for.
 */
class ContradictionsTest {
    private static Model sum(int firstSize, int secondSize, int activation, boolean valuesLater) {
        ModelBuilder builder = new ModelBuilder();
        if (valuesLater) {
            builder.leaveValuesToExecutions();
        }
        int a = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, firstSize));
        int b = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, secondSize));
        int code = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(code, activation);
        int sum = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 4));
        builder.addOperation(OperationType.ADD, new int[] {a, b, code}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {a, b}, new int[] {sum});
        return builder.finish();
    }

    private static CompilationBuilder builder(Model model) {
        return new CompilationBuilder(model).setAvailable(Devices.of(new ReferenceDriver()));
    }

    private static NnapiException failure(Model model) {
        try (Compilation compilation =
                builder(model).leaveContradictionsToExecutions().finish()) {
            return assertThrows(
                    NnapiException.class,
                    () -> compilation.run(
                            List.of(FloatBuffer.allocate(4), FloatBuffer.allocate(4)),
                            List.of(new int[] {4}, new int[] {4})));
        }
    }

    @Test
    void valuesAreRefusedWithTheOperation() {
        NnapiException refused = assertThrows(NnapiException.class, () -> sum(4, 4, 999, false));
        assertEquals(ResultCode.BAD_DATA, refused.resultCode());
        assertTrue(refused.getMessage().contains("activation: 999 (expected: 0 to 3)"), refused.getMessage());
    }

    @Test
    void valuesThatAreLeftFailWhereShapesAreKnown() {
        Model model = sum(4, 4, 999, true);
        NnapiException refused =
                assertThrows(NnapiException.class, () -> builder(model).finish());
        assertEquals(ResultCode.BAD_DATA, refused.resultCode());
        NnapiException failed = failure(model);
        assertEquals(ResultCode.OP_FAILED, failed.resultCode());
        assertTrue(failed.getMessage().contains("999"), failed.getMessage());
    }

    @Test
    void valuesThatAreLeftFailWhereShapesAreOpen() {
        assertTrue(failure(sum(0, 0, 999, true)).getMessage().contains("999"));
    }

    @Test
    void shapesThatDoNotFitFailOnlyWhereTheyAreLeft() {
        Model model = sum(4, 3, 0, false);
        assertEquals(
                ResultCode.BAD_DATA,
                assertThrows(NnapiException.class, () -> builder(model).finish())
                        .resultCode());
        try (Compilation compilation =
                builder(model).leaveContradictionsToExecutions().finish()) {
            assertEquals(0, compilation.partitionCount());
            assertTrue(compilation.placement().operations().isEmpty());
            NnapiException failed = assertThrows(
                    NnapiException.class,
                    () -> compilation.run(List.of(FloatBuffer.allocate(4), FloatBuffer.allocate(3)), null));
            assertEquals(ResultCode.OP_FAILED, failed.resultCode());
        }
    }

    /** What no device takes is no contradiction. */
    @Test
    void whatNoDeviceTakesIsRefusedAllTheSame() {
        ModelBuilder builder = new ModelBuilder();
        int in = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_OEM_BYTE, 4));
        int out = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_OEM_BYTE, 4));
        builder.addOperation(OperationType.OEM_OPERATION, new int[] {in}, new int[] {out});
        builder.identifyInputsAndOutputs(new int[] {in}, new int[] {out});
        Model model = builder.finish();
        assertEquals(
                ResultCode.BAD_DATA,
                assertThrows(
                                NnapiException.class,
                                () -> builder(model)
                                        .leaveContradictionsToExecutions()
                                        .finish())
                        .resultCode());
    }
}
