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
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Run;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ArgExtremeOp;
import org.torchnnapi.program.op.AttentionOp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.CastOp;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.CompareOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ConstantGather;
import org.torchnnapi.program.op.ConvertOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.CumulativeSumOp;
import org.torchnnapi.program.op.DequantizeOp;
import org.torchnnapi.program.op.DynamicLayerOp;
import org.torchnnapi.program.op.DynamicLinearOp;
import org.torchnnapi.program.op.DynamicQuantizeOp;
import org.torchnnapi.program.op.DynamicRangeOp;
import org.torchnnapi.program.op.EmbeddingBagOp;
import org.torchnnapi.program.op.EmbeddingOp;
import org.torchnnapi.program.op.GatherOp;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.Int32BinaryOp;
import org.torchnnapi.program.op.L2NormalizationOp;
import org.torchnnapi.program.op.LayerNormOp;
import org.torchnnapi.program.op.LeadingFlagsOp;
import org.torchnnapi.program.op.LeakyReluOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.LocalResponseNormalizationOp;
import org.torchnnapi.program.op.LstmStepsOp;
import org.torchnnapi.program.op.LstmWeights;
import org.torchnnapi.program.op.MaskedFillOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.PaddedSequencesOp;
import org.torchnnapi.program.op.PointwiseOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.PowerOp;
import org.torchnnapi.program.op.QuantizeOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.QuantizedBilinearOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.QuantizedExtremeOp;
import org.torchnnapi.program.op.QuantizedLinearOp;
import org.torchnnapi.program.op.QuantizedMeanOp;
import org.torchnnapi.program.op.QuantizedPoolOp;
import org.torchnnapi.program.op.QuantizedSoftmaxOp;
import org.torchnnapi.program.op.RecurrentDirectionsOp;
import org.torchnnapi.program.op.RecurrentOp;
import org.torchnnapi.program.op.RecurrentStackOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.ResizeOp;
import org.torchnnapi.program.op.RnnStepsOp;
import org.torchnnapi.program.op.SelectOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.program.op.StridedView;
import org.torchnnapi.program.op.SvdfMemoryOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.TakeAlongOp;
import org.torchnnapi.program.op.TileOp;
import org.torchnnapi.program.op.TopPlacesOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.program.op.UnaryMathOp;
import org.torchnnapi.program.op.VarianceOp;
import org.torchnnapi.program.op.VolumeConvolutionOp;
import org.torchnnapi.program.op.VolumePoolOp;
import org.torchnnapi.program.op.VolumeResizeOp;

/**
 * Every operation of programs, each as a program of its own on one thread, with its inputs and outputs as they are
 * declared: the work on elements that has no kernel beneath it, and what conversions and bookkeeping add to that of the
 * others.
 */
final class OperationCases {
    private static final int COUNT = ElementCases.COUNT;
    private static final ByteQuantization BYTES = new ByteQuantization(Element.UINT8, 0.02f, 117);
    private static final ValueType FLOAT_IMAGE = ValueType.floats(1, 32, 56, 56);
    private static final ValueType BYTE_IMAGE = ValueType.bytes(BYTES, 1, 56, 56, 32);
    private static final ValueType FLOAT_ROWS = ValueType.floats(98, 1024);
    private static final ValueType BYTE_ROWS = ValueType.bytes(BYTES, 98, 1024);
    private static final ValueType INT_ROWS = ValueType.ints(98, 1024);
    private static final ValueType FLAG_ROWS = ValueType.flags(98, 1024);
    private static final Pooling.Window WINDOW = new Pooling.Window(32, 56, 56, 28, 28, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0);

