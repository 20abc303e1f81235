package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Weights, sizes and shapes that only an execution gives. */
class OpenModelTest {
    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void weightsAreInputs(OperandType type) {
        Graphs graph = new Graphs(2, type);
        int x = graph.tensor(1, 6, 5, 3);
        int weights = graph.tensor(7, 3, 3, 3);
        int bias = graph.builder.addOperand(
                graph.isFloat()
                        ? OperandDescriptor.tensor(type, 7)
                        : OperandDescriptor.quantized(OperandType.TENSOR_INT32, Graphs.SCALE * Graphs.SCALE, 0, 7));
        int one = graph.scalar(1);
        int y = graph.apply(
                OperationType.CONV_2D, new int[] {1, 6, 5, 7}, x, weights, bias, one, one, one, graph.scalar(0));
        graph.builder.identifyInputsAndOutputs(new int[] {x, weights, bias}, new int[] {y});
        Model model = graph.builder.finish();
        ByteBuffer image = graph.data(type, 90);
        ByteBuffer[] filters = {graph.data(type, 189), graph.data(type, 189)};
        ByteBuffer added = graph.data(model.input(2).type(), 7);
        try (PreparedModel expected = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT);
                PreparedModel actual = Graphs.prepare(model)) {
            for (int time = 0; time < 6; time++) {
                Graphs.compare(model, expected, actual, image, filters[time / 2 % 2], added);
            }
        }
    }

    @Test
    void weightsAlwaysChange() {
        Graphs graph = new Graphs(5, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(1, 1, 1, 2);
        int weights = graph.tensor(1, 1, 1, 2);
        int one = graph.scalar(1);
        int y = graph.apply(
                OperationType.CONV_2D,
                new int[] {1, 1, 1, 1},
                x,
                weights,
                graph.bias(1),
                one,
                one,
                one,
                graph.scalar(0));
        graph.builder.identifyInputsAndOutputs(new int[] {x, weights}, new int[] {y});
        Model model = graph.builder.finish();
        try (PreparedModel expected = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT);
                PreparedModel actual = Graphs.prepare(model)) {
            for (int time = 0; time < 100; time++) {
                Graphs.compare(model, expected, actual, graph.data(graph.type, 2), graph.data(graph.type, 2));
            }
        }
    }

    @Test
    void shapesAreOpen() {
        Graphs graph = new Graphs(3, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(0, 4);
        int y = graph.apply(OperationType.RELU, new int[] {0, 4}, x);
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        Model model = graph.builder.finish();
        try (PreparedModel prepared = Graphs.prepare(model)) {
            // Without a batch there is nothing to do, and 6 batches are more than are kept.
            for (int batch : new int[] {1, 3, 1, 0, 4, 5, 6, 7, 1}) {
                float[] in = new float[batch * 4];
                float[] out = new float[batch * 4];
                for (int i = 0; i < in.length; i++) {
                    in[i] = i % 2 == 0 ? i : -i;
                }
                ExecutionRequest request = new ExecutionRequest(model);
                request.setInput(0, FloatBuffer.wrap(in), batch, 4);
                request.setOutput(0, FloatBuffer.wrap(out));
                prepared.execute(request);
                assertArrayEquals(new int[] {batch, 4}, request.outputDimensions(0));
                for (int i = 0; i < in.length; i++) {
                    assertEquals(Math.max(0, in[i]), out[i]);
                }
            }
        }
    }

    @Test
    void sizesAreInputs() {
        Graphs graph = new Graphs(4, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(2, 3);
        int paddings = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 2, 2));
        int y = graph.apply(OperationType.PAD, new int[] {0, 0}, x, paddings);
        graph.builder.identifyInputsAndOutputs(new int[] {x, paddings}, new int[] {y});
        Model model = graph.builder.finish();
        try (PreparedModel prepared = Graphs.prepare(model)) {
            for (int rows = 0; rows < 3; rows++) {
                float[] out = new float[(2 + rows) * 4];
                ExecutionRequest request = new ExecutionRequest(model);
                request.setInput(0, FloatBuffer.wrap(new float[] {1, 2, 3, 4, 5, 6}));
                request.setInput(1, IntBuffer.wrap(new int[] {rows, 0, 0, 1}));
                request.setOutput(0, FloatBuffer.wrap(out));
                prepared.execute(request);
                assertArrayEquals(new int[] {2 + rows, 4}, request.outputDimensions(0));
                assertEquals(4, out[(rows + 1) * 4]);
                assertEquals(0, out[(rows + 1) * 4 + 3]);
            }
        }
    }
}
