package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.GatherOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** Every pass by the steps it leaves, and that the results stay. */
class PassesTest {
    /** Which kernels run; what pays with them is known of each, and not asked of those who are tested. */
    private static final boolean NATIVE = provider("float kernels: ").startsWith("native");

    private static final ByteQuantization BYTES = new ByteQuantization(Element.UINT8, 0.05f, 117);

    private final GraphBuilder graph = new GraphBuilder();
    private final Random random = new Random(1);

    static String provider(String kind) {
        for (String line : Kernels.describe()) {
            if (line.startsWith(kind)) {
                return line.substring(kind.length());
            }
        }
        throw new IllegalStateException("kernels: " + Kernels.describe() + " (expected: a line of " + kind + ")");
    }

    private float[] floats(int count) {
        return (float[]) Plain.random(ValueType.floats(count), random);
    }

    private int convolution(int x, ConvShape shape) {
        return graph.add(
                new ConvolutionOp(
                        shape, ImageLayout.NCHW, floats((int) shape.weightCount()), floats(shape.outC()), Clamp.NONE),
                x);
    }

    private int quantized(int x, ConvShape shape) {
        byte[] weights = new byte[(int) shape.weightCount()];
        random.nextBytes(weights);
        Requantization rule = Requantization.halfEven(new float[] {0.01f}, 117, 0, 255);
        return graph.add(
                new QuantizedConvolutionOp(
                        shape,
                        ImageLayout.NHWC,
                        new QuantizedWeights(weights, true, new int[] {0}),
                        random.ints(shape.outC(), -500, 500).toArray(),
                        rule,
                        BYTES),
                x);
    }

