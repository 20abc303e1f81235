package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Devices;

/** Single operations over awkward sizes against the reference device, and what is refused. */
class LoweringTableTest {
    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void convolutions(OperandType type) {
        for (int seed = 0; seed < 30; seed++) {
            Graphs graph = new Graphs(seed, type);
            int stride = 1 + graph.random.nextInt(3);
            int size = 5 + graph.random.nextInt(9);
            int in = 1 + graph.random.nextInt(21);
            int out = 1 + graph.random.nextInt(21);
            int cells = (size + stride - 1) / stride;
            int strides = graph.scalar(stride);
            int same = graph.scalar(1);
            int activation = graph.scalar(graph.random.nextInt(4));
            int x = graph.tensor(2, size, size, in);
            int ordinary = graph.apply(
                    OperationType.CONV_2D,
                    new int[] {2, cells, cells, out},
                    x,
                    graph.weights(out, 3, 2, in),
                    graph.bias(out),
                    same,
                    strides,
                    strides,
                    activation);
            int depthwise = graph.apply(
                    OperationType.DEPTHWISE_CONV_2D,
                    new int[] {2, cells, cells, 2 * in},
                    x,
                    graph.weights(1, 2, 3, 2 * in),
                    graph.bias(2 * in),
                    same,
                    strides,
                    strides,
                    graph.scalar(2),
                    activation);
            int grouped = graph.apply(
                    OperationType.GROUPED_CONV_2D,
                    new int[] {2, cells, cells, 3 * in},
                    x,
                    graph.weights(3 * in, 3, 3, 1),
                    graph.bias(3 * in),
                    same,
                    strides,
                    strides,
                    graph.scalar(in),
                    activation,
                    graph.flag(false));
            int wide = size * stride;
            int transposed = graph.apply(
                    OperationType.TRANSPOSE_CONV_2D,
                    new int[] {2, wide, wide, out},
                    x,
                    graph.weights(out, 3, 3, in),
                    graph.bias(out),
                    graph.ints(2, wide, wide, out),
                    same,
                    strides,
                    strides,
                    activation,
                    graph.flag(false));
            graph.compare(new int[] {x}, ordinary, depthwise, grouped, transposed);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void channelsFirst(OperandType type) {
        Graphs graph = new Graphs(5, type);
        int one = graph.scalar(1);
        int x = graph.tensor(2, 7, 6, 5);
        int convolved = graph.apply(
                OperationType.CONV_2D,
                new int[] {2, 9, 6, 5},
                x,
                graph.weights(9, 3, 3, 7),
                graph.bias(9),
                one,
                one,
                one,
                graph.scalar(0),
                graph.flag(true));
        int pooled = graph.apply(
                OperationType.AVERAGE_POOL_2D,
                new int[] {2, 9, 6, 5},
                convolved,
                one,
                one,
                one,
                graph.scalar(2),
                graph.scalar(2),
                graph.scalar(1),
                graph.flag(true));
        graph.compare(new int[] {x}, pooled);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void broadcastsAndMoves(OperandType type) {
        Graphs graph = new Graphs(7, type);
        int none = graph.scalar(0);
        int[] dims = {2, 3, 5, 7};
        int x = graph.tensor(dims);
        int y = graph.tensor(3, 1, 7);
        int z = graph.tensor(2, 3, 5, 1);
        int sum = graph.apply(OperationType.ADD, dims, y, x, none);
        int difference = graph.apply(OperationType.SUB, dims, sum, z, graph.scalar(1));
        int largest = graph.apply(OperationType.MAXIMUM, dims, z, y);
        int both =
                graph.apply(OperationType.CONCATENATION, new int[] {2, 6, 5, 7}, difference, largest, graph.scalar(1));
        int turned = graph.apply(OperationType.TRANSPOSE, new int[] {7, 2, 6, 5}, both, graph.ints(3, 0, 1, 2));
        int flat = graph.apply(OperationType.RESHAPE, new int[] {14, 30}, turned, graph.ints(14, 30));
        graph.compare(new int[] {x, y, z}, flat);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void resizesAndReduces(OperandType type) {
        Graphs graph = new Graphs(11, type);
        int x = graph.tensor(2, 5, 7, 3);
        int larger = graph.apply(
                OperationType.RESIZE_BILINEAR, new int[] {2, 9, 13, 3}, x, graph.scalar(13), graph.scalar(9));
        int centred = graph.apply(
                OperationType.RESIZE_BILINEAR,
                new int[] {2, 3, 4, 3},
                x,
                graph.scalar(4),
                graph.scalar(3),
                graph.flag(false),
                graph.flag(false),
                graph.flag(true));
        int planes = graph.apply(
                OperationType.RESIZE_BILINEAR,
                new int[] {2, 5, 14, 6},
                x,
                graph.scalar(6),
                graph.scalar(14),
                graph.flag(true),
                graph.flag(true),
                graph.flag(false));
        int largest =
                graph.apply(OperationType.REDUCE_MAX, new int[] {2, 1, 1, 3}, x, graph.ints(1, 2), graph.flag(true));
        int smallest = graph.apply(OperationType.REDUCE_MIN, new int[] {2, 5, 7}, x, graph.ints(-1), graph.flag(false));
        graph.compare(new int[] {x}, larger, centred, planes, largest, smallest);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void softmaxOfBytes(OperandType type) {
        Graphs graph = new Graphs(12, type);
        int[] dims = {3, 4, 21};
        int x = graph.tensor(dims);
        int beta = graph.builder.addOperand(OperandDescriptor.scalar(OperandType.FLOAT32));
        graph.builder.setOperandValue(beta, 0.7f);
        int[] outputs = new int[2];
        for (int i = 0; i < 2; i++) {
            outputs[i] = graph.builder.addOperand(OperandDescriptor.quantized(
                    type, 1f / 256, type == OperandType.TENSOR_QUANT8_ASYMM ? 0 : -128, dims));
            graph.builder.addOperation(
                    OperationType.SOFTMAX, new int[] {x, beta, graph.scalar(i)}, new int[] {outputs[i]});
        }
        graph.compare(new int[] {x}, outputs);
    }

    @Test
    void dequantizesSymmetricBytes() {
        Graphs graph = new Graphs(13, OperandType.TENSOR_FLOAT32);
        int x = graph.builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_SYMM, 0.3f, 0, 2, 3, 5));
        ChannelQuantization channels = new ChannelQuantization(1, new float[] {0.5f, 2, 0.01f});
        int y = graph.builder.addOperand(OperandDescriptor.perChannel(channels, 2, 3, 5));
        int single = graph.apply(OperationType.DEQUANTIZE, new int[] {2, 3, 5}, x);
        int many = graph.apply(OperationType.DEQUANTIZE, new int[] {2, 3, 5}, y);
        graph.compare(new int[] {x, y}, single, many);
    }

    @Test
    void softmaxAndFunctions() {
        Graphs graph = new Graphs(3, OperandType.TENSOR_FLOAT32);
        int[] dims = {3, 4, 21};
        int x = graph.tensor(dims);
        int beta = graph.builder.addOperand(OperandDescriptor.scalar(OperandType.FLOAT32));
        graph.builder.setOperandValue(beta, 1.5f);
        int rows = graph.apply(OperationType.SOFTMAX, dims, x, beta);
        int columns = graph.apply(OperationType.SOFTMAX, dims, x, beta, graph.scalar(1));
        int sigmoid = graph.apply(OperationType.LOGISTIC, dims, x);
        int root = graph.apply(OperationType.SQRT, dims, graph.apply(OperationType.ABS, dims, x));
        graph.compare(new int[] {x}, rows, columns, sigmoid, graph.apply(OperationType.EXP, dims, root));
    }

    @Test
    void refusesOperationsAndTypesItHasNoKernelsFor() {
        Graphs graph = new Graphs(1, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(2, 4);
        int drawn = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 2, 5));
        graph.builder.addOperation(
                OperationType.RANDOM_MULTINOMIAL, new int[] {x, graph.scalar(5), graph.ints(37, 42)}, new int[] {drawn
                });
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {drawn});
        Model model = graph.builder.finish();
        assertEquals(
                List.of(DeviceRefusal.of(
                        0, "operation", OperationType.RANDOM_MULTINOMIAL, "one with fast kernels, which this has not")),
                new CpuDriver().refusals(model));
    }

    @Test
    void isFoundAsAService() {
        assertNotNull(Devices.installed().find(CpuDriver.NAME));
    }
}
