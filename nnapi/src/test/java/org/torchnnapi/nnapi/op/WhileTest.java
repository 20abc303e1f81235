package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;

class WhileTest {
    private static final OperandDescriptor ONE = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1);
    private static final OperandDescriptor OPEN = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0);

    private static int constant(ModelBuilder builder, int value) {
        int index = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(index, value);
        return index;
    }

    /** {@code counter < limit}, whatever the other values are. */
    private static Model condition(float limit, OperandDescriptor... others) {
        ModelBuilder builder = new ModelBuilder();
        int counter = builder.addOperand(ONE);
        int[] inputs = new int[others.length + 1];
        inputs[0] = counter;
        for (int i = 0; i < others.length; i++) {
            inputs[i + 1] = builder.addOperand(others[i]);
        }
        int bound = builder.addOperand(ONE);
        builder.setOperandValue(bound, limit);
        int result = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, 1));
        builder.addOperation(OperationType.LESS, new int[] {counter, bound}, new int[] {result});
        builder.identifyInputsAndOutputs(inputs, new int[] {result});
        return builder.finish();
    }

    /** {@code counter + step}. */
    private static int advance(ModelBuilder builder, int counter, float step) {
        int one = builder.addOperand(ONE);
        builder.setOperandValue(one, step);
        int next = builder.addOperand(ONE);
        builder.addOperation(OperationType.ADD, new int[] {counter, one, constant(builder, 0)}, new int[] {next});
        return next;
    }

    /** Counts on, doubling the list: {@code (counter + step, list ++ list)}. */
    private static Model body(float step) {
        ModelBuilder builder = new ModelBuilder();
        int counter = builder.addOperand(ONE);
        int list = builder.addOperand(OPEN);
        int longer = builder.addOperand(OPEN);
        builder.addOperation(
                OperationType.CONCATENATION, new int[] {list, list, constant(builder, 0)}, new int[] {longer});
        int next = advance(builder, counter, step);
        builder.identifyInputsAndOutputs(new int[] {counter, list}, new int[] {next, longer});
        return builder.finish();
    }

    private static Model loop(Model condition, Model body) {
        ModelBuilder builder = new ModelBuilder();
        int conditionModel = builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        builder.setOperandValueFromModel(conditionModel, condition);
        int bodyModel = builder.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        builder.setOperandValueFromModel(bodyModel, body);
        int counter = builder.addOperand(ONE);
        int list = builder.addOperand(OPEN);
        int lastCounter = builder.addOperand(ONE);
        int lastList = builder.addOperand(OPEN);
        builder.addOperation(OperationType.WHILE, new int[] {conditionModel, bodyModel, counter, list}, new int[] {
            lastCounter, lastList
        });
        builder.identifyInputsAndOutputs(new int[] {counter, list}, new int[] {lastCounter, lastList});
        return builder.finish();
    }

    private static Compilation compile(Model model) {
        return new CompilationBuilder(model).setAvailable(Devices.of()).finish();
    }

    @Test
    void shapesGrowFromRoundToRound() {
        try (Compilation compilation = compile(loop(condition(3, OPEN), body(1)))) {
            for (int start = 0; start <= 4; start++) {
                List<Compilation.Output> outputs = compilation.run(
                        List.of(FloatBuffer.wrap(new float[] {start}), FloatBuffer.wrap(new float[] {5, 6})),
                        List.of(new int[] {1}, new int[] {2}));
                int rounds = Math.max(0, 3 - start);
                assertEquals(Math.max(3, start), ((FloatBuffer) outputs.get(0).data()).get(0));
                assertArrayEquals(new int[] {2 << rounds}, outputs.get(1).dimensions());
                assertEquals(6, ((FloatBuffer) outputs.get(1).data()).get((2 << rounds) - 1));
            }
        }
    }

    @Test
    void endlessLoopMissesItsDeadline() {
        ModelBuilder builder = new ModelBuilder();
        int counter = builder.addOperand(ONE);
        int list = builder.addOperand(OPEN);
        int none = constant(builder, 0);
        int same = builder.addOperand(OPEN);
        builder.addOperation(OperationType.ADD, new int[] {list, list, none}, new int[] {same});
        int next = advance(builder, counter, 0);
        builder.identifyInputsAndOutputs(new int[] {counter, list}, new int[] {next, same});
        try (Compilation compilation = compile(loop(condition(3, OPEN), builder.finish()))) {
            Execution execution = compilation.createExecution();
            execution.setLoopTimeout(Duration.ofMillis(1));
            execution.setInput(0, FloatBuffer.allocate(1));
            execution.setInput(1, FloatBuffer.allocate(1), 1);
            execution.setOutput(0, FloatBuffer.allocate(1));
            execution.setOutput(1, FloatBuffer.allocate(1));
            NnapiException e = assertThrows(NnapiException.class, execution::compute);
            assertEquals(ResultCode.MISSED_DEADLINE_TRANSIENT, e.resultCode());
            assertTrue(e.getMessage().startsWith("WHILE: loop ran for"), e.getMessage());
        }
    }

    @Test
    void modelsMustFitTheLoop() {
        NnapiException inputs = assertThrows(NnapiException.class, () -> loop(condition(3), body(1)));
        assertTrue(inputs.getMessage().contains("inputs of model 0: 1 (expected: 2)"), inputs.getMessage());
        NnapiException type = assertThrows(
                NnapiException.class,
                () -> loop(condition(3, OperandDescriptor.tensor(OperandType.TENSOR_INT32, 0)), body(1)));
        assertTrue(type.getMessage().contains("input 1 of model 0"), type.getMessage());
        NnapiException output = assertThrows(NnapiException.class, () -> loop(body(1), body(1)));
        assertTrue(output.getMessage().contains("outputs of model 0: 2 (expected: 1)"), output.getMessage());
    }
}