    private int image(int channels) {
        return graph.input(ValueType.floats(1, channels, 6, 7), ImageStorage.DECLARED);
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
    void limitsGoIntoWhatTheyLimit() {
        int x = image(16);
        int limited = graph.add(
                new ClampOp(Clamp.RELU6),
                graph.add(new ClampOp(Clamp.RELU), convolution(x, ConvShape.of(16, 6, 7, 16, 1, 1))));
        assertEquals(0, count(labels(limited), "relu"));
    }

    @Test
    void limitsOfValuesWithOtherUsesStay() {
        int x = image(16);
        int convolved = convolution(x, ConvShape.of(16, 6, 7, 16, 1, 1));
        assertEquals(1, count(labels(graph.add(new ClampOp(Clamp.RELU), convolved), convolved), "relu"));
    }

    @Test
    void sumsGoIntoConvolutions() {
        int x = image(16);
        int first = convolution(x, ConvShape.of(16, 6, 7, 16, 1, 1));
        int second = convolution(first, ConvShape.of(16, 6, 7, 16, 3, 3).padding(1, 1));
        int sum = graph.add(BinaryMathOp.of(BinaryOp.ADD), first, second);
        List<String> labels = labels(graph.add(new ClampOp(Clamp.RELU), sum));
        assertEquals(2, count(labels, "convolution"));
        assertEquals(0, count(labels, "add") + count(labels, "relu"));
    }

    private int gathered(int x, int axis, int... places) {
        return graph.add(new GatherOp(axis), x, graph.constant(ValueType.ints(places.length), places));
    }

    @Test
    void gathersAtKnownPlacesAreOnePickThatLeavesImagesAsTheyLie() {
        int x = convolution(image(3), ConvShape.of(3, 6, 7, 16, 1, 1));
        int picked = gathered(gathered(x, 2, 2, 1, 0, 1, 2, 3, 4, 5, 4), -1, 1, 0, 1, 2, 3, 4, 5, 6, 5);
        List<String> labels = labels(convolution(picked, ConvShape.of(16, 9, 9, 5, 3, 3)));
        assertEquals(1, count(labels, "constant gather"));
        assertEquals(0, count(labels, "gather"));
        assertTrue(!NATIVE || count(labels, "relayout") <= 1, labels.toString());
    }

    @Test
    void picksAlongOneAxisStayTwo() {
        int x = graph.input(ValueType.floats(5, 9), ImageStorage.DECLARED);
        assertEquals(2, count(labels(gathered(gathered(x, 1, 3, 3, 8), 1, 2, 0)), "constant gather"));
    }

    @Test
    void zerosAroundImagesBecomePadding() {
        int x = image(3);
        int padded = graph.add(new PadOp(new int[] {0, 0, 1, 0}, new int[] {0, 0, 2, 1}, 0), x);
        assertEquals(
                0,
                count(labels(convolution(padded, ConvShape.of(3, 9, 8, 5, 3, 3).stride(2, 2))), "pad"));
    }

    @Test
    void onesAroundImagesStay() {
        int x = image(3);
        int padded = graph.add(new PadOp(new int[] {0, 0, 1, 0}, new int[] {0, 0, 2, 1}, 1), x);
        assertEquals(1, count(labels(convolution(padded, ConvShape.of(3, 9, 8, 5, 3, 3))), "pad"));
    }

    @Test
    void concatenationsAreWrittenInPlace() {
        int x = image(16);
        int stem = convolution(x, ConvShape.of(16, 6, 7, 2 * Kernels.channelBlock(), 1, 1));
        int left = convolution(stem, ConvShape.of(2 * Kernels.channelBlock(), 6, 7, Kernels.channelBlock(), 1, 1));
        int right = convolution(
                stem,
                ConvShape.of(2 * Kernels.channelBlock(), 6, 7, 3 * Kernels.channelBlock(), 3, 3)
                        .padding(1, 1));
        int all = graph.add(new ConcatenationOp(1), left, graph.add(new ClampOp(Clamp.RELU), right));
        int more = graph.add(new ConcatenationOp(1), all, stem);
        int out = convolution(more, ConvShape.of(6 * Kernels.channelBlock(), 6, 7, 1, 1, 1));
        assertEquals(0, count(labels(out), "concatenation"));
    }

    @Test
    void valuesTwiceInAConcatenationAreCopied() {
        int x = image(16);
        int part = convolution(x, ConvShape.of(16, 6, 7, 16, 1, 1));
        assertEquals(1, count(labels(graph.add(new ConcatenationOp(1), part, part)), "concatenation"));
    }

    @Test
    void shapesAndTurnsCostNothing() {
        int x = graph.input(ValueType.floats(1, 6, 7, 16), ImageStorage.DECLARED);
        int first = graph.add(new TransposeOp(new int[] {0, 3, 1, 2}), x);
        int convolved = convolution(first, ConvShape.of(16, 6, 7, 5, 1, 1));
        int last = graph.add(
                new ReshapeOp(new int[] {1, 210}), graph.add(new TransposeOp(new int[] {0, 2, 3, 1}), convolved));
        assertEquals(1, labels(last).size());
    }

    @Test
    void turnsThatUndoEachOtherAreNone() {
        int x = graph.input(ValueType.floats(6, 5, 4), ImageStorage.DECLARED);
        int turned = graph.add(new TransposeOp(new int[] {1, 0, 2}), x);
        int back = graph.add(
                new TransposeOp(new int[] {1, 0, 2}),
                graph.add(
                        new ReshapeOp(new int[] {5, 6, 4}), graph.add(new ReshapeOp(new int[] {1, 5, 1, 24}), turned)));
        assertEquals(List.of("neg to FLOAT32[6, 5, 4]"), labels(graph.add(new UnaryMathOp(UnaryOp.NEG), back)));
    }

    @Test
    void turnsBehindEachOtherAreOne() {
        int x = graph.input(ValueType.floats(6, 5, 4), ImageStorage.DECLARED);
        int turned = graph.add(new TransposeOp(new int[] {2, 0, 1}), x);
        int split = graph.add(new ReshapeOp(new int[] {2, 2, 3, 2, 5}), turned);
        assertEquals(1, count(labels(graph.add(new TransposeOp(new int[] {3, 0, 4, 1, 2}), split)), "transpose"));
    }

    @Test
    void turnsOfWhatNeedsToMoveBetweenThemStay() {
        int x = graph.input(ValueType.floats(6, 5, 4), ImageStorage.DECLARED);
        int turned = graph.add(new TransposeOp(new int[] {1, 0, 2}), x);
        assertEquals(
                2,
                count(
                        labels(graph.add(
                                new TransposeOp(new int[] {1, 0}),
                                graph.add(new ReshapeOp(new int[] {8, 15}), turned))),
                        "transpose"));
    }

    @Test
    void turnsWithOtherUsesStay() {
        int x = graph.input(ValueType.floats(6, 5, 4), ImageStorage.DECLARED);
        int turned = graph.add(new TransposeOp(new int[] {1, 0, 2}), x);
        int back = graph.add(new TransposeOp(new int[] {1, 0, 2}), turned);
        assertEquals(
                1,
                count(
                        labels(
                                graph.add(new UnaryMathOp(UnaryOp.NEG), turned),
                                graph.add(new UnaryMathOp(UnaryOp.ABS), back)),
                        "abs"));
    }

    @Test
    void padsAndPartsOfBatchesLeaveImagesAsTheyLie() {
        int first = convolution(image(16), ConvShape.of(16, 6, 7, 16, 1, 1));
        int padded = graph.add(new PadOp(new int[] {1, 0, 0, 0}, new int[] {1, 0, 0, 0}, 2), first);
        int part = graph.add(SliceOp.of(ValueType.floats(3, 16, 6, 7), 0, 1, 3), padded);
        int last =
                convolution(graph.add(new ReshapeOp(new int[] {2, 16, 6, 7}), part), ConvShape.of(16, 6, 7, 16, 1, 1));
        List<String> labels = labels(last);
        assertEquals(1, count(labels, "pad"));
        assertTrue(count(labels, "relayout DECLARED") <= 1, labels.toString());
        assertTrue(count(labels, "relayout BLOCKED") <= 1, labels.toString());
    }

    @Test
    void padsOfPartlyFilledBlocksAndOfChannelsAreMadeAsDeclared() {
        int first = convolution(image(16), ConvShape.of(16, 6, 7, 5, 1, 1));
        int rows = graph.add(new PadOp(new int[] {0, 0, 1, 0}, new int[] {1, 0, 0, 2}, 3), first);
        int channels = graph.add(
                new PadOp(new int[] {0, 2, 0, 0}, new int[] {0, 9, 0, 1}, 1),
                convolution(first, ConvShape.of(5, 6, 7, 16, 1, 1)));
        assertEquals(
                2,
                count(
                        labels(
                                graph.add(new UnaryMathOp(UnaryOp.NEG), rows),
                                graph.add(new UnaryMathOp(UnaryOp.ABS), channels)),
                        "pad"));
    }

    @Test
    void adjacentSlicesAreViews() {
        int x = graph.input(ValueType.floats(4, 6), ImageStorage.DECLARED);
        ValueType type = ValueType.floats(4, 6);
        int rows = graph.add(SliceOp.of(type, 0, 1, 3), x);
        assertEquals(List.of("neg to FLOAT32[2, 6]"), labels(graph.add(new UnaryMathOp(UnaryOp.NEG), rows)));
    }

    @Test
    void constantsAreFolded() {
        int x = image(4);
        int constant = graph.add(new ReshapeOp(new int[] {1, 4, 1, 1}), graph.constant(ValueType.floats(4), floats(4)));
        assertEquals(
                1,
                labels(graph.add(BinaryMathOp.of(BinaryOp.MUL), x, graph.add(new UnaryMathOp(UnaryOp.ABS), constant)))
                        .size());
    }

    @Test
    void whatNoOutputNeedsIsLeftOut() {
        int x = image(4);
        graph.add(new UnaryMathOp(UnaryOp.TANH), x);
        assertEquals(1, labels(graph.add(new UnaryMathOp(UnaryOp.ABS), x)).size());
    }

    @Test
    void poolsOfWholeImagesAreReductions() {
        int x = image(5);
        Pooling.Window window = new Pooling.Window(5, 6, 7, 1, 1, 6, 7, 1, 1, 1, 1, 0, 0, 0, 0);
        int pooled = graph.add(new PoolOp(Pooling.Kind.AVERAGE, window, ImageLayout.NCHW, Clamp.RELU), x);
        assertEquals(1, count(labels(pooled), "mean"));
    }

    @Test
    void quantizedLimitsAndSumsGoIntoConvolutions() {
        int x = graph.input(ValueType.bytes(BYTES, 1, 6, 7, 16), ImageStorage.DECLARED);
        byte[] relu = new byte[256];
        for (int i = 0; i < 256; i++) {
            relu[i] = (byte) Math.max(i, 117);
        }
        int convolved = graph.add(new TableOp(relu, BYTES), quantized(x, ConvShape.of(16, 6, 7, 16, 1, 1)));
        QuantizedSum rule = QuantizedSum.fixedPoint(0.05f, 117, 0.05f, 117, false, 0.05f, 117, false, 0, 255);
        int sum = graph.add(new TableOp(relu, BYTES), graph.add(new QuantizedAddOp(rule, BYTES), x, convolved));
        List<String> labels = labels(sum);
        assertEquals(1, labels.size(), labels::toString);
        assertTrue(labels.get(0).contains("sum"), labels::toString);
    }

    @Test
    void quantizedBlocksAreChains() {
        int x = graph.input(ValueType.bytes(BYTES, 1, 20, 21, 16), ImageStorage.DECLARED);
        int wide = quantized(x, ConvShape.of(16, 20, 21, 96, 1, 1));
        ConvShape depthwise = ConvShape.of(96, 20, 21, 96, 3, 3).padding(1, 1).groups(96);
        int deep = quantized(wide, depthwise);
        int narrow = quantized(deep, ConvShape.of(96, 20, 21, 16, 1, 1));
        QuantizedSum rule = QuantizedSum.fixedPoint(0.05f, 117, 0.05f, 117, false, 0.05f, 117, false, 0, 255);
        List<String> labels = labels(graph.add(new QuantizedAddOp(rule, BYTES), x, narrow));
        assertEquals(provider("int8 kernels: ").startsWith("native") ? 1 : 3, labels.size(), labels::toString);
    }

    @Test
    void smallQuantizedBlocksWidenByChannels() {
        int x = graph.input(ValueType.bytes(BYTES, 1, 7, 7, 16), ImageStorage.DECLARED);
        int wide = quantized(x, ConvShape.of(16, 7, 7, 96, 1, 1));
        ConvShape depthwise = ConvShape.of(96, 7, 7, 96, 3, 3).padding(1, 1).groups(96);
        int deep = quantized(wide, depthwise);
        List<String> labels = labels(quantized(deep, ConvShape.of(96, 7, 7, 16, 1, 1)));
        assertEquals(provider("int8 kernels: ").contains("avx512") ? 2 : 3, labels.size(), labels::toString);
    }

    /**
     * Row by row where what lies between is larger than the caches; of small images the widening and the depthwise
     * convolution are one step.
     */
    @ParameterizedTest
    @CsvSource({"6, 7, 2", "40, 42, 1"})
    void blocksAreChains(int height, int width, int steps) {
        int x = graph.input(ValueType.floats(1, 16, height, width), ImageStorage.DECLARED);
        int wide = graph.add(new ClampOp(Clamp.RELU6), convolution(x, ConvShape.of(16, height, width, 96, 1, 1)));
        ConvShape depthwise =
                ConvShape.of(96, height, width, 96, 3, 3).padding(1, 1).groups(96);
        int deep = graph.add(new ClampOp(Clamp.RELU6), convolution(wide, depthwise));
        int narrow = convolution(deep, ConvShape.of(96, height, width, 16, 1, 1));
        List<String> labels = labels(graph.add(BinaryMathOp.of(BinaryOp.ADD), x, narrow));
        assertEquals(
                NATIVE ? steps : 3,
                count(labels, "convolution") + count(labels, "depthwise") + count(labels, "chain"),
                labels::toString);
    }

    /** An inverted residual block over images of 6x7. */
    private int block(int x, int channels, boolean adding) {
        int wide = graph.add(new ClampOp(Clamp.RELU6), convolution(x, ConvShape.of(channels, 6, 7, 80, 1, 1)));
        ConvShape depthwise = ConvShape.of(80, 6, 7, 80, 3, 3).padding(1, 1).groups(80);
        int deep = graph.add(new ClampOp(Clamp.RELU6), convolution(wide, depthwise));
        int narrow = convolution(deep, ConvShape.of(80, 6, 7, channels, 1, 1));
        return adding ? graph.add(BinaryMathOp.of(BinaryOp.ADD), x, narrow) : narrow;
    }

    @Test
    void blocksBehindEachOtherHandOverHalves() {
        ConvShape depthwise = ConvShape.of(80, 6, 7, 80, 3, 3).padding(1, 1).groups(80);
        int x = graph.input(ValueType.floats(2, 20, 6, 7), ImageStorage.DECLARED);
        int first = block(x, 20, true);
        int second = block(first, 20, true);
        int third = block(second, 20, false);
        List<String> labels = labels(block(third, 20, false), first);
        int halves = NATIVE ? 3 : 0;
        assertEquals(
                halves,
                labels.stream().filter(label -> label.contains("1x1 split-k")).count(),
                labels::toString);
        assertEquals(halves / 3, count(labels, "split-k sum"), labels::toString);
    }

    @Test
    void lastConvolutionTakesHalves() {
        ConvShape last = ConvShape.of(20, 6, 7, 50, 1, 1);
        int x = graph.input(ValueType.floats(2, 20, 6, 7), ImageStorage.DECLARED);
        List<String> labels = labels(convolution(block(block(x, 20, true), 20, true), last));
        assertEquals(
                NATIVE ? 2 : 0,
                labels.stream().filter(label -> label.contains("1x1 split-k")).count(),
                labels::toString);
        assertEquals(0, count(labels, "split-k sum"), labels::toString);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void meansAreTakenWithTheLastConvolution(boolean keep) {
        ConvShape last = ConvShape.of(20, 6, 7, 50, 1, 1);
        int x = graph.input(ValueType.floats(2, 20, 6, 7), ImageStorage.DECLARED);
        int wide = graph.add(new ClampOp(Clamp.RELU6), convolution(block(block(x, 20, true), 20, true), last));
        List<String> labels = labels(graph.add(new ReduceOp(ReductionKernel.MEAN, new int[] {2, -1}, keep), wide));
        assertEquals(NATIVE ? 0 : 1, count(labels, "mean"), labels::toString);
    }

    @Test
    void meansOfImagesThatAreWantedTooAreTakenAfterwards() {
        int x = graph.input(ValueType.floats(2, 20, 6, 7), ImageStorage.DECLARED);
        int wide = convolution(block(block(x, 20, true), 20, true), ConvShape.of(20, 6, 7, 50, 1, 1));
        List<String> labels = labels(graph.add(new ReduceOp(ReductionKernel.MEAN, new int[] {2, 3}, true), wide), wide);
        assertEquals(1, count(labels, "mean"), labels::toString);
    }

    @Test
    void scaledChannelsAreHalvedToo() {
        ConvShape depthwise = ConvShape.of(80, 6, 7, 80, 3, 3).padding(1, 1).groups(80);
        int wide = graph.add(new ClampOp(Clamp.RELU6), convolution(image(20), ConvShape.of(20, 6, 7, 80, 1, 1)));
        int deep = graph.add(new ClampOp(Clamp.RELU6), convolution(wide, depthwise));
        int scales = graph.input(ValueType.floats(1, 80, 1, 1), ImageStorage.DECLARED);
        int narrow =
                convolution(graph.add(BinaryMathOp.of(BinaryOp.MUL), deep, scales), ConvShape.of(80, 6, 7, 20, 1, 1));
        List<String> labels = labels(block(narrow, 20, true));
        assertEquals(
                NATIVE ? 1 : 0,
                labels.stream().filter(label -> label.contains("1x1 split-k")).count(),
                labels::toString);
    }

    /** What a squeeze-and-excitation block multiplies the channels of images with. */
    private int factors(int x, int channels, Op... gate) {
        int squeezed = graph.add(
                new ClampOp(Clamp.RELU),
                convolution(
                        graph.add(new ReduceOp(ReductionKernel.MEAN, new int[] {2, -1}, true), x),
                        ConvShape.of(channels, 1, 1, 18, 1, 1)));
        int factors = convolution(squeezed, ConvShape.of(18, 1, 1, channels, 1, 1));
        for (Op op : gate) {
            factors = op instanceof BinaryMathOp
                    ? graph.add(op, graph.constant(ValueType.floats(1), new float[] {1 / 6f}), factors)
                    : graph.add(op, factors);
        }
        return factors;
    }

    private static Stream<List<Op>> gates() {
        return Stream.of(
                List.of(new UnaryMathOp(UnaryOp.HARD_SIGMOID)),
                List.of(new UnaryMathOp(UnaryOp.SIGMOID)),
                List.of(new ClampOp(Clamp.RELU6), BinaryMathOp.of(BinaryOp.MUL)),
                List.of());
    }

    @ParameterizedTest
    @MethodSource("gates")
    void excitationsArePartOfWhatWidensAndNarrows(List<Op> gate) {
        ConvShape depthwise = ConvShape.of(80, 6, 7, 80, 3, 3).padding(1, 1).groups(80);
        int x = graph.input(ValueType.floats(2, 20, 6, 7), ImageStorage.DECLARED);
        int wide = graph.add(new UnaryMathOp(UnaryOp.HARD_SWISH), convolution(x, ConvShape.of(20, 6, 7, 80, 1, 1)));
        int deep = graph.add(new ClampOp(Clamp.RELU6), convolution(wide, depthwise));
        int scaled = graph.add(BinaryMathOp.of(BinaryOp.MUL), deep, factors(deep, 80, gate.toArray(new Op[0])));
        int narrow = graph.add(BinaryMathOp.of(BinaryOp.ADD), x, convolution(scaled, ConvShape.of(80, 6, 7, 20, 1, 1)));
        List<String> labels = labels(block(narrow, 20, true));
        int joined = NATIVE ? 1 : 0;
        assertEquals(
                joined,
                labels.stream()
                        .filter(label -> label.contains("squeeze-excite"))
                        .count(),
                labels::toString);
        assertEquals(1 - joined, count(labels, "mean"), labels::toString);
        assertEquals(1 - joined, count(labels, "mul to FLOAT32[2, 80, 6, 7]"), labels::toString);
    }

    @Test
    void factorsBehindRowsAreMadeOfTheirSums() {
        ConvShape depthwise = ConvShape.of(80, 40, 42, 80, 3, 3).padding(1, 1).groups(80);
        int x = graph.input(ValueType.floats(2, 20, 40, 42), ImageStorage.DECLARED);
        int deep = graph.add(
                new ClampOp(Clamp.RELU6), convolution(convolution(x, ConvShape.of(20, 40, 42, 80, 1, 1)), depthwise));
        int scaled =
                graph.add(BinaryMathOp.of(BinaryOp.MUL), factors(deep, 80, new UnaryMathOp(UnaryOp.SIGMOID)), deep);
        List<String> labels = labels(
                graph.add(BinaryMathOp.of(BinaryOp.ADD), x, convolution(scaled, ConvShape.of(80, 40, 42, 20, 1, 1))));
        int sums = NATIVE ? 1 : 0;
        assertEquals(sums, count(labels, "sums of rows"), labels::toString);
        assertEquals(
                sums,
                labels.stream()
                        .filter(label -> label.contains("squeeze-excite"))
                        .count(),
                labels::toString);
        assertEquals(NATIVE ? 0 : 1, count(labels, "mul"), labels::toString);
    }

    @Test
    void productsWithOnePerChannelGoIntoPointwiseConvolutions() {
        int x = graph.input(ValueType.floats(2, 20, 6, 7), ImageStorage.DECLARED);
        int each = graph.input(ValueType.floats(2, 20, 1, 1), ImageStorage.DECLARED);
        int first = convolution(graph.add(BinaryMathOp.of(BinaryOp.MUL), each, x), ConvShape.of(20, 6, 7, 50, 1, 1));
        int rows = graph.input(ValueType.floats(2, 1, 6, 1), ImageStorage.DECLARED);
        int second =
                convolution(graph.add(BinaryMathOp.of(BinaryOp.MUL), first, rows), ConvShape.of(50, 6, 7, 20, 1, 1));
        List<String> labels = labels(graph.add(BinaryMathOp.of(BinaryOp.ADD), second, x));
        assertEquals(NATIVE ? 1 : 2, count(labels, "mul"), labels::toString);
        assertEquals(NATIVE ? 1 : 0, count(labels, "scaled convolution"), labels::toString);
    }

    @Test
    void excitationsOfOtherKindsStay() {
        ConvShape depthwise = ConvShape.of(80, 6, 7, 80, 3, 3).padding(1, 1).groups(80);
        int x = image(20);
        int wide = convolution(x, ConvShape.of(20, 6, 7, 80, 1, 1));
        int deep = graph.add(new ClampOp(Clamp.RELU6), convolution(wide, depthwise));
        int rows = graph.add(new ReduceOp(ReductionKernel.MEAN, new int[] {3}, true), deep);
        int scaled = graph.add(BinaryMathOp.of(BinaryOp.MUL), deep, rows);
        int greatest = graph.add(new ReduceOp(ReductionKernel.MAX, new int[] {2, 3}, true), scaled);
        int twice = graph.add(BinaryMathOp.of(BinaryOp.MUL), scaled, greatest);
        List<String> labels = labels(block(convolution(twice, ConvShape.of(80, 6, 7, 20, 1, 1)), 20, true));
        assertEquals(
                0,
                labels.stream()
                        .filter(label -> label.contains("squeeze-excite"))
                        .count(),
                labels::toString);
        assertEquals(2, count(labels, "mul"), labels::toString);
    }

    @Test
    void firstConvolutionsBeginChains() {
        int picture = graph.input(ValueType.floats(1, 3, 79, 83), ImageStorage.DECLARED);
        ConvShape first = ConvShape.of(3, 79, 83, 96, 3, 3).stride(2, 2).padding(1, 1);
        int wide = graph.add(new ClampOp(Clamp.RELU6), convolution(picture, first));
        ConvShape depthwise = ConvShape.of(96, 40, 42, 96, 3, 3).padding(1, 1).groups(96);
        int deep = graph.add(new ClampOp(Clamp.RELU6), convolution(wide, depthwise));
        List<String> labels = labels(convolution(deep, ConvShape.of(96, 40, 42, 16, 1, 1)));
        assertEquals(
                NATIVE ? 1 : 3,
                count(labels, "convolution") + count(labels, "depthwise") + count(labels, "chain"),
                labels::toString);
    }

    @Test
    void hardSwishesAreOneFunction() {
        int x = image(4);
        int three = graph.constant(ValueType.floats(1), new float[] {3});
        int sixth = graph.constant(ValueType.floats(1), new float[] {1 / 6f});
        int six = graph.constant(ValueType.floats(1), new float[] {6});
        int first = graph.add(new ClampOp(Clamp.RELU6), graph.add(BinaryMathOp.of(BinaryOp.ADD), x, three));
        int inner = graph.add(BinaryMathOp.of(BinaryOp.MUL), x, graph.add(BinaryMathOp.of(BinaryOp.MUL), first, sixth));
        int second = graph.add(new BinaryMathOp(BinaryOp.ADD, Clamp.RELU6), three, inner);
        int outer =
                graph.add(BinaryMathOp.of(BinaryOp.DIV), graph.add(BinaryMathOp.of(BinaryOp.MUL), second, inner), six);
        List<String> labels = labels(outer);
        assertEquals(2, labels.size(), labels::toString);
        assertEquals(2, count(labels, "hard_swish"), labels::toString);
    }

    @Test
    void hardSwishesGoIntoProducts() {
        int convolved = convolution(image(16), ConvShape.of(16, 6, 7, 16, 3, 3).padding(1, 1));
        int swished = graph.add(new ClampOp(Clamp.RELU1), graph.add(new UnaryMathOp(UnaryOp.HARD_SWISH), convolved));
        int sum = graph.add(
                BinaryMathOp.of(BinaryOp.ADD), swished, convolution(swished, ConvShape.of(16, 6, 7, 16, 1, 1)));
        int rows = graph.add(new ReshapeOp(new int[] {96, 7}), graph.add(new UnaryMathOp(UnaryOp.HARD_SWISH), sum));
        int linear = graph.add(new LinearOp(7, 5, floats(35), floats(5), Clamp.NONE), rows);
        List<String> labels = labels(graph.add(new UnaryMathOp(UnaryOp.HARD_SWISH), linear));
        assertEquals(0, count(labels, "hard_swish") + count(labels, "relu"), labels::toString);
    }

    @Test
    void hardSwishesBehindOtherActivationsStay() {
        int convolved = convolution(image(16), ConvShape.of(16, 6, 7, 16, 1, 1));
        int once = graph.add(new UnaryMathOp(UnaryOp.HARD_SWISH), graph.add(new ClampOp(Clamp.RELU), convolved));
        assertEquals(1, count(labels(once), "hard_swish"));
    }

    @Test
    void whatOnlyLooksLikeAHardSwishStays() {
        int x = image(4);
        int y = graph.add(new UnaryMathOp(UnaryOp.TANH), x);
        int three = graph.constant(ValueType.floats(1), new float[] {3});
        int fifth = graph.constant(ValueType.floats(1), new float[] {1 / 5f});
        int sixth = graph.constant(ValueType.floats(1), new float[] {1 / 6f});
        int limited = graph.add(new BinaryMathOp(BinaryOp.ADD, Clamp.RELU6), x, three);
        int other =
                graph.add(BinaryMathOp.of(BinaryOp.MUL), y, graph.add(BinaryMathOp.of(BinaryOp.MUL), limited, sixth));
        int again = graph.add(new BinaryMathOp(BinaryOp.ADD, Clamp.RELU6), other, three);
        assertEquals(
                0,
                count(
                        labels(graph.add(
                                BinaryMathOp.of(BinaryOp.MUL),
                                other,
                                graph.add(BinaryMathOp.of(BinaryOp.MUL), again, fifth))),
                        "hard_swish"));
    }
}
