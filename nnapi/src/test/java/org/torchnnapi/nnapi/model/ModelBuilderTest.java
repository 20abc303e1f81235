package org.torchnnapi.nnapi.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ModelBuilderTest {
    private static final OperandDescriptor VECTOR = OperandDescriptor.tensor(TENSOR_FLOAT32, 2);

    private final ModelBuilder builder = new ModelBuilder();

    private static void refused(ResultCode code, String message, Executable action) {
        NnapiException e = assertThrows(NnapiException.class, action);
        assertEquals(code, e.resultCode(), e.getMessage());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    private static void refused(String message, Executable action) {
        refused(ResultCode.BAD_DATA, message, action);
    }

    private int none() {
        int none = builder.addOperand(OperandDescriptor.scalar(INT32));
        builder.setOperandValue(none, 0);
        return none;
    }

    /** Adds {@code a + b} and gives the index of the sum. */
    private int add(int a, int b) {
        int sum = builder.addOperand(VECTOR);
        builder.addOperation(OperationType.ADD, new int[] {a, b, none()}, new int[] {sum});
        return sum;
    }

    /** As on Android: types and ranks when an operation is added, scales and zero points in the end. */
    @Test
    void ranksAreAskedWhenAnOperationIsAddedAndScalesInTheEnd() {
        int five = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32, 1, 1, 1, 1, 1));
        int other = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32, 1, 1, 1, 1, 1));
        refused(
                "rank of input 0 (input): 5",
                () -> builder.addOperation(OperationType.TANH, new int[] {five}, new int[] {other}));
        int in = builder.addOperand(OperandDescriptor.quantized(TENSOR_QUANT8_ASYMM, 0.5f, 3, 2));
        int out = builder.addOperand(OperandDescriptor.quantized(TENSOR_QUANT8_ASYMM, 0.5f, 3, 2));
        builder.addOperation(OperationType.TANH, new int[] {in}, new int[] {out});
        builder.identifyInputsAndOutputs(new int[] {in}, new int[] {out});
        refused("quantization of output 0 (output): 0.5/3 (expected: 0.0078125/128)", builder::finish);
    }

    @Test
    void operandsMustMakeSense() {
        refused("rank: 1 (expected: 0 for INT32)", () -> builder.addOperand(OperandDescriptor.tensor(INT32, 1)));
        refused(
                "dimension 1: -1 (expected: >= 0)",
                () -> builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32, 2, -1)));
        refused("bytes", () -> builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32, 1 << 16, 1 << 16)));
        refused(
                "bytes",
                () -> builder.addOperand(OperandDescriptor.tensor(
                        TENSOR_FLOAT32, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE)));
        refused(
                "scale: 0.0 (expected: > 0)",
                () -> builder.addOperand(OperandDescriptor.tensor(TENSOR_QUANT8_ASYMM, 1)));
        refused(
                "scale: NaN",
                () -> builder.addOperand(OperandDescriptor.quantized(TENSOR_QUANT8_ASYMM, Float.NaN, 0, 1)));
        refused(
                "zeroPoint: 256 (expected: 0 to 255)",
                () -> builder.addOperand(OperandDescriptor.quantized(TENSOR_QUANT8_ASYMM, 1f, 256, 1)));
        refused(
                "scale: 1.0 (expected: 0)",
                () -> builder.addOperand(OperandDescriptor.quantized(TENSOR_FLOAT32, 1f, 0, 1)));
        refused(
                "zeroPoint: 1 (expected: 0)",
                () -> builder.addOperand(OperandDescriptor.quantized(TENSOR_INT32, 1f, 1, 1)));
        refused(ResultCode.UNEXPECTED_NULL, "operand type: null", () -> OperandDescriptor.scalar(null));
    }

    @Test
    void channelScalesMustFitTheOperand() {
        int vector = builder.addOperand(VECTOR);
        int channels = builder.addOperand(OperandDescriptor.tensor(TENSOR_QUANT8_SYMM_PER_CHANNEL, 2, 3));
        refused(
                "expected: TENSOR_QUANT8_SYMM_PER_CHANNEL",
                () -> builder.setOperandSymmPerChannelQuantParams(
                        vector, new ChannelQuantization(0, new float[] {1, 1})));
        refused(
                "channelDim: 2 (expected: 0 to 1)",
                () -> builder.setOperandSymmPerChannelQuantParams(
                        channels, new ChannelQuantization(2, new float[] {1})));
        refused(
                "scales: 2 (expected: 3",
                () -> builder.setOperandSymmPerChannelQuantParams(
                        channels, new ChannelQuantization(1, new float[] {1, 1})));
        refused(
                "scale of channel 1: -1.0 (expected: > 0)",
                () -> builder.setOperandSymmPerChannelQuantParams(
                        channels, new ChannelQuantization(0, new float[] {1, -1})));
        builder.setOperandSymmPerChannelQuantParams(channels, new ChannelQuantization(0, new float[] {1, 2}));
    }

    @Test
    void constantsMustFitTheOperand() {
        int vector = builder.addOperand(VECTOR);
        int open = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32, 0));
        refused("length: 4 (expected: 8 bytes)", () -> builder.setOperandValue(vector, 1f));
        refused("unknown dimensions", () -> builder.setOperandValue(open, 1f));
        refused("operand index: 9 (expected: 0 to 1)", () -> builder.setOperandValue(9, 1f));
        refused(
                "bytes 4 to 12 of a memory of 8",
                () -> builder.setOperandValueFromMemory(vector, ByteBuffer.allocate(8), 4, 8));
        refused(
                "expected: within the memory",
                () -> builder.setOperandValueFromMemory(vector, ByteBuffer.allocate(8), Long.MAX_VALUE, 8));
        refused(
                ResultCode.UNEXPECTED_NULL,
                "memory: null",
                () -> builder.setOperandValueFromMemory(vector, null, 0, 8));
        builder.setOperandValue(vector, 1f, 2f);
        refused("already CONSTANT_COPY", () -> builder.setOperandValue(vector, 1f, 2f));
        refused("already CONSTANT_COPY", () -> builder.identifyInputsAndOutputs(new int[] {vector}, new int[] {open}));
    }

    @Test
    void operationsAreCheckedWhenAdded() {
        int vector = builder.addOperand(VECTOR);
        refused(
                "operand index: 7",
                () -> builder.addOperation(OperationType.ADD, new int[] {vector, vector, 7}, new int[] {vector}));
        refused(
                "operation 0 ADD: ADD: operand types (TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32) -> "
                        + "(TENSOR_FLOAT32)",
                () -> builder.addOperation(OperationType.ADD, new int[] {vector, vector, vector}, new int[] {vector}));
    }

    @Test
    void operationsMayComeInAnyOrder() {
        int x = builder.addOperand(VECTOR);
        int middle = builder.addOperand(VECTOR);
        int sum = add(middle, x);
        builder.addOperation(OperationType.ADD, new int[] {x, x, none()}, new int[] {middle});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        Model model = builder.finish();
        assertEquals(middle, model.operations().get(0).output(0));
        assertEquals(sum, model.operations().get(1).output(0));
        refused(ResultCode.BAD_STATE, "the model is finished", () -> builder.addOperand(VECTOR));
    }

    @Test
    void cyclesAreRefused() {
        int x = builder.addOperand(VECTOR);
        int a = builder.addOperand(VECTOR);
        int b = add(a, x);
        builder.addOperation(OperationType.ADD, new int[] {b, x, none()}, new int[] {a});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {b});
        refused("part of a cycle", builder::finish);
    }

    @Test
    void everyValueHasOneWriter() {
        int x = builder.addOperand(VECTOR);
        int unwritten = builder.addOperand(VECTOR);
        int sum = add(x, unwritten);
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        refused("operation 0 ADD: input 1: operand 1 is written by no operation", builder::finish);
    }

    @Test
    void twoWritersAreRefused() {
        int x = builder.addOperand(VECTOR);
        int sum = add(x, x);
        builder.addOperation(OperationType.ADD, new int[] {x, x, none()}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        refused("already written by operation 0", builder::finish);
    }

    @Test
    void unconnectedOutputIsRefused() {
        int x = builder.addOperand(VECTOR);
        int lonely = builder.addOperand(VECTOR);
        int sum = add(x, x);
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum, lonely});
        refused("operand 1: model output written by no operation", builder::finish);
    }

    @Test
    void inputsAreNotWritten() {
        int x = builder.addOperand(VECTOR);
        int y = builder.addOperand(VECTOR);
        int sum = add(x, x);
        builder.addOperation(OperationType.ADD, new int[] {sum, sum, none()}, new int[] {y});
        builder.identifyInputsAndOutputs(new int[] {x, y}, new int[] {sum});
        refused(
                "operand " + y + " is SUBGRAPH_INPUT (expected: TEMPORARY_VARIABLE or SUBGRAPH_OUTPUT)",
                builder::finish);
    }

    @Test
    void inputsAndOutputsAreNamedOnce() {
        int x = builder.addOperand(VECTOR);
        int sum = add(x, x);
        refused(ResultCode.BAD_STATE, "identifyInputsAndOutputs first", builder::finish);
        refused("named twice", () -> builder.identifyInputsAndOutputs(new int[] {x, x}, new int[] {sum}));
        refused("named twice", () -> builder.identifyInputsAndOutputs(new int[] {x}, new int[] {x}));
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        refused(
                ResultCode.BAD_STATE,
                "called twice",
                () -> builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum}));
        assertArrayEquals(new int[] {sum}, builder.finish().outputs());
    }

    @Test
    void requiredOperandsAreNotLeftOut() {
        int x = builder.addOperand(VECTOR);
        int gone = builder.addOperand(VECTOR);
        int sum = add(x, gone);
        builder.setOperandValue(gone, (ByteBuffer) null);
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        refused("input 1: omitted (expected: a value: it is not optional)", builder::finish);
    }

    @Test
    void modelKnowsTheLevelItNeedsAndWhy() {
        int x = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT16, 2));
        int sum = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT16, 2));
        builder.addOperation(OperationType.ADD, new int[] {x, x, none()}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        FeatureLevelNeed need = builder.finish().featureLevelNeed();
        assertEquals(FeatureLevel.V1_2, need.level());
        assertEquals(29, need.level().apiLevel());
        assertEquals(
                "ADD with (TENSOR_FLOAT16, ... 3 inputs) came with NNAPI 1.2",
                need.reasons().get(0));
    }

    /** A model whose two branches are both {@code inner}. */
    private static Model branching(Model inner) {
        ModelBuilder outer = new ModelBuilder();
        int condition = outer.addOperand(OperandDescriptor.tensor(TENSOR_BOOL8, 1));
        int x = outer.addOperand(VECTOR);
        int then = outer.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        int otherwise = outer.addOperand(OperandDescriptor.scalar(OperandType.SUBGRAPH));
        int out = outer.addOperand(VECTOR);
        outer.setOperandValueFromModel(then, inner);
        outer.setOperandValueFromModel(otherwise, inner);
        int[] arguments = inner.inputCount() == 1
                ? new int[] {condition, then, otherwise, x}
                : new int[] {condition, then, otherwise, condition, x};
        outer.addOperation(OperationType.IF, arguments, new int[] {out});
        outer.identifyInputsAndOutputs(new int[] {condition, x}, new int[] {out});
        return outer.finish();
    }

    @Test
    void modelsThatUnfoldWithoutBoundAreRefused() {
        int x = builder.addOperand(VECTOR);
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {add(x, x)});
        Model model = builder.finish();
        NnapiException refusal = null;
        for (int depth = 0; depth < 100 && refusal == null; depth++) {
            try {
                model = branching(model);
            } catch (NnapiException e) {
                refusal = e;
            }
        }
        assertTrue(
                refusal != null && refusal.getMessage().contains("operations of all referenced models"),
                String.valueOf(refusal));
    }
}