    private OperationCases() {}

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
        add(cases, new UnaryMathOp(UnaryOp.SIGMOID), FLOAT_ROWS);
        add(cases, new ClampOp(Clamp.RELU6), FLOAT_ROWS);
        add(cases, PointwiseOp.SIN, FLOAT_ROWS);
        add(cases, PointwiseOp.COS, FLOAT_ROWS);
        add(cases, PointwiseOp.ERF, FLOAT_ROWS);
        add(cases, PointwiseOp.FLOOR, FLOAT_ROWS);
        add(cases, PointwiseOp.ROUND, FLOAT_ROWS);
        add(cases, PointwiseOp.elu(1), FLOAT_ROWS);
        add(cases, new LeakyReluOp(0.01f), FLOAT_ROWS);
        add(cases, new LeadingFlagsOp(), ValueType.flags(64, 512));
        add(cases, new PaddedSequencesOp(0), ValueType.floats(4, 128, 256), ValueType.flags(4, 128));
        add(cases, BinaryMathOp.of(BinaryOp.ADD), FLOAT_ROWS, FLOAT_ROWS);
        add(cases, BinaryMathOp.of(BinaryOp.ADD), FLOAT_ROWS, ValueType.floats(98, 1));
        add(cases, new PowerOp(), FLOAT_ROWS, FLOAT_ROWS);
        add(cases, BinaryMathOp.of(BinaryOp.PRELU), FLOAT_ROWS, ValueType.floats(1024));
        add(cases, new MaskedFillOp(-1, true), FLOAT_ROWS, ValueType.bytes(BYTES, 1024));
        for (CompareOp.Relation relation : CompareOp.Relation.values()) {
            add(cases, new CompareOp(relation), FLOAT_ROWS, FLOAT_ROWS);
        }
        add(cases, new SelectOp(), FLAG_ROWS, FLOAT_ROWS, FLOAT_ROWS);
        for (Int32BinaryOp.Function function : Int32BinaryOp.Function.values()) {
            add(cases, new Int32BinaryOp(function), INT_ROWS, INT_ROWS);
        }
        add(cases, new SelectOp(), ValueType.flags(98, 1), FLOAT_ROWS, ValueType.floats());
        add(cases, new CastOp(ValueType.ints()), FLOAT_ROWS);
        add(cases, new ConvertOp(Element.FLOAT32), INT_ROWS);
        add(cases, new ConvertOp(Element.INT32), FLOAT_ROWS);
        add(cases, new ConvertOp(Element.BOOL8), INT_ROWS);
    }

    private static void byteElements(List<KernelCase> cases) {
        add(cases, new QuantizeOp(BYTES, Quantizing.Rule.QUOTIENT_HALF_EVEN), FLOAT_ROWS);
        add(cases, new DequantizeOp(), BYTE_ROWS);
        add(cases, new TableOp(bytes(256), BYTES), BYTE_ROWS);
        add(cases, new BinaryTableOp(bytes(1 << 16), BYTES), BYTE_ROWS, ValueType.bytes(BYTES, 98, 1));
        add(
                cases,
                new QuantizedAddOp(
                        QuantizedSum.fixedPoint(
                                BYTES.scale(),
                                BYTES.zeroPoint(),
                                BYTES.scale(),
                                BYTES.zeroPoint(),
                                false,
                                BYTES.scale(),
                                BYTES.zeroPoint(),
                                false,
                                0,
                                255),
                        BYTES),
                BYTE_ROWS,
                BYTE_ROWS);
    }

    private static void places(List<KernelCase> cases) {
        add(cases, new ReshapeOp(new int[] {COUNT}), FLOAT_ROWS);
        add(cases, new ConcatenationOp(1), FLOAT_IMAGE, FLOAT_IMAGE);
        add(cases, new SliceOp(new int[] {0, 8, 1, 1}, new int[] {1, 16, 27, 27}, new int[] {1, 1, 2, 2}), FLOAT_IMAGE);
        add(cases, new PadOp(new int[] {0, 0, 1, 1}, new int[] {0, 0, 1, 1}, 0), FLOAT_IMAGE);
        add(cases, new TileOp(new int[] {1, 2}), FLOAT_ROWS);
        add(cases, new TransposeOp(new int[] {0, 2, 3, 1}), FLOAT_IMAGE);
        // Rows turned over, and moved on by 10.
        add(
                cases,
                new ConstantGather(new int[][] {
                    null, IntStream.range(0, 1024).map(i -> 1023 - i).toArray()
                }),
                FLOAT_ROWS);
        add(
                cases,
                new ConstantGather(new int[][] {
                    IntStream.range(0, 98).map(i -> (i + 10) % 98).toArray(), null
                }),
                BYTE_ROWS);
        add(cases, new GatherOp(0), FLOAT_ROWS, ValueType.ints(49));
        add(cases, new TakeAlongOp(), FLOAT_ROWS, ValueType.ints(98, 512));
        Weights table = Weights.of(floats(1000 * 256));
        add(cases, new EmbeddingOp(1000, 256, table), ValueType.ints(128));
        add(
                cases,
                new EmbeddingBagOp(1000, 256, table, EmbeddingBagOp.Mode.SUM, false, -1),
                ValueType.ints(512),
                ValueType.ints(64));
    }

    private static void rows(List<KernelCase> cases) {
        for (ReductionKernel reduction : ReductionKernel.values()) {
            add(cases, new ReduceOp(reduction, new int[] {1}, false), FLOAT_ROWS);
        }
        add(cases, new VarianceOp(new int[] {1}, 1, false, false), FLOAT_ROWS);
        add(cases, new VarianceOp(new int[] {0}, 1, true, false), FLOAT_ROWS);
        add(cases, new QuantizedMeanOp(new int[] {1, 2}, true, Rounding.HALF_AWAY), BYTE_IMAGE);
        add(cases, new QuantizedExtremeOp(true, new int[] {1}, false), BYTE_ROWS);
        add(cases, new ArgExtremeOp(true, 1), FLOAT_ROWS);
        add(cases, new ArgExtremeOp(true, 0), BYTE_ROWS);
        add(cases, new TopPlacesOp(5), FLOAT_ROWS);
        add(cases, new TopPlacesOp(1024), FLOAT_ROWS);
        add(cases, new CumulativeSumOp(1), FLOAT_ROWS);
        add(cases, new CumulativeSumOp(0), INT_ROWS);
        add(cases, new DynamicRangeOp(), FLOAT_ROWS);
        add(cases, new DynamicQuantizeOp(), FLOAT_ROWS, ValueType.floats(1, 2));
        add(cases, new SoftmaxOp(1, 1, false), FLOAT_ROWS);
        add(cases, new QuantizedSoftmaxOp(1, 1, new ByteQuantization(Element.UINT8, 1f / 256, 0)), BYTE_ROWS);
        add(cases, new LayerNormOp(1024, 1e-5f, floats(1024), floats(1024)), FLOAT_ROWS);
        add(cases, new GroupNormOp(8, 1e-5f, floats(32), floats(32)), FLOAT_IMAGE);
        add(cases, new L2NormalizationOp(1, null), FLOAT_ROWS);
        add(cases, new L2NormalizationOp(3, new ByteQuantization(Element.UINT8, 1f / 128, 128)), BYTE_IMAGE);
        add(cases, new LocalResponseNormalizationOp(1, 2, 1, 1e-4f, 0.75f), FLOAT_IMAGE);
    }

    private static void images(List<KernelCase> cases) {
        add(cases, new PoolOp(Pooling.Kind.MAX, WINDOW, ImageLayout.NCHW, Clamp.NONE), FLOAT_IMAGE);
        add(
                cases,
                new QuantizedPoolOp(Pooling.Kind.MAX, WINDOW, ImageLayout.NHWC, Rounding.HALF_AWAY, false, 0, 255),
                BYTE_IMAGE);
        add(
                cases,
                new ResizeOp(
                        ResizeOp.Interpolation.BILINEAR,
                        ImageLayout.NCHW,
                        112,
                        112,
                        Coordinates.HALF_PIXEL,
                        0.5f,
                        0.5f,
                        Rounding.HALF_EVEN),
                FLOAT_IMAGE);
        add(cases, new QuantizedBilinearOp(ImageLayout.NHWC, 112, 112, Coordinates.HALF_PIXEL), BYTE_IMAGE);
    }

    private static void products(List<KernelCase> cases) {
        ConvShape shape = ConvShape.of(32, 56, 56, 32, 3, 3).padding(1, 1);
        long work = shape.weightCount() * 56 * 56;
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                work,
                new ConvolutionOp(shape, ImageLayout.NCHW, floats((int) shape.weightCount()), null, Clamp.RELU6),
                FLOAT_IMAGE);
        QuantizedChain.Stage stage = ConvolutionCases.byteStage(shape);
        int[][] taps = {{-1, 0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3, -1}};
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                10 * work,
                new VolumeConvolutionOp(
                        shape,
                        taps,
                        4,
                        Weights.of(floats(3 * (int) shape.weightCount())),
                        null,
                        Activation.of(Clamp.RELU)),
                ValueType.floats(4, 32, 56, 56));
        add(cases, new VolumePoolOp(new int[][] {{0, 1}, {2, 3}}, 4, false, 0), ValueType.floats(4, 32, 56, 56));
        add(cases, new VolumeResizeOp(true, 4, 8, Coordinates.HALF_PIXEL, 0.5f), ValueType.floats(4, 32, 56, 56));
        ByteQuantization input = new ByteQuantization(Element.UINT8, 0.02f, stage.inputZeroPoint());
        add(
                cases,
                KernelCase.Unit.BYTE_MULTIPLY_ADDS,
                work,
                new QuantizedConvolutionOp(
                        shape,
                        ImageLayout.NHWC,
                        stage.weights(),
                        null,
                        stage.requantization(),
                        new ByteQuantization(Element.UINT8, 0.02f, 0)),
                ValueType.bytes(input, 1, 56, 56, 32));
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                8L * 1280 * 1000,
                new LinearOp(1280, 1000, floats(1280 * 1000), null, Clamp.NONE),
                ValueType.floats(8, 1280));
        QuantizedChain.Stage row = ConvolutionCases.byteStage(ConvShape.of(1280, 1, 1, 1000, 1, 1));
        add(
                cases,
                KernelCase.Unit.BYTE_MULTIPLY_ADDS,
                8L * 1280 * 1000,
                new QuantizedLinearOp(
                        1280,
                        1000,
                        row.weights(),
                        null,
                        row.requantization(),
                        new ByteQuantization(Element.UINT8, 0.02f, 0)),
                ValueType.bytes(input, 8, 1280));
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                3L * 197 * 197 * 64,
                new MatrixProductOp(true, 0.125f),
                ValueType.floats(3, 197, 64),
                ValueType.floats(3, 197, 64));
        ValueType heads = ValueType.floats(12, 512, 64);
        ValueType keys = ValueType.floats(12, 64, 512);
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                2L * 12 * 512 * 512 * 64,
                new AttentionOp(
                        StridedView.of(heads),
                        StridedView.of(keys),
                        StridedView.of(heads),
                        0.125f,
                        List.of(),
                        new SoftmaxOp(-1, 1, false),
                        StridedView.of(heads),
                        heads.shape()),
                heads,
                keys,
                heads);
        add(
                cases,
                KernelCase.Unit.BYTE_MULTIPLY_ADDS,
                8L * 1280 * 1000,
                new DynamicLinearOp(DynamicCases.product(1280, 1000)),
                ValueType.bytes(BYTES, 8, 1280),
                ValueType.floats(1, 2));
        int hidden = 128;
        int rows = Cell.GRU.gates() * hidden;
        RecurrentOp gru = new RecurrentOp(
                Cell.GRU, hidden, hidden, floats(rows * hidden), floats(rows * hidden), null, null, false);
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                100L * rows * (hidden + hidden),
                gru,
                ValueType.floats(100, 1, hidden),
                ValueType.floats(1, hidden));
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                200L * rows * (hidden + hidden),
                new RecurrentStackOp(List.of(gru, gru)),
                ValueType.floats(100, 1, hidden),
                ValueType.floats(1, hidden),
                ValueType.floats(1, hidden));
        RecurrentOp backward = new RecurrentOp(
                Cell.GRU, hidden, hidden, floats(rows * hidden), floats(rows * hidden), null, null, true);
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                200L * rows * (hidden + hidden),
                new RecurrentDirectionsOp(gru, backward),
                ValueType.floats(100, 1, hidden),
                ValueType.floats(1, hidden),
                ValueType.floats(1, hidden));
        add(
                cases,
                KernelCase.Unit.BYTE_MULTIPLY_ADDS,
                100L * rows * (hidden + hidden),
                new DynamicLayerOp(
                        Cell.GRU, DynamicCases.product(hidden, rows), DynamicCases.product(hidden, rows), false),
                ValueType.floats(100, 1, hidden),
                ValueType.floats(1, hidden));
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                100L * hidden * hidden,
                new RnnStepsOp(hidden, floats(hidden * hidden), CellFunction.TANH, false),
                ValueType.floats(100, 1, hidden),
                ValueType.floats(1, hidden));
        int gates = Cell.LSTM.gates() * hidden;
        LstmWeights weights = new LstmWeights(
                hidden,
                hidden,
                false,
                floats(gates * hidden),
                floats(3 * hidden),
                floats(gates),
                floats(gates),
                floats(hidden * hidden),
                null);
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                100L * (gates + hidden) * hidden,
                new LstmStepsOp(weights, CellFunction.TANH, Clamp.NONE, Clamp.NONE, false),
                ValueType.floats(100, 1, gates),
                ValueType.floats(1, hidden),
                ValueType.floats(1, hidden));
        add(
                cases,
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                1024L * 10,
                new SvdfMemoryOp(1024, 10, 2, floats(1024 * 10), floats(512), CellFunction.RELU),
                ValueType.floats(1, 1024),
                ValueType.floats(1, 1024 * 10));
    }

    /** Counts the elements of the input or of the result, whichever has more. */
    private static void add(List<KernelCase> cases, Op op, ValueType... inputs) {
        add(
                cases,
                KernelCase.Unit.ELEMENTS,
                Math.max(inputs[0].count(), op.result(List.of(inputs)).count()),
                op,
                inputs);
    }

    private static void add(List<KernelCase> cases, KernelCase.Unit unit, long work, Op op, ValueType... inputs) {
        String over = Stream.of(inputs)
                .map(type -> type.element() + "_"
                        + Arrays.stream(type.shape())
                                .mapToObj(Integer::toString)
                                .collect(Collectors.joining("X")))
                .collect(Collectors.joining("_"));
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
        Run run = Program.compile(graph.build(), () -> {}).newRun();
        return () -> run.execute(in, out, () -> {});
    }

    private static Buffer buffer(ValueType type, int bound) {
        return switch (type.element().store()) {
            case FLOATS -> FloatBuffer.wrap(floats(type.count()));
            case BYTES -> ByteBuffer.wrap(bytes(type.count()));
            case INTS -> IntBuffer.wrap(ints(type.count(), bound));
        };
    }
}
