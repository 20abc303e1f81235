package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/** Parameters that the model's own operations compute. */
class ComputedParameterTest {
    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void weightsAreComputed(OperandType type) {
        Graphs graph = new Graphs(5, type);
        int none = graph.scalar(0);
        int x = graph.tensor(3, 1, 1, 4);
        int a = graph.tensor(4, 1, 1, 4);
        int weights = graph.apply(OperationType.MUL, new int[] {4, 1, 1, 4}, a, a, none);
        int one = graph.scalar(1);
        int first = graph.apply(
                OperationType.CONV_2D, new int[] {3, 1, 1, 4}, x, weights, graph.bias(4), one, one, one, none);
        // Its weights are what weights of the stage before made.
        int second = graph.apply(
                OperationType.CONV_2D, new int[] {3, 1, 1, 3}, x, first, graph.bias(3), one, one, one, none);
        graph.compare(new int[] {x, a}, second, weights);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void groupsOfPixelsWithComputedWeightsAreABatchOfProducts(OperandType type) {
        Graphs graph = new Graphs(7, type);
        int none = graph.scalar(0);
        int limited = graph.scalar(1);
        int one = graph.scalar(1);
        int groups = graph.scalar(3);
        int nhwc = graph.flag(false);
        int x = graph.tensor(2, 4, 3, 6);
        int weights = graph.tensor(12, 1, 1, 2);
        int bias = graph.tensor(12);
        int padding = graph.scalar(2);
        int plain = graph.apply(
                OperationType.GROUPED_CONV_2D,
                new int[] {2, 4, 3, 12},
                x,
                weights,
                bias,
                none,
                none,
                none,
                none,
                one,
                one,
                groups,
                none,
                nhwc);
        int other = graph.apply(
                OperationType.GROUPED_CONV_2D,
                new int[] {2, 4, 3, 12},
                x,
                weights,
                graph.bias(12),
                padding,
                one,
                one,
                groups,
                limited,
                nhwc);
        int padded = graph.apply(
                OperationType.GROUPED_CONV_2D,
                new int[] {2, 5, 3, 12},
                x,
                weights,
                bias,
                none,
                none,
                one,
                none,
                one,
                one,
                groups,
                none,
                nhwc);
        graph.compare(new int[] {x, weights, bias}, plain, other, padded);
    }

    private static Model model() {
        Graphs graph = new Graphs(6, OperandType.TENSOR_FLOAT32);
        int none = graph.scalar(0);
        int one = graph.scalar(1);
        int x = graph.tensor(1, 1, 1, 4);
        int factors = graph.tensor(5, 1, 1, 4);
        int weights = graph.apply(OperationType.MUL, new int[] {5, 1, 1, 4}, factors, graph.constant(1), none);
        int y = graph.apply(
                OperationType.CONV_2D, new int[] {1, 1, 1, 5}, x, weights, graph.bias(5), one, one, one, none);
        graph.builder.identifyInputsAndOutputs(new int[] {x, factors}, new int[] {y, weights});
        return graph.builder.finish();
    }

    @Test
    void saysWhichOutputIsTooSmall() {
        Model model = model();
        try (PreparedModel prepared = Graphs.prepare(model)) {
            ExecutionRequest request = new ExecutionRequest(model);
            request.setInput(0, FloatBuffer.allocate(4));
            request.setInput(1, FloatBuffer.allocate(20));
            request.setOutput(0, FloatBuffer.allocate(4));
            request.setOutput(1, FloatBuffer.allocate(20));
            assertEquals(
                    ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                    assertThrows(NnapiException.class, () -> prepared.execute(request))
                            .resultCode());
            assertEquals(5, request.outputDimensions(0)[3]);
            assertEquals(5, request.outputDimensions(1)[0]);
        }
    }
}
