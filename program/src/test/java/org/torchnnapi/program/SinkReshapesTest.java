package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** One-dimensional convolutions, which are images between reshapes, become as fast as those, and give the same. */
class SinkReshapesTest {
    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(1);

    private float[] floats(int count) {
        return (float[]) Plain.random(ValueType.floats(count), random);
    }

    private int constant(int... shape) {
        ValueType type = ValueType.floats(shape);
        return graph.constant(type, floats(type.count()));
    }

    /** Of [N, C, L], as an image of height 1. */
    private int convolution(int x, int out, int kernel) {
        int[] shape = graph.type(x).shape();
        ConvShape conv = ConvShape.of(shape[1], 1, shape[2], out, 1, kernel).padding(0, 0, kernel / 2, kernel / 2);
        int image = graph.add(new ReshapeOp(new int[] {shape[0], shape[1], 1, shape[2]}), x);
        int convolved = graph.add(
                new ConvolutionOp(conv, ImageLayout.NCHW, floats((int) conv.weightCount()), floats(out), Clamp.NONE),
                image);
        return graph.add(new ReshapeOp(new int[] {shape[0], out, shape[2]}), convolved);
    }

    private List<String> labels(int... outputs) {
        for (int output : outputs) {
            graph.output(output, ImageStorage.DECLARED);
        }
        return Plain.compare(graph.build(), 1).labels();
    }

    private static long count(List<String> labels, String start) {
        return labels.stream().filter(label -> label.startsWith(start)).count();
    }

    @Test
    void whatFollowsFoldsAndNothingIsLaidAnewBetween() {
        int x = graph.input(ValueType.floats(2, 32, 40), ImageStorage.DECLARED);
        int first = convolution(x, 32, 3);
        int scaled = graph.add(BinaryMathOp.of(BinaryOp.MUL), first, constant(32, 1));
        int shifted = graph.add(new BinaryMathOp(BinaryOp.ADD, Clamp.RELU), constant(1, 32, 1), scaled);
        int smooth = graph.add(new UnaryMathOp(UnaryOp.SIGMOID), shifted);
        int second = convolution(smooth, 32, 1);
        int sum = graph.add(BinaryMathOp.of(BinaryOp.ADD), second, shifted);
        List<String> labels = labels(convolution(sum, 32, 5));
        assertEquals(3, count(labels, "convolution"), labels.toString());
        assertEquals(0, count(labels, "mul") + count(labels, "add"), labels.toString());
        assertEquals(0, count(labels, "reshape"), labels.toString());
        // In at the start and out at the end at most.
        assertTrue(count(labels, "relayout DECLARED") <= 1, labels.toString());
        assertTrue(count(labels, "relayout BLOCKED") <= 1, labels.toString());
    }

