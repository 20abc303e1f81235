package org.torchnnapi.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.QuantizedPoolOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.ResizeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** Grows graphs of images: every operation that takes images, in any company. */
final class RandomGraph {
    final GraphBuilder graph = new GraphBuilder();
    final Random random;
    /** Of what is behind convolutions, so that graphs are otherwise alike with it. */
    private final Random tables;

    final ImageLayout order;
    private final Element element;
    private final List<Integer> images = new ArrayList<>();

    RandomGraph(long seed, ImageLayout order, Element element) {
        random = new Random(seed);
        tables = new Random(seed);
        this.order = order;
        this.element = element;
    }

    ValueType type(int... shape) {
        return element == Element.FLOAT32 ? ValueType.floats(shape) : ValueType.bytes(quantization(), shape);
    }

    private ByteQuantization quantization() {
        return new ByteQuantization(element, 0.05f, element.isSigned() ? -9 : 117);
    }

    /** A graph of one input, about that many operations, and three outputs. */
    OpGraph build(int operations) {
        int channels = random.nextInt(3) == 0 ? 16 * (1 + random.nextInt(3)) : 1 + random.nextInt(37);
        // Some are large enough for what passes do row by row, or in bands, and begin with what becomes a chain; they
        // are few, as the twin is slow.
        boolean isLarge = random.nextInt(10) == 0;
        int extent = isLarge ? 28 : 3;
        channels = isLarge ? Math.min(channels, 20) : channels;
        ValueType type =
                type(dims(1 + random.nextInt(2), channels, extent + random.nextInt(5), extent + random.nextInt(5)));
        images.add(graph.input(type, storage()));
        if (isLarge) {
            images.add(element == Element.FLOAT32 ? block(images.get(0)) : byteBlock(images.get(0)));
        }
        for (int i = isLarge ? operations / 2 : 0; i < operations; i++) {
            images.add(
                    element == Element.FLOAT32
                            ? grow(images.get(images.size() - 1))
                            : growBytes(images.get(images.size() - 1)));
        }
        int last = images.get(images.size() - 1);
        graph.output(last, storage());
        int middle = images.get(images.size() / 2);
        graph.output(middle, storage());
        ValueType image = graph.type(last);
        int flat = graph.add(new ReshapeOp(new int[] {image.dimension(0), image.count() / image.dimension(0)}), last);
        if (element == Element.FLOAT32) {
            int mean = graph.add(
                    new ReduceOp(
                            ReductionKernel.MEAN,
                            order == ImageLayout.NCHW ? new int[] {2, 3} : new int[] {1, 2},
                            random.nextBoolean()),
                    last);
            int rows = graph.add(new ReshapeOp(new int[] {image.dimension(0), channels(last)}), mean);
            int dense =
                    graph.add(new LinearOp(channels(last), 5, floats(5 * channels(last)), floats(5), Clamp.RELU), rows);
            graph.output(graph.add(new SoftmaxOp(1, 1, false), dense), ImageStorage.DECLARED);
        } else {
            graph.output(flat, ImageStorage.DECLARED);
        }
        return graph.build();
    }

    private ImageStorage storage() {
        return random.nextBoolean()
                ? ImageStorage.DECLARED
                : order == ImageLayout.NCHW ? ImageStorage.CHANNELS_LAST : ImageStorage.CHANNELS_FIRST;
    }

    int[] dims(int batch, int channels, int height, int width) {
        return order == ImageLayout.NCHW
                ? new int[] {batch, channels, height, width}
                : new int[] {batch, height, width, channels};
    }

    private int channels(int value) {
        return graph.type(value).dimension(order == ImageLayout.NCHW ? 1 : 3);
    }

    private int height(int value) {
        return graph.type(value).dimension(order == ImageLayout.NCHW ? 2 : 1);
    }

    private int width(int value) {
        return graph.type(value).dimension(order == ImageLayout.NCHW ? 3 : 2);
    }

