package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.Buffer;
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
import org.torchnnapi.nnapi.model.ResultCode;

class ControlFlowPartTest {
    /** {@code condition ? softmax(x + 1) : softmax(softmax(x + 1) + 1)} on {@code [1, size]}. */
    private static Model choice(int size) {
        ModelBuilder builder = new ModelBuilder();
        int condition = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        int then = builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        int otherwise = builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        builder.setOperandValueFromModel(then, Models.chain(1, size));
        builder.setOperandValueFromModel(otherwise, Models.chain(2, size));
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, size));
        int out = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, size));
        builder.addOperation(OperationType.IF, new int[] {condition, then, otherwise, x}, new int[] {out});
        builder.identifyInputsAndOutputs(new int[] {condition, x}, new int[] {out});
        return builder.finish();
    }

    private static CompilationBuilder builder(int size, ScriptedDriver driver) {
        return new CompilationBuilder(choice(size))
                .setAvailable(Devices.of(driver))
                .setPlacementRules(PlacementRules.NONE.deny("reference", "ADD"));
    }

    private static void check(Compilation compilation, int declared) {
        try (Compilation oracle = new CompilationBuilder(choice(declared))
                .setAvailable(Devices.of())
                .finish()) {
            for (int round = 0; round < 6; round++) {
                int size = declared == 0 ? 2 + round : declared;
                float[] x = new float[size];
                for (int i = 0; i < size; i++) {
                    x[i] = i * 0.3f + round;
                }
                List<? extends Buffer> inputs =
                        List.of(ByteBuffer.wrap(new byte[] {(byte) (round % 2)}), FloatBuffer.wrap(x));
                List<int[]> shapes = Arrays.asList(null, new int[] {1, size});
                Compilation.Output expected = oracle.run(inputs, shapes).get(0);
                Compilation.Output actual = compilation.run(inputs, shapes).get(0);
                assertArrayEquals(expected.dimensions(), actual.dimensions());
                for (int i = 0; i < size; i++) {
                    assertEquals(((FloatBuffer) expected.data()).get(i), ((FloatBuffer) actual.data()).get(i));
                }
            }
        }
    }

    @Test
    void operationsOfBranchesRunWhereTheyAreBestOff() {
        for (int size : new int[] {4, 0}) {
            ScriptedDriver npu = new ScriptedDriver("npu", o -> o.type() == OperationType.ADD);
            try (Compilation compilation = builder(size, npu).finish()) {
                check(compilation, size);
                assertTrue(npu.executed.get() > 0);
                Placement placement = compilation.placement();
                assertEquals("runtime", placement.operations().get(0).device());
                assertEquals(
                        List.of(1, 2),
                        placement.referenced().stream()
                                .map(Placement.Referenced::input)
                                .toList());
                assertEquals(
                        "npu",
                        placement
                                .referenced()
                                .get(1)
                                .placement()
                                .operations()
                                .get(2)
                                .device());
                assertTrue(placement.toText().contains("model 1 of operation 0:"), placement.toText());
            }
            assertEquals(npu.prepared.get(), npu.closed.get());
        }
    }

    @Test
    void deviceThatFailsInABranchIsReplaced() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> o.type() == OperationType.ADD).before(r -> {
            throw new NnapiException(ResultCode.RESOURCE_EXHAUSTED_TRANSIENT, "busy");
        });
        try (Compilation compilation = builder(4, npu).finish()) {
            check(compilation, 4);
        }
    }
}
