package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Random graphs of images against the reference device: layouts, fusion and shared memory must not show. */
class CpuModelTest {
    private static final int GRAPHS = 60;

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void agreesWithTheReference(OperandType type) {
        for (int seed = 0; seed < GRAPHS; seed++) {
            Graphs graph = new Graphs(seed, type);
            int batch = 1 + graph.random.nextInt(2);
            int[] dims = {batch, 3 + graph.random.nextInt(6), 3 + graph.random.nextInt(6), 1 + graph.random.nextInt(37)
            };
            int input = graph.tensor(dims);
            List<Integer> images = new ArrayList<>(List.of(input));
            for (int i = 0; i < 7; i++) {
                images.add(grow(graph, images, dims));
            }
            int last = images.get(images.size() - 1);
            int mean = graph.apply(
                    OperationType.MEAN, new int[] {batch, dims[3]}, last, graph.ints(1, 2), graph.scalar(0));
            int dense = graph.apply(
                    OperationType.FULLY_CONNECTED,
                    new int[] {batch, 5},
                    mean,
                    graph.weights(5, dims[3]),
                    graph.bias(5),
                    graph.scalar(graph.random.nextInt(4)));
            graph.compare(new int[] {input}, dense, last, images.get(3));
        }
    }

    /** One more image of the same shape. */
    private static int grow(Graphs graph, List<Integer> images, int[] dims) {
        int x = images.get(images.size() - 1);
        int other = images.get(graph.random.nextInt(images.size()));
        int activation = graph.scalar(graph.random.nextInt(4));
        int one = graph.scalar(1);
        int channels = dims[3];
        return switch (graph.random.nextInt(7)) {
            case 0 ->
                graph.apply(
                        OperationType.CONV_2D,
                        dims,
                        x,
                        graph.weights(channels, 3, 3, channels),
                        graph.bias(channels),
                        one,
                        one,
                        one,
                        activation);
            case 1 ->
                graph.apply(
                        OperationType.DEPTHWISE_CONV_2D,
                        dims,
                        x,
                        graph.weights(1, 3, 3, channels),
                        graph.bias(channels),
                        one,
                        one,
                        one,
                        one,
                        activation);
            case 2 -> {
                int convolved = graph.apply(
                        OperationType.CONV_2D,
                        dims,
                        x,
                        graph.weights(channels, 1, 1, channels),
                        graph.bias(channels),
                        one,
                        one,
                        one,
                        graph.scalar(0));
                yield graph.random.nextBoolean()
                        ? graph.apply(OperationType.ADD, dims, convolved, other, activation)
                        : graph.apply(OperationType.ADD, dims, other, convolved, activation);
            }
            case 3 -> graph.apply(OperationType.RELU, dims, x);
            case 4 ->
                graph.apply(
                        OperationType.AVERAGE_POOL_2D,
                        dims,
                        x,
                        one,
                        one,
                        one,
                        graph.scalar(3),
                        graph.scalar(2),
                        activation);
            case 5 ->
                graph.apply(
                        OperationType.MAX_POOL_2D,
                        dims,
                        x,
                        one,
                        one,
                        one,
                        graph.scalar(2),
                        graph.scalar(3),
                        activation);
            default -> graph.apply(OperationType.ADD, dims, x, graph.constant(1, 1, channels), activation);
        };
    }
}
