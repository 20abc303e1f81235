package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.ints;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.QuantizedChain;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.Reduction;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Quantization;
import org.torchnnapi.program.Run;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.Weights;
import org.torchnnapi.program.op.ArgExtreme;
import org.torchnnapi.program.op.Binary;
import org.torchnnapi.program.op.BinaryTable;
import org.torchnnapi.program.op.Cast;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.Compare;
import org.torchnnapi.program.op.Concatenation;
import org.torchnnapi.program.op.Convert;
import org.torchnnapi.program.op.Convolution;
import org.torchnnapi.program.op.CumulativeSum;
import org.torchnnapi.program.op.Dequantize;
import org.torchnnapi.program.op.DynamicLayer;
import org.torchnnapi.program.op.DynamicLinear;
import org.torchnnapi.program.op.DynamicQuantize;
import org.torchnnapi.program.op.DynamicRange;
import org.torchnnapi.program.op.Embedding;
import org.torchnnapi.program.op.EmbeddingBag;
import org.torchnnapi.program.op.Gather;
import org.torchnnapi.program.op.GroupNorm;
import org.torchnnapi.program.op.Integers;
import org.torchnnapi.program.op.L2Normalization;
import org.torchnnapi.program.op.LayerNorm;
import org.torchnnapi.program.op.LeadingFlags;
import org.torchnnapi.program.op.Limit;
import org.torchnnapi.program.op.Linear;
import org.torchnnapi.program.op.LocalResponseNormalization;
import org.torchnnapi.program.op.LstmSteps;
import org.torchnnapi.program.op.LstmWeights;
import org.torchnnapi.program.op.MaskedFill;
import org.torchnnapi.program.op.MatrixProduct;
import org.torchnnapi.program.op.Pad;
import org.torchnnapi.program.op.PaddedSequences;
import org.torchnnapi.program.op.Pick;
import org.torchnnapi.program.op.Pointwise;
import org.torchnnapi.program.op.Pool;
import org.torchnnapi.program.op.Power;
import org.torchnnapi.program.op.Prelu;
import org.torchnnapi.program.op.Quantize;
import org.torchnnapi.program.op.QuantizedAdd;
import org.torchnnapi.program.op.QuantizedBilinear;
import org.torchnnapi.program.op.QuantizedConvolution;
import org.torchnnapi.program.op.QuantizedExtreme;
import org.torchnnapi.program.op.QuantizedLinear;
import org.torchnnapi.program.op.QuantizedMean;
import org.torchnnapi.program.op.QuantizedPool;
import org.torchnnapi.program.op.QuantizedSoftmax;
import org.torchnnapi.program.op.Recurrent;
import org.torchnnapi.program.op.RecurrentDirections;
import org.torchnnapi.program.op.RecurrentStack;
import org.torchnnapi.program.op.Reduce;
import org.torchnnapi.program.op.Reshape;
import org.torchnnapi.program.op.Resize;
import org.torchnnapi.program.op.RnnSteps;
import org.torchnnapi.program.op.Select;
import org.torchnnapi.program.op.Slice;
import org.torchnnapi.program.op.Softmax;
import org.torchnnapi.program.op.SvdfMemory;
import org.torchnnapi.program.op.Table;
import org.torchnnapi.program.op.TakeAlong;
import org.torchnnapi.program.op.Tile;
import org.torchnnapi.program.op.TopPlaces;
import org.torchnnapi.program.op.Transpose;
import org.torchnnapi.program.op.Unary;
import org.torchnnapi.program.op.VolumeConvolution;
import org.torchnnapi.program.op.VolumePool;
import org.torchnnapi.program.op.VolumeResize;

/**
 * Every operation of programs, each as a program of its own on one thread, with its inputs and outputs as they are declared: the work on
 * elements that has no kernel beneath it, and what conversions and bookkeeping add to that of the others.
 */
final class OperationCases {
    private static final int COUNT = ElementCases.COUNT;
    private static final Quantization BYTES = new Quantization(Element.UINT8, 0.02f, 117);
    private static final ValueType FLOAT_IMAGE = ValueType.floats(1, 32, 56, 56);
    private static final ValueType BYTE_IMAGE = ValueType.bytes(BYTES, 1, 56, 56, 32);
    private static final ValueType FLOAT_ROWS = ValueType.floats(98, 1024);
    private static final ValueType BYTE_ROWS = ValueType.bytes(BYTES, 98, 1024);
    private static final ValueType INT_ROWS = ValueType.ints(98, 1024);
    private static final ValueType FLAG_ROWS = ValueType.flags(98, 1024);
    private static final Pooling.Window WINDOW = new Pooling.Window(32, 56, 56, 28, 28, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0);