    float[] floats(int count) {
        float[] data = new float[count];
        for (int i = 0; i < count; i++) {
            data[i] = random.nextFloat() - 0.5f;
        }
        return data;
    }

    private byte[] bytes(int count) {
        byte[] data = new byte[count];
        random.nextBytes(data);
        return data;
    }

    private Clamp clamp() {
        return new Clamp[] {Clamp.NONE, Clamp.RELU, Clamp.RELU6, Clamp.RELU1}[random.nextInt(4)];
    }

    private ConvShape shape(int x) {
        int in = channels(x);
        return switch (random.nextInt(4)) {
            case 0 ->
                ConvShape.of(in, height(x), width(x), in, 3, 3).padding(1, 1).groups(in);
            case 1 -> ConvShape.of(in, height(x), width(x), 16, 1, 1);
            case 2 ->
                ConvShape.of(in, height(x), width(x), in, 3, 1)
                        .padding(1, 1, 0, 0)
                        .stride(random.nextInt(2) + 1, 1);
            default -> ConvShape.of(in, height(x), width(x), in, 1, 1);
        };
    }

    private Pooling.Window window(int x) {
        return new Pooling.Window(channels(x), height(x), width(x), height(x), width(x), 3, 3, 1, 1, 1, 1, 1, 1, 1, 1);
    }

    /** An earlier value of the same type, or the same again. */
    private int alike(int x) {
        List<Integer> same = new ArrayList<>(images);
        same.removeIf(value -> !graph.type(value).equals(graph.type(x)));
        same.add(x);
        return same.get(random.nextInt(same.size()));
    }

    /**
     * A depthwise window over images of so many channels and the size of those of x: 3x3 or 5x5, its rows up to two
     * apart, in steps of one or two, with padding that shifts it. What is done row by row hands over rows beyond its
     * own in each of these ways.
     */
    private ConvShape depthwise(int x, int channels) {
        int kernel = random.nextInt(3) == 0 ? 5 : 3;
        int dilation = random.nextInt(4) == 0 ? 2 : 1;
        int stride = 1 + random.nextInt(2);
        int half = (kernel - 1) * dilation / 2;
        int shift = random.nextInt(3) - 1;
        return ConvShape.of(channels, height(x), width(x), channels, kernel, kernel)
                .dilation(dilation, dilation)
                .stride(stride, stride)
                .padding(half + shift, half - shift, half - shift, half + shift)
                .groups(channels);
    }

    /** As {@link #block}, of bytes. */
    private int byteBlock(int x) {
        int part = random.nextInt(6);
        int wide = part == 0 ? channels(x) : 96 + 16 * random.nextInt(3);
        int widened = part == 0 ? x : convolved(x, ConvShape.of(channels(x), height(x), width(x), wide, 1, 1));
        int each = convolved(widened, depthwise(widened, wide));
        if (part == 1) {
            return each;
        }
        int narrow = convolved(each, ConvShape.of(wide, height(each), width(each), channels(x), 1, 1));
        return random.nextInt(3) == 0 || !graph.type(narrow).equals(graph.type(x)) ? narrow : sum(x, narrow);
    }

    private int sum(int a, int b) {
        ByteQuantization q = quantization();
        return graph.add(
                new QuantizedAddOp(
                        QuantizedSum.halfEven(
                                q.scale(),
                                q.zeroPoint(),
                                q.scale(),
                                q.zeroPoint(),
                                false,
                                q.scale(),
                                q.zeroPoint(),
                                element.isSigned(),
                                element.min(),
                                element.max()),
                        q),
                a,
                b);
    }