    @Test
    void reductionsOfLengthAreOfHeightAndWidth() {
        int x = graph.input(ValueType.floats(2, 32, 40), ImageStorage.DECLARED);
        int mean = graph.add(new ReduceOp(ReductionKernel.MEAN, new int[] {-1}, false), convolution(x, 48, 3));
        List<String> labels = labels(mean);
        assertEquals(0, count(labels, "relayout BLOCKED"), labels.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anyCompanyGivesTheSame(long seed) {
        for (int round = 0; round < 60; round++) {
            new Company(new Random(seed * 1000 + round)).compare();
        }
    }

    /** A graph of values that have lost a dimension of one element, and of others beside them. */
    private static final class Company {
        private final Random random;
        private final GraphBuilder graph = new GraphBuilder();
        private final List<Integer> values = new ArrayList<>();

        Company(Random random) {
            this.random = random;
        }

        void compare() {
            int[] shape = {1 + random.nextInt(2), 1 + random.nextInt(20), 1 + random.nextInt(3), 1 + random.nextInt(6)};
            int lost = random.nextInt(4);
            shape[lost] = 1;
            int[] left = new int[3];
            for (int i = 0, at = 0; i < 4; i++) {
                if (i != lost) {
                    left[at++] = shape[i];
                }
            }
            for (int i = 0; i < 2; i++) {
                ImageStorage storage = random.nextBoolean() ? ImageStorage.DECLARED : ImageStorage.CHANNELS_LAST;
                int image = graph.input(ValueType.floats(shape), storage);
                values.add(graph.add(new ReshapeOp(left), image));
            }
            values.add(graph.input(ValueType.floats(left), ImageStorage.DECLARED));
            for (int i = 0; i < 8; i++) {
                values.add(grow(values.get(random.nextInt(values.size()))));
            }
            int last = values.get(values.size() - 1);
            graph.output(last, ImageStorage.DECLARED);
            graph.output(values.get(values.size() / 2), ImageStorage.DECLARED);
            int[] dims = graph.type(last).shape();
            graph.output(
                    graph.add(new ReshapeOp(ValueType.inserted(dims, random.nextInt(dims.length + 1), 1)), last),
                    ImageStorage.DECLARED);
            Plain.compare(graph.build(), 1);
        }

        private float[] floats(int count) {
            return (float[]) Plain.random(ValueType.floats(count), random);
        }

        private int grow(int x) {
            ValueType type = graph.type(x);
            if (type.rank() == 0) {
                return graph.add(new ClampOp(Clamp.RELU6), x);
            }
            int axis = random.nextInt(type.rank());
            BinaryOp op = BinaryOp.values()[random.nextInt(3)];
            switch (random.nextInt(10)) {
                case 0:
                    return graph.add(BinaryMathOp.of(op), x, beside(x));
                case 1:
                    return graph.add(new BinaryMathOp(op, Clamp.RELU), beside(x), x);
                case 2:
                    return graph.add(BinaryMathOp.of(BinaryOp.PRELU), x, beside(x));
                case 3:
                    return graph.add(new ClampOp(Clamp.RELU1), x);
                case 4:
                    return graph.add(new UnaryMathOp(UnaryOp.TANH), x);
                case 5:
                    return graph.add(new ConcatenationOp(axis - (random.nextBoolean() ? type.rank() : 0)), x, alike(x));
                case 6:
                    int[] before = random.ints(type.rank(), 0, 2).toArray();
                    int[] after = random.ints(type.rank(), 0, 2).toArray();
                    return graph.add(new PadOp(before, after, random.nextInt(2)), x);
                case 7:
                    int from = random.nextInt(type.dimension(axis));
                    int to = from + 1 + random.nextInt(type.dimension(axis) - from);
                    return graph.add(SliceOp.of(type, axis, from, to), x);
                case 8:
                    return type.rank() < 2 ? x : graph.add(new GroupNormOp(1, 1e-3f, null, null), x);
                default:
                    int[] axes = axis > 0 && random.nextBoolean() ? new int[] {axis - 1, axis} : new int[] {axis};
                    return graph.add(new ReduceOp(ReductionKernel.MEAN, axes, random.nextInt(3) > 0), x);
            }
        }

        private int alike(int x) {
            List<Integer> same = new ArrayList<>(values);
            same.removeIf(value -> !graph.type(value).equals(graph.type(x)));
            return same.get(random.nextInt(same.size()));
        }

        /** A value that is broadcast to x: as large, smaller along some axes, or of fewer. */
        private int beside(int x) {
            int choice = random.nextInt(3);
            if (choice == 0) {
                return alike(x);
            }
            int[] dims = graph.type(x).shape().clone();
            for (int i = 0; i < dims.length; i++) {
                dims[i] = random.nextBoolean() ? dims[i] : 1;
            }
            int[] last = Arrays.copyOfRange(dims, random.nextInt(dims.length), dims.length);
            ValueType type = ValueType.floats(last);
            return choice == 1 ? graph.constant(type, floats(type.count())) : graph.input(type, ImageStorage.DECLARED);
        }
    }
}
