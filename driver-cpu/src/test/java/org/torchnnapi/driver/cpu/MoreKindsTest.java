package org.torchnnapi.driver.cpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Comparisons, choices, indexes, normalizations and numbers over awkward sizes against the reference device. */
class MoreKindsTest {
    private static int flags(Graphs graph, int... dims) {
        return graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_BOOL8, dims));
    }

    private static int numbers(Graphs graph, int... dims) {
        return graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, dims));
    }

    private static void add(Graphs graph, OperationType operation, int out, int... inputs) {
        graph.builder.addOperation(operation, inputs, new int[] {out});
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {
                "TENSOR_FLOAT32",
                "TENSOR_FLOAT16",
                "TENSOR_QUANT8_ASYMM",
                "TENSOR_QUANT8_ASYMM_SIGNED",
                "TENSOR_INT32"
            })
    void comparisonsAndChoices(OperandType type) {
        Graphs graph = new Graphs(1, type);
        int x = graph.tensor(3, 4, 5);
        int y = graph.tensor(4, 1);
        int z = graph.tensor(3, 4, 5);
        OperationType[] relations = {
            OperationType.EQUAL,
            OperationType.NOT_EQUAL,
            OperationType.LESS,
            OperationType.LESS_EQUAL,
            OperationType.GREATER,
            OperationType.GREATER_EQUAL
        };
        int[] outputs = new int[relations.length + 5];
        for (int i = 0; i < relations.length; i++) {
            outputs[i] = flags(graph, 3, 4, 5);
            add(graph, relations[i], outputs[i], x, y);
        }
        int last = relations.length;
        add(graph, OperationType.LOGICAL_AND, outputs[last] = flags(graph, 3, 4, 5), outputs[2], outputs[5]);
        add(graph, OperationType.LOGICAL_OR, outputs[last + 1] = flags(graph, 3, 4, 5), outputs[0], outputs[last]);
        add(graph, OperationType.LOGICAL_NOT, outputs[last + 2] = flags(graph, 3, 4, 5), outputs[last + 1]);
        add(
                graph,
                OperationType.REDUCE_ANY,
                outputs[last + 3] = flags(graph, 4),
                outputs[2],
                graph.ints(0, 2),
                graph.flag(false));
        outputs[last + 4] = graph.apply(OperationType.SELECT, new int[] {3, 4, 5}, outputs[4], x, z);
        graph.compare(new int[] {x, y, z}, outputs);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {
                "TENSOR_FLOAT32",
                "TENSOR_FLOAT16",
                "TENSOR_QUANT8_ASYMM",
                "TENSOR_QUANT8_ASYMM_SIGNED",
                "TENSOR_INT32"
            })
    void indexes(OperandType type) {
        Graphs graph = new Graphs(2, type);
        int x = graph.tensor(4, 6, 5);
        int largest = numbers(graph, 4, 5);
        int smallest = numbers(graph, 4, 6);
        add(graph, OperationType.ARGMAX, largest, x, graph.scalar(1));
        add(graph, OperationType.ARGMIN, smallest, x, graph.scalar(-1));
        int gathered = graph.apply(OperationType.GATHER, new int[] {4, 3, 5}, x, graph.scalar(1), graph.ints(5, 0, 5));
        int looked = graph.apply(OperationType.EMBEDDING_LOOKUP, new int[] {2, 6, 5}, graph.ints(3, 1), x);
        int tiled = graph.apply(OperationType.TILE, new int[] {8, 6, 15}, x, graph.ints(2, 1, 3));
        int top = graph.tensor(4, 6, 3);
        int places = numbers(graph, 4, 6, 3);
        graph.builder.addOperation(OperationType.TOPK_V2, new int[] {x, graph.scalar(3)}, new int[] {top, places});
        graph.compare(new int[] {x}, largest, smallest, gathered, looked, tiled, top, places);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void normalizationsAndFunctions(OperandType type) {
        Graphs graph = new Graphs(3, type);
        int[] dims = {2, 5, 7, 19};
        int x = graph.tensor(dims);
        int one = graph.scalar(1);
        int two = graph.scalar(2);
        int unit = graph.apply(OperationType.L2_NORMALIZATION, dims, x);
        int response = graph.apply(
                OperationType.LOCAL_RESPONSE_NORMALIZATION,
                dims,
                x,
                two,
                graph.real(1),
                graph.real(0.5f),
                graph.real(0.75f));
        int instance = graph.apply(
                OperationType.INSTANCE_NORMALIZATION,
                dims,
                x,
                graph.real(1.5f),
                graph.real(-0.5f),
                graph.real(0.01f),
                graph.flag(false));
        int first = graph.apply(
                OperationType.INSTANCE_NORMALIZATION,
                dims,
                x,
                graph.real(1.5f),
                graph.real(-0.5f),
                graph.real(0.01f),
                graph.flag(true));
        int pooled = graph.apply(
                OperationType.L2_POOL_2D,
                new int[] {2, 3, 4, 19},
                x,
                one,
                two,
                two,
                graph.scalar(3),
                graph.scalar(3),
                one);
        int elu = graph.apply(OperationType.ELU, dims, x, graph.real(0.3f));
        int power = graph.apply(OperationType.POW, dims, graph.apply(OperationType.ABS, dims, x), graph.constant(19));
        int sine = graph.apply(OperationType.SIN, dims, x);
        int floor = graph.apply(OperationType.FLOOR, dims, x);
        int sum = graph.apply(OperationType.REDUCE_SUM, new int[] {5, 19}, x, graph.ints(0, 2), graph.flag(false));
        graph.compare(new int[] {x}, unit, response, instance, first, pooled, elu, power, sine, floor, sum);
    }

    @Test
    void slopesOfEverySize() {
        Graphs graph = new Graphs(7, OperandType.TENSOR_FLOAT32);
        int[] dims = {2, 3, 7, 5};
        int x = graph.tensor(dims);
        int upToOne = graph.tensor(5);
        graph.builder.setOperandValue(upToOne, 0.25f, -0.5f, 1, 0.01f, -3);
        int aboveOne = graph.tensor(5);
        graph.builder.setOperandValue(aboveOne, 0.25f, 1.5f, 0, 0.01f, -3);
        int given = graph.tensor(7, 1);
        graph.compare(
                new int[] {x, given},
                graph.apply(OperationType.PRELU, dims, x, upToOne),
                graph.apply(OperationType.PRELU, dims, x, aboveOne),
                graph.apply(OperationType.PRELU, dims, x, given));
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void normalizationOfBytes(OperandType type) {
        Graphs graph = new Graphs(4, type);
        int x = graph.tensor(3, 4, 9);
        int zero = type == OperandType.TENSOR_QUANT8_ASYMM ? 128 : 0;
        int unit = graph.builder.addOperand(OperandDescriptor.quantized(type, 1f / 128, zero, 3, 4, 9));
        add(graph, OperationType.L2_NORMALIZATION, unit, x, graph.scalar(1));
        int mean = graph.apply(OperationType.MEAN, new int[] {4}, x, graph.ints(0, 2), graph.scalar(0));
        graph.compare(new int[] {x}, unit, mean);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void productsOfWhatComesAtRunTime(OperandType type) {
        Graphs graph = new Graphs(6, type);
        int x = graph.tensor(2, 7, 19);
        int weights = graph.tensor(5, 19);
        int bias = graph.tensor(5);
        int y = graph.apply(OperationType.FULLY_CONNECTED, new int[] {14, 5}, x, weights, bias, graph.scalar(1));
        int z = graph.apply(
                OperationType.FULLY_CONNECTED, new int[] {14, 5}, x, graph.weights(5, 19), bias, graph.scalar(0));
        graph.compare(new int[] {x, weights, bias}, y, z);
    }

    @Test
    void numbers() {
        Graphs graph = new Graphs(5, OperandType.TENSOR_INT32);
        int none = graph.scalar(0);
        int x = graph.tensor(3, 4);
        int y = graph.tensor(4);
        int[] dims = {3, 4};
        int sum = graph.apply(OperationType.ADD, dims, x, y, none);
        int difference = graph.apply(OperationType.SUB, dims, y, x, none);
        int product = graph.apply(OperationType.MUL, dims, x, y, none);
        int quotient = graph.apply(OperationType.DIV, dims, x, y, none);
        int least = graph.apply(OperationType.MINIMUM, dims, x, y);
        int most = graph.apply(OperationType.MAXIMUM, dims, x, y);
        int opposite = graph.apply(OperationType.NEG, dims, x);
        int absolute = graph.apply(OperationType.ABS, dims, x);
        int cut = graph.apply(OperationType.SLICE, new int[] {2, 3}, x, graph.ints(1, 0), graph.ints(2, 3));
        int floats = graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 3, 4));
        add(graph, OperationType.CAST, floats, x);
        int bytes = graph.builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 1, 3, 3, 4));
        add(graph, OperationType.CAST, bytes, x);
        graph.compare(
                new int[] {x, y},
                sum,
                difference,
                product,
                quotient,
                least,
                most,
                opposite,
                absolute,
                cut,
                floats,
                bytes);
    }
}