    /**
     * With weights about zero, as networks have them, or about another byte; of these the distances from it are bytes
     * as well, or not.
     */
    private int convolved(int x, ConvShape shape) {
        ByteQuantization quantization = quantization();
        int zero = random.nextInt(3) == 0 ? 3 : 0;
        int least = Byte.MIN_VALUE + (random.nextBoolean() ? zero : 0);
        byte[] values = bytes((int) shape.weightCount());
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) Math.max(values[i], least);
        }
        // Sums spread over the bytes of the result: what is limited everywhere would hide what it was made of.
        float spread = 74 * (float) Math.sqrt(shape.weightCount() / (double) shape.outC());
        float[] scales = new float[random.nextBoolean() ? 1 : shape.outC()];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = (0.5f + random.nextFloat()) * 0.7f / spread;
        }
        int[] bias = random.ints(shape.outC(), -2000, 2000).toArray();
        int low = random.nextInt(3) == 0 ? quantization.zeroPoint() : element.min();
        int made = graph.add(
                new QuantizedConvolutionOp(
                        shape,
                        order,
                        new QuantizedWeights(values, true, new int[] {zero}),
                        bias,
                        Requantization.halfEven(scales, quantization.zeroPoint(), low, element.max()),
                        quantization),
                x);
        if (tables.nextInt(4) > 0) {
            return made;
        }
        byte[] table = new byte[256];
        tables.nextBytes(table);
        return graph.add(new TableOp(table, quantization), made);
    }

    /** Widens, goes over each channel, and narrows again, or two of these: what becomes a chain where it pays. */
    private int block(int x) {
        int channels = channels(x);
        int part = random.nextInt(6);
        int wide = part == 0 ? channels : 96 + 16 * random.nextInt(3);
        int widened = part == 0
                ? x
                : graph.add(
                        new ClampOp(clamp()),
                        convolution(x, ConvShape.of(channels, height(x), width(x), wide, 1, 1), true));
        int each = graph.add(new ClampOp(clamp()), convolution(widened, depthwise(widened, wide), true));
        if (part == 1) {
            return each;
        }
        int narrow = convolution(each, ConvShape.of(wide, height(each), width(each), channels, 1, 1), false);
        return random.nextInt(3) == 0 || !graph.type(narrow).equals(graph.type(x))
                ? narrow
                : graph.add(BinaryMathOp.of(BinaryOp.ADD), x, narrow);
    }

    private int convolution(int x, ConvShape shape, boolean biased) {
        return graph.add(
                new ConvolutionOp(
                        shape,
                        order,
                        floats((int) shape.weightCount()),
                        biased ? floats(shape.outC()) : null,
                        Clamp.NONE),
                x);
    }

    private int grow(int x) {
        int channels = channels(x);
        switch (random.nextInt(15)) {
            case 14:
                return block(x);
            case 0:
            case 1:
            case 2:
                ConvShape shape = shape(x);
                int convolved = graph.add(
                        new ConvolutionOp(
                                shape, order, floats((int) shape.weightCount()), floats(shape.outC()), Clamp.NONE),
                        x);
                return random.nextBoolean() ? convolved : graph.add(new ClampOp(clamp()), convolved);
            case 3:
                ConvShape plain = ConvShape.of(channels, height(x), width(x), channels, 1, 1);
                int sum = graph.add(new ConvolutionOp(plain, order, floats(channels * channels), null, Clamp.NONE), x);
                return random.nextBoolean()
                        ? graph.add(new BinaryMathOp(BinaryOp.ADD, clamp()), alike(x), sum)
                        : graph.add(new BinaryMathOp(BinaryOp.ADD, clamp()), sum, alike(x));
            case 4:
                return graph.add(new UnaryMathOp(random.nextBoolean() ? UnaryOp.HARD_SWISH : UnaryOp.SIGMOID), x);
            case 5:
                return graph.add(new PoolOp(Pooling.Kind.values()[random.nextInt(3)], window(x), order, clamp()), x);
            case 6:
                int other = random.nextBoolean() ? alike(x) : x;
                return graph.add(
                        new ConcatenationOp(random.nextBoolean() ? order == ImageLayout.NCHW ? 1 : -1 : 2), x, other);
            case 7:
                int axis = 1 + random.nextInt(3);
                int size = graph.type(x).dimension(axis);
                int from = random.nextInt(size);
                return graph.add(
                        SliceOp.of(graph.type(x), axis, from, Math.min(size, from + Math.max(2, size / 2))), x);
            case 8:
                return graph.add(
                        new ResizeOp(
                                ResizeOp.Interpolation.values()[random.nextInt(3)],
                                order,
                                4,
                                5,
                                Coordinates.HALF_PIXEL,
                                height(x) / 4f,
                                width(x) / 5f,
                                Rounding.HALF_EVEN),
                        x);
            case 9:
                int scale = graph.add(
                        new ReduceOp(
                                ReductionKernel.MEAN,
                                order == ImageLayout.NCHW ? new int[] {-2, -1} : new int[] {1, 2},
                                true),
                        x);
                return graph.add(
                        BinaryMathOp.of(BinaryOp.MUL),
                        random.nextBoolean() ? new int[] {x, scale} : new int[] {scale, x});
            case 10:
                int[] turn = order == ImageLayout.NCHW ? new int[] {0, 2, 3, 1} : new int[] {0, 3, 1, 2};
                int[] back = order == ImageLayout.NCHW ? new int[] {0, 3, 1, 2} : new int[] {0, 2, 3, 1};
                return graph.add(
                        new TransposeOp(back), graph.add(new ClampOp(clamp()), graph.add(new TransposeOp(turn), x)));
            case 11:
                int[] pads = order == ImageLayout.NCHW ? new int[] {0, 0, 1, 2} : new int[] {0, 2, 0, 0};
                int padded = graph.add(new PadOp(pads, new int[] {0, 0, 1, 0}, random.nextInt(2)), x);
                ConvShape narrow = ConvShape.of(channels, height(padded), width(padded), channels, 2, 2);
                return graph.add(
                        new ConvolutionOp(narrow, order, floats((int) narrow.weightCount()), null, Clamp.RELU6),
                        padded);
            case 12:
                int[] one = dims(1, channels, 1, 1);
                int constant = graph.constant(ValueType.floats(one), floats(channels));
                BinaryOp op = BinaryOp.values()[random.nextInt(3)];
                return random.nextBoolean()
                        ? graph.add(BinaryMathOp.of(op), x, constant)
                        : graph.add(BinaryMathOp.of(op), constant, x);
            default:
                int whole = graph.constant(graph.type(x), floats(graph.type(x).count()));
                return graph.add(new BinaryMathOp(BinaryOp.MAX, clamp()), whole, x);
        }
    }

    private int growBytes(int x) {
        ByteQuantization quantization = quantization();
        switch (random.nextInt(10)) {
            case 0:
            case 1:
            case 2:
                return convolved(x, shape(x));
            case 9:
                return byteBlock(x);
            case 3:
                return sum(alike(x), x);
            case 4:
                return graph.add(new TableOp(bytes(256), quantization), x);
            case 5:
                return graph.add(
                        new QuantizedPoolOp(
                                Pooling.Kind.values()[random.nextInt(2)],
                                window(x),
                                order,
                                Rounding.HALF_EVEN,
                                random.nextBoolean(),
                                element.min() + 10,
                                element.max()),
                        x);
            case 6:
                return graph.add(
                        new ConcatenationOp(random.nextBoolean() ? order == ImageLayout.NCHW ? 1 : -1 : 2),
                        x,
                        alike(x));
            case 7:
                byte[] limits = new byte[256];
                for (int i = 0; i < 256; i++) {
                    limits[i] = (byte) Math.min(Math.max(element.isSigned() ? (byte) i : i, -20), 100);
                }
                return graph.add(new TableOp(limits, quantization), x);
            default:
                return graph.add(new BinaryTableOp(bytes(1 << 16), quantization), alike(x), x);
        }
    }
}
