package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

class SpecializedPartTest {
    /** Demands all shapes, and the paddings of PAD as constants. */
    private static final PartRules DEMANDING = new PartRules() {
        @Override
        public boolean needsShapes() {
            return true;
        }

        @Override
        public boolean needsValue(Model model, Operation operation, int input) {
            return operation.type() == OperationType.PAD
                    && input == 1
                    && !model.operand(operation.input(input)).lifetime().isConstant();
        }
    };

    private final List<Model> prepared = new ArrayList<>();
    private final ScriptedDriver npu =
            new ScriptedDriver("npu", o -> true).rules(DEMANDING).beforePrepare(prepared::add);
    private final Devices devices = Devices.of(npu);

    /** {@code pad(x, p)} where {@code p} is an input, or {@code p + 0} computed. */
    private static Model pad(boolean computed) {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0));
        OperandDescriptor two = OperandDescriptor.tensor(OperandType.TENSOR_INT32, 1, 2);
        int given = builder.addOperand(two);
        int paddings = given;
        if (computed) {
            int zero = builder.addOperand(two);
            builder.setOperandValue(zero, 0, 0);
            int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
            builder.setOperandValue(none, 0);
            paddings = builder.addOperand(two);
            builder.addOperation(OperationType.ADD, new int[] {given, zero, none}, new int[] {paddings});
        }
        int y = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0));
        builder.addOperation(OperationType.PAD, new int[] {x, paddings}, new int[] {y});
        builder.identifyInputsAndOutputs(new int[] {x, given}, new int[] {y});
        return builder.finish();
    }

    private CompilationBuilder only(Model model) {
        return new CompilationBuilder(model).setAvailable(devices).setDevices(List.of(devices.find("npu")));
    }

    private static int[] run(Compilation compilation, int size, int... paddings) {
        return compilation
                .run(
                        List.of(FloatBuffer.allocate(size), IntBuffer.wrap(paddings)),
                        List.of(new int[] {size}, new int[] {1, 2}))
                .get(0)
                .dimensions();
    }

    @Test
    void isPreparedOnceForWhatReturns() {
        try (Compilation compilation = only(pad(false)).finish()) {
            assertEquals(0, npu.prepared.get(), "an execution comes first");
            for (int round = 0; round < 3; round++) {
                assertArrayEquals(new int[] {5}, run(compilation, 2, 1, 2));
                assertArrayEquals(new int[] {6}, run(compilation, 3, 1, 2));
                assertArrayEquals(new int[] {4}, run(compilation, 3, 1, 0));
            }
            assertEquals(3, npu.prepared.get());
            for (Model model : prepared) {
                assertTrue(model.output(0).descriptor().isFullySpecified());
                assertTrue(model.operand(model.operations().get(0).input(1))
                        .lifetime()
                        .isConstant());
            }
        }
        assertEquals(3, npu.closed.get());
    }

    @Test
    void whatComputesAValueIsAStepBefore() {
        try (Compilation compilation = only(pad(true)).finish()) {
            assertEquals(2, compilation.partitionCount());
            assertArrayEquals(new int[] {5}, run(compilation, 2, 1, 2));
            assertArrayEquals(new int[] {2}, run(compilation, 2, 0, 0));
        }
    }

    @Test
    void whatComputesNothingNeedsNoDevice() {
        try (Compilation compilation = only(Models.chain(1, 0)).finish()) {
            assertArrayEquals(
                    new int[] {1, 0},
                    compilation
                            .run(List.of(FloatBuffer.allocate(0)), List.of(new int[] {1, 0}))
                            .get(0)
                            .dimensions());
            assertEquals(0, npu.prepared.get());
        }
    }

    @Test
    void refusalOfWhatAnExecutionBringsIsTheCallersOnAGivenDevice() {
        ScriptedDriver picky = new ScriptedDriver("npu", o -> true)
                .rules(DEMANDING)
                .beforePrepare(model -> {
                    throw new NnapiException(ResultCode.OP_FAILED, "not this");
                });
        Devices available = Devices.of(picky);
        try (Compilation compilation = new CompilationBuilder(pad(false))
                .setAvailable(available)
                .setDevices(List.of(available.find("npu")))
                .finish()) {
            assertEquals(
                    ResultCode.OP_FAILED,
                    assertThrows(NnapiException.class, () -> run(compilation, 2, 1, 2))
                            .resultCode());
        }
        List<TraceEvent> trace = new ArrayList<>();
        try (Compilation compilation = new CompilationBuilder(pad(false))
                .setAvailable(available)
                .setPlacementRules(PlacementRules.NONE.only("npu"))
                .setTrace(trace::add)
                .finish()) {
            assertArrayEquals(new int[] {5}, run(compilation, 2, 1, 2));
        }
        assertTrue(trace.stream()
                .anyMatch(event -> event.kind() == TraceEvent.Kind.FALLBACK
                        && event.device().equals("reference")));
    }

    @Test
    void valuesThatAlwaysChangeAreNotPreparedForEveryTime() {
        try (Compilation compilation = new CompilationBuilder(pad(false))
                .setAvailable(devices)
                .setPlacementRules(PlacementRules.NONE.only("npu"))
                .finish()) {
            npu.beforePrepare(model -> {
                // Far slower than the reference is at this.
                LockSupport.parkNanos(20_000_000);
            });
            for (int i = 0; i < 30; i++) {
                assertArrayEquals(new int[] {2 + i}, run(compilation, 2, i, 0));
            }
            assertTrue(npu.prepared.get() < 15, npu.prepared.get() + " times");
        }
    }
}
