package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;

class IfTest {
    private static final OperandDescriptor OPEN = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0);

    /** {@code x op x}. */
    private static Model branch(OperationType type, OperandDescriptor x) {
        ModelBuilder builder = new ModelBuilder();
        int input = builder.addOperand(x);
        int last = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(last, 0);
        int output = builder.addOperand(x);
        builder.addOperation(type, new int[] {input, input, last}, new int[] {output});
        builder.identifyInputsAndOutputs(new int[] {input}, new int[] {output});
        return builder.finish();
    }

    private static Model choose(OperandDescriptor condition, Model then, Model otherwise) {
        ModelBuilder builder = new ModelBuilder();
        int flag = builder.addOperand(condition);
        int first = builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        int second = builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        builder.setOperandValueFromModel(first, then);
        builder.setOperandValueFromModel(second, otherwise);
        int x = builder.addOperand(OPEN);
        int out = builder.addOperand(OPEN);
        builder.addOperation(OperationType.IF, new int[] {flag, first, second, x}, new int[] {out});
        builder.identifyInputsAndOutputs(new int[] {flag, x}, new int[] {out});
        return builder.finish();
    }

    @Test
    void branchesMayGiveDifferentShapes() {
        OperandDescriptor flag = OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1);
        Model model = choose(flag, branch(OperationType.ADD, OPEN), branch(OperationType.CONCATENATION, OPEN));
        try (Compilation compilation =
                new CompilationBuilder(model).setAvailable(Devices.of()).finish()) {
            for (int round = 0; round < 4; round++) {
                boolean then = round % 2 == 0;
                Compilation.Output output = compilation
                        .run(
                                List.of(
                                        ByteBuffer.wrap(new byte[] {(byte) (then ? 1 : 0)}),
                                        FloatBuffer.wrap(new float[] {1, 2})),
                                Arrays.asList(null, new int[] {2}))
                        .get(0);
                assertArrayEquals(new int[] {then ? 2 : 4}, output.dimensions());
                assertEquals(then ? 4f : 2f, ((FloatBuffer) output.data()).get(1));
            }
        }
    }

    @Test
    void conditionIsOneTruthValue() {
        NnapiException e = assertThrows(
                NnapiException.class,
                () -> choose(
                        OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 2),
                        branch(OperationType.ADD, OPEN),
                        branch(OperationType.MUL, OPEN)));
        assertTrue(
                e.getMessage().contains("condition: TENSOR_BOOL8[2] (expected: TENSOR_BOOL8 of one element)"),
                e.getMessage());
    }

    @Test
    void branchesMustFit() {
        OperandDescriptor flag = OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1);
        NnapiException e = assertThrows(
                NnapiException.class,
                () -> choose(
                        flag,
                        branch(OperationType.ADD, OPEN),
                        branch(OperationType.ADD, OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 0))));
        assertTrue(e.getMessage().contains("input 0 of model 2"), e.getMessage());
    }
}