    private OperationCases() {
    }

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        floatElements(cases);
        byteElements(cases);
        places(cases);
        rows(cases);
        images(cases);
        products(cases);
        return cases;
    }

    private static void floatElements(List<KernelCase> cases) {
        add(cases, new Unary(UnaryOp.SIGMOID), FLOAT_ROWS);
        add(cases, new Limit(Clamp.RELU6), FLOAT_ROWS);
        add(cases, Pointwise.SIN, FLOAT_ROWS);
        add(cases, Pointwise.COS, FLOAT_ROWS);
        add(cases, Pointwise.ERF, FLOAT_ROWS);
        add(cases, Pointwise.FLOOR, FLOAT_ROWS);
        add(cases, Pointwise.ROUND, FLOAT_ROWS);
        add(cases, Pointwise.elu(1), FLOAT_ROWS);
        add(cases, Pointwise.leakyRelu(0.01f), FLOAT_ROWS);
        add(cases, new LeadingFlags(), ValueType.flags(64, 512));
        add(cases, new PaddedSequences(0), ValueType.floats(4, 128, 256), ValueType.flags(4, 128));
        add(cases, Binary.of(BinaryOp.ADD), FLOAT_ROWS, FLOAT_ROWS);
        add(cases, Binary.of(BinaryOp.ADD), FLOAT_ROWS, ValueType.floats(98, 1));
        add(cases, new Power(), FLOAT_ROWS, FLOAT_ROWS);
        add(cases, new Prelu(), FLOAT_ROWS, ValueType.floats(1024));
        add(cases, new MaskedFill(-1, true), FLOAT_ROWS, ValueType.bytes(BYTES, 1024));
        for (Compare.Relation relation : Compare.Relation.values()) {
            add(cases, new Compare(relation), FLOAT_ROWS, FLOAT_ROWS);
        }
        add(cases, new Select(), FLAG_ROWS, FLOAT_ROWS, FLOAT_ROWS);
        for (Integers.Function function : Integers.Function.values()) {
            add(cases, new Integers(function), INT_ROWS, INT_ROWS);
        }
        add(cases, new Select(), ValueType.flags(98, 1), FLOAT_ROWS, ValueType.floats());
        add(cases, new Cast(ValueType.ints()), FLOAT_ROWS);
        add(cases, new Convert(Element.FLOAT32), INT_ROWS);
        add(cases, new Convert(Element.INT32), FLOAT_ROWS);
        add(cases, new Convert(Element.BOOL8), INT_ROWS);
    }

    private static void byteElements(List<KernelCase> cases) {
        add(cases, new Quantize(BYTES, Quantizing.Rule.QUOTIENT_HALF_EVEN), FLOAT_ROWS);
        add(cases, new Dequantize(), BYTE_ROWS);
        add(cases, new Table(bytes(256), BYTES), BYTE_ROWS);
        add(cases, new BinaryTable(bytes(1 << 16), BYTES), BYTE_ROWS, ValueType.bytes(BYTES, 98, 1));
        add(cases, new QuantizedAdd(QuantizedSum.fixedPoint(BYTES.scale(), BYTES.zeroPoint(), BYTES.scale(), BYTES.zeroPoint(), false, BYTES.scale(),
            BYTES.zeroPoint(), false, 0, 255), BYTES), BYTE_ROWS, BYTE_ROWS);
    }

    private static void places(List<KernelCase> cases) {
        add(cases, new Reshape(new int[] {COUNT}), FLOAT_ROWS);
        add(cases, new Concatenation(1), FLOAT_IMAGE, FLOAT_IMAGE);
        add(cases, new Slice(new int[] {0, 8, 1, 1}, new int[] {1, 16, 27, 27}, new int[] {1, 1, 2, 2}), FLOAT_IMAGE);
        add(cases, new Pad(new int[] {0, 0, 1, 1}, new int[] {0, 0, 1, 1}, 0), FLOAT_IMAGE);
        add(cases, new Tile(new int[] {1, 2}), FLOAT_ROWS);
        add(cases, new Transpose(new int[] {0, 2, 3, 1}), FLOAT_IMAGE);
        // Rows turned over, and moved on by 10.
        add(cases, new Pick(new int[][] {null, IntStream.range(0, 1024).map(i -> 1023 - i).toArray()}), FLOAT_ROWS);
        add(cases, new Pick(new int[][] {IntStream.range(0, 98).map(i -> (i + 10) % 98).toArray(), null}), BYTE_ROWS);
        add(cases, new Gather(0), FLOAT_ROWS, ValueType.ints(49));
        add(cases, new TakeAlong(), FLOAT_ROWS, ValueType.ints(98, 512));
        Weights table = Weights.of(floats(1000 * 256));
        add(cases, new Embedding(1000, 256, table), ValueType.ints(128));
        add(cases, new EmbeddingBag(1000, 256, table, EmbeddingBag.Mode.SUM, false, -1), ValueType.ints(512), ValueType.ints(64));
    }

    private static void rows(List<KernelCase> cases) {
        for (Reduction reduction : Reduction.values()) {
            add(cases, new Reduce(reduction, new int[] {1}, false), FLOAT_ROWS);
        }
        add(cases, new QuantizedMean(new int[] {1, 2}, true, Rounding.HALF_AWAY), BYTE_IMAGE);
        add(cases, new QuantizedExtreme(true, new int[] {1}, false), BYTE_ROWS);
        add(cases, new ArgExtreme(true, 1), FLOAT_ROWS);
        add(cases, new ArgExtreme(true, 0), BYTE_ROWS);
        add(cases, new TopPlaces(5), FLOAT_ROWS);
        add(cases, new TopPlaces(1024), FLOAT_ROWS);
        add(cases, new CumulativeSum(1), FLOAT_ROWS);
        add(cases, new CumulativeSum(0), INT_ROWS);
        add(cases, new DynamicRange(), FLOAT_ROWS);
        add(cases, new DynamicQuantize(), FLOAT_ROWS, ValueType.floats(1, 2));
        add(cases, new Softmax(1, 1, false), FLOAT_ROWS);
        add(cases, new QuantizedSoftmax(1, 1, new Quantization(Element.UINT8, 1f / 256, 0)), BYTE_ROWS);
        add(cases, new LayerNorm(1024, 1e-5f, floats(1024), floats(1024)), FLOAT_ROWS);
        add(cases, new GroupNorm(8, 1e-5f, floats(32), floats(32)), FLOAT_IMAGE);
        add(cases, new L2Normalization(1, null), FLOAT_ROWS);
        add(cases, new L2Normalization(3, new Quantization(Element.UINT8, 1f / 128, 128)), BYTE_IMAGE);
        add(cases, new LocalResponseNormalization(1, 2, 1, 1e-4f, 0.75f), FLOAT_IMAGE);
    }

    private static void images(List<KernelCase> cases) {
        add(cases, new Pool(Pooling.Kind.MAX, WINDOW, ImageLayout.NCHW, Clamp.NONE), FLOAT_IMAGE);
        add(cases, new QuantizedPool(Pooling.Kind.MAX, WINDOW, ImageLayout.NHWC, Rounding.HALF_AWAY, false, 0, 255), BYTE_IMAGE);
        add(cases, new Resize(Resize.Interpolation.BILINEAR, ImageLayout.NCHW, 112, 112, Coordinates.HALF_PIXEL, 0.5f, 0.5f, Rounding.HALF_EVEN), FLOAT_IMAGE);
        add(cases, new QuantizedBilinear(ImageLayout.NHWC, 112, 112, Coordinates.HALF_PIXEL), BYTE_IMAGE);
    }

    private static void products(List<KernelCase> cases) {
        ConvShape shape = ConvShape.of(32, 56, 56, 32, 3, 3).padding(1, 1);
        long work = shape.weightCount() * 56 * 56;
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, work,
            new Convolution(shape, ImageLayout.NCHW, floats((int) shape.weightCount()), null, Clamp.RELU6), FLOAT_IMAGE);
        QuantizedChain.Stage stage = ConvolutionCases.byteStage(shape);
        int[][] taps = {{-1, 0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3, -1}};
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 10 * work,
            new VolumeConvolution(shape, taps, 4, Weights.of(floats(3 * (int) shape.weightCount())), null, Activation.of(Clamp.RELU)),
            ValueType.floats(4, 32, 56, 56));
        add(cases, new VolumePool(new int[][] {{0, 1}, {2, 3}}, 4, false, 0), ValueType.floats(4, 32, 56, 56));
        add(cases, new VolumeResize(true, 4, 8, Coordinates.HALF_PIXEL, 0.5f), ValueType.floats(4, 32, 56, 56));
        Quantization input = new Quantization(Element.UINT8, 0.02f, stage.inputZeroPoint());
        add(cases, KernelCase.Unit.BYTE_MULTIPLY_ADDS, work,
            new QuantizedConvolution(shape, ImageLayout.NHWC, stage.weights(), null, stage.requantization(), new Quantization(Element.UINT8, 0.02f, 0)),
            ValueType.bytes(input, 1, 56, 56, 32));
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 8L * 1280 * 1000, new Linear(1280, 1000, floats(1280 * 1000), null, Clamp.NONE),
            ValueType.floats(8, 1280));
        QuantizedChain.Stage row = ConvolutionCases.byteStage(ConvShape.of(1280, 1, 1, 1000, 1, 1));
        add(cases, KernelCase.Unit.BYTE_MULTIPLY_ADDS, 8L * 1280 * 1000,
            new QuantizedLinear(1280, 1000, row.weights(), null, row.requantization(), new Quantization(Element.UINT8, 0.02f, 0)),
            ValueType.bytes(input, 8, 1280));
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 3L * 197 * 197 * 64, new MatrixProduct(true, 0.125f), ValueType.floats(3, 197, 64),
            ValueType.floats(3, 197, 64));
        add(cases, KernelCase.Unit.BYTE_MULTIPLY_ADDS, 8L * 1280 * 1000, new DynamicLinear(DynamicCases.product(1280, 1000)),
            ValueType.bytes(BYTES, 8, 1280), ValueType.floats(1, 2));
        int hidden = 128;
        int rows = Cell.GRU.gates() * hidden;
        Recurrent gru = new Recurrent(Cell.GRU, hidden, hidden, floats(rows * hidden), floats(rows * hidden), null, null, false);
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 100L * rows * (hidden + hidden), gru, ValueType.floats(100, 1, hidden),
            ValueType.floats(1, hidden));
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 200L * rows * (hidden + hidden), new RecurrentStack(List.of(gru, gru)),
            ValueType.floats(100, 1, hidden), ValueType.floats(1, hidden), ValueType.floats(1, hidden));
        Recurrent backward = new Recurrent(Cell.GRU, hidden, hidden, floats(rows * hidden), floats(rows * hidden), null, null, true);
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 200L * rows * (hidden + hidden), new RecurrentDirections(gru, backward),
            ValueType.floats(100, 1, hidden), ValueType.floats(1, hidden), ValueType.floats(1, hidden));
        add(cases, KernelCase.Unit.BYTE_MULTIPLY_ADDS, 100L * rows * (hidden + hidden),
            new DynamicLayer(Cell.GRU, DynamicCases.product(hidden, rows), DynamicCases.product(hidden, rows), false),
            ValueType.floats(100, 1, hidden), ValueType.floats(1, hidden));
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 100L * hidden * hidden, new RnnSteps(hidden, floats(hidden * hidden), CellFunction.TANH, false),
            ValueType.floats(100, 1, hidden), ValueType.floats(1, hidden));
        int gates = Cell.LSTM.gates() * hidden;
        LstmWeights weights = new LstmWeights(hidden, hidden, false, floats(gates * hidden), floats(3 * hidden), floats(gates), floats(gates),
            floats(hidden * hidden), null);
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 100L * (gates + hidden) * hidden,
            new LstmSteps(weights, CellFunction.TANH, Clamp.NONE, Clamp.NONE, false), ValueType.floats(100, 1, gates), ValueType.floats(1, hidden),
            ValueType.floats(1, hidden));
        add(cases, KernelCase.Unit.FLOAT_MULTIPLY_ADDS, 1024L * 10, new SvdfMemory(1024, 10, 2, floats(1024 * 10), floats(512), CellFunction.RELU),
            ValueType.floats(1, 1024), ValueType.floats(1, 1024 * 10));
    }

    /** Counts the elements of the input or of the result, whichever has more. */
    private static void add(List<KernelCase> cases, Op op, ValueType... inputs) {
        add(cases, KernelCase.Unit.ELEMENTS, Math.max(inputs[0].count(), op.result(List.of(inputs)).count()), op, inputs);
    }

    private static void add(List<KernelCase> cases, KernelCase.Unit unit, long work, Op op, ValueType... inputs) {
        String over = Stream.of(inputs).map(type -> type.element() + "_"
            + Arrays.stream(type.shape()).mapToObj(Integer::toString).collect(Collectors.joining("X"))).collect(Collectors.joining("_"));
        String name = "PROGRAM_" + op.label().replace(' ', '_').toUpperCase(Locale.ROOT) + "_" + over;
        cases.add(new KernelCase(name, unit, work, () -> program(op, inputs)));
    }

    private static Runnable program(Op op, ValueType... types) {
        KernelPool.shared().setNumThreads(1);
        GraphBuilder graph = new GraphBuilder();
        int[] values = new int[types.length];
        Buffer[] in = new Buffer[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = graph.input(types[i], ImageStorage.DECLARED);
            // Numbers of the second input may be indexes of the first.
            in[i] = buffer(types[i], types[0].dimension(0));
        }
        int result = graph.add(op, values);
        graph.output(result, ImageStorage.DECLARED);
        Buffer[] out = {buffer(graph.type(result), 1)};
        Run run = Program.compile(graph.build(), () -> { }).newRun();
        return () -> run.execute(in, out, () -> { });
    }

    private static Buffer buffer(ValueType type, int bound) {
        return switch (type.element().store()) {
            case FLOATS -> FloatBuffer.wrap(floats(type.count()));
            case BYTES -> ByteBuffer.wrap(bytes(type.count()));
            case INTS -> IntBuffer.wrap(ints(type.count(), bound));
        };
    }
}
