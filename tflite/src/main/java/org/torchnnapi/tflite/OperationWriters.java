package org.torchnnapi.tflite;

import static java.util.Map.entry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.tensorflow.lite.schema.AddOptions;
import org.tensorflow.lite.schema.ArgMaxOptions;
import org.tensorflow.lite.schema.ArgMinOptions;
import org.tensorflow.lite.schema.BuiltinOperator;
import org.tensorflow.lite.schema.BuiltinOptions;
import org.tensorflow.lite.schema.CastOptions;
import org.tensorflow.lite.schema.ConcatenationOptions;
import org.tensorflow.lite.schema.DepthToSpaceOptions;
import org.tensorflow.lite.schema.DivOptions;
import org.tensorflow.lite.schema.FullyConnectedOptions;
import org.tensorflow.lite.schema.GatherOptions;
import org.tensorflow.lite.schema.LocalResponseNormalizationOptions;
import org.tensorflow.lite.schema.MulOptions;
import org.tensorflow.lite.schema.ReducerOptions;
import org.tensorflow.lite.schema.ReshapeOptions;
import org.tensorflow.lite.schema.ResizeBilinearOptions;
import org.tensorflow.lite.schema.ResizeNearestNeighborOptions;
import org.tensorflow.lite.schema.SoftmaxOptions;
import org.tensorflow.lite.schema.SpaceToDepthOptions;
import org.tensorflow.lite.schema.StridedSliceOptions;
import org.tensorflow.lite.schema.SubOptions;
import org.tensorflow.lite.schema.TensorType;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tflite.FlatGraph.TensorRef;

/** For each NNAPI operation that TensorFlow Lite has, what writes it. */
final class OperationWriters {
    private interface Writer {
        void write(Exporter to, Operation operation);
    }

    /** Operations of tensors alone, which both families name alike, with how many inputs. */
    private static final Map<OperationType, int[]> PLAIN = Map.ofEntries(
            entry(OperationType.FLOOR, of(BuiltinOperator.FLOOR, 1)),
            entry(OperationType.LOGISTIC, of(BuiltinOperator.LOGISTIC, 1)),
            entry(OperationType.RELU, of(BuiltinOperator.RELU, 1)),
            entry(OperationType.RELU1, of(BuiltinOperator.RELU_N1_TO_1, 1)),
            entry(OperationType.RELU6, of(BuiltinOperator.RELU6, 1)),
            entry(OperationType.TANH, of(BuiltinOperator.TANH, 1)),
            entry(OperationType.ABS, of(BuiltinOperator.ABS, 1)),
            entry(OperationType.EXP, of(BuiltinOperator.EXP, 1)),
            entry(OperationType.LOG, of(BuiltinOperator.LOG, 1)),
            entry(OperationType.NEG, of(BuiltinOperator.NEG, 1)),
            entry(OperationType.SQRT, of(BuiltinOperator.SQRT, 1)),
            entry(OperationType.RSQRT, of(BuiltinOperator.RSQRT, 1)),
            entry(OperationType.SIN, of(BuiltinOperator.SIN, 1)),
            entry(OperationType.HARD_SWISH, of(BuiltinOperator.HARD_SWISH, 1)),
            entry(OperationType.LOGICAL_NOT, of(BuiltinOperator.LOGICAL_NOT, 1)),
            entry(OperationType.DEQUANTIZE, of(BuiltinOperator.DEQUANTIZE, 1)),
            entry(OperationType.QUANTIZE, of(BuiltinOperator.QUANTIZE, 1)),
            entry(OperationType.MAXIMUM, of(BuiltinOperator.MAXIMUM, 2)),
            entry(OperationType.MINIMUM, of(BuiltinOperator.MINIMUM, 2)),
            entry(OperationType.POW, of(BuiltinOperator.POW, 2)),
            entry(OperationType.PRELU, of(BuiltinOperator.PRELU, 2)),
            entry(OperationType.EQUAL, of(BuiltinOperator.EQUAL, 2)),
            entry(OperationType.NOT_EQUAL, of(BuiltinOperator.NOT_EQUAL, 2)),
            entry(OperationType.LESS, of(BuiltinOperator.LESS, 2)),
            entry(OperationType.LESS_EQUAL, of(BuiltinOperator.LESS_EQUAL, 2)),
            entry(OperationType.GREATER, of(BuiltinOperator.GREATER, 2)),
            entry(OperationType.GREATER_EQUAL, of(BuiltinOperator.GREATER_EQUAL, 2)),
            entry(OperationType.LOGICAL_AND, of(BuiltinOperator.LOGICAL_AND, 2)),
            entry(OperationType.LOGICAL_OR, of(BuiltinOperator.LOGICAL_OR, 2)),
            entry(OperationType.SELECT, of(BuiltinOperator.SELECT, 3)),
            entry(OperationType.EMBEDDING_LOOKUP, of(BuiltinOperator.EMBEDDING_LOOKUP, 2)),
            entry(OperationType.TRANSPOSE, of(BuiltinOperator.TRANSPOSE, 2)),
            entry(OperationType.PAD, of(BuiltinOperator.PAD, 2)),
            entry(OperationType.TILE, of(BuiltinOperator.TILE, 2)),
            entry(OperationType.SLICE, of(BuiltinOperator.SLICE, 3)));

    private static final Map<OperationType, Writer> TABLE = new HashMap<>();

    static {
        PLAIN.forEach((type, how) -> TABLE.put(type, (to, o) -> plain(to, o, how[0], how[1])));
        TABLE.put(
                OperationType.ADD,
                (to, o) -> to.emit(
                        BuiltinOperator.ADD,
                        BuiltinOptions.AddOptions,
                        b -> AddOptions.createAddOptions(b, fused(to, o), true),
                        to.out(o),
                        to.in(o, 0),
                        to.in(o, 1)));
        TABLE.put(
                OperationType.SUB,
                (to, o) -> to.emit(
                        BuiltinOperator.SUB,
                        BuiltinOptions.SubOptions,
                        b -> SubOptions.createSubOptions(b, fused(to, o), true),
                        to.out(o),
                        to.in(o, 0),
                        to.in(o, 1)));
        TABLE.put(
                OperationType.MUL,
                (to, o) -> to.emit(
                        BuiltinOperator.MUL,
                        BuiltinOptions.MulOptions,
                        b -> MulOptions.createMulOptions(b, fused(to, o)),
                        to.out(o),
                        to.in(o, 0),
                        to.in(o, 1)));
        TABLE.put(
                OperationType.DIV,
                (to, o) -> to.emit(
                        BuiltinOperator.DIV,
                        BuiltinOptions.DivOptions,
                        b -> DivOptions.createDivOptions(b, fused(to, o)),
                        to.out(o),
                        to.in(o, 0),
                        to.in(o, 1)));
        TABLE.put(OperationType.FULLY_CONNECTED, OperationWriters::fullyConnected);
        TABLE.put(OperationType.CONCATENATION, OperationWriters::concatenation);
        TABLE.put(OperationType.SOFTMAX, OperationWriters::softmax);
        TABLE.put(OperationType.LOG_SOFTMAX, OperationWriters::logSoftmax);
        TABLE.put(OperationType.RESHAPE, OperationWriters::reshape);
        TABLE.put(OperationType.SQUEEZE, OperationWriters::reshape);
        TABLE.put(OperationType.EXPAND_DIMS, OperationWriters::reshape);
        TABLE.put(OperationType.PAD_V2, OperationWriters::padWith);
        TABLE.put(OperationType.STRIDED_SLICE, OperationWriters::stridedSlice);
        TABLE.put(
                OperationType.GATHER,
                (to, o) -> to.emit(
                        BuiltinOperator.GATHER,
                        BuiltinOptions.GatherOptions,
                        b -> GatherOptions.createGatherOptions(b, to.scalar(o, "axis"), 0),
                        to.out(o),
                        to.in(o, 0),
                        to.in(o, "indices")));
        TABLE.put(OperationType.CAST, OperationWriters::cast);
        TABLE.put(OperationType.ELU, (to, o) -> {
            to.require(to.real(o, "alpha") == 1, o, "alpha " + to.real(o, "alpha"), "1");
            plain(to, o, BuiltinOperator.ELU, 1);
        });
        TABLE.put(OperationType.MEAN, (to, o) -> reduce(to, o, BuiltinOperator.MEAN));
        TABLE.put(OperationType.REDUCE_SUM, (to, o) -> reduce(to, o, BuiltinOperator.SUM));
        TABLE.put(OperationType.REDUCE_MAX, (to, o) -> reduce(to, o, BuiltinOperator.REDUCE_MAX));
        TABLE.put(OperationType.REDUCE_MIN, (to, o) -> reduce(to, o, BuiltinOperator.REDUCE_MIN));
        TABLE.put(OperationType.REDUCE_PROD, (to, o) -> reduce(to, o, BuiltinOperator.REDUCE_PROD));
        TABLE.put(OperationType.REDUCE_ANY, (to, o) -> reduce(to, o, BuiltinOperator.REDUCE_ANY));
        TABLE.put(OperationType.REDUCE_ALL, (to, o) -> reduce(to, o, BuiltinOperator.REDUCE_ALL));
        TABLE.put(
                OperationType.ARGMAX,
                (to, o) -> to.emit(
                        BuiltinOperator.ARG_MAX,
                        BuiltinOptions.ArgMaxOptions,
                        b -> ArgMaxOptions.createArgMaxOptions(b, TensorType.INT32),
                        to.out(o),
                        to.in(o, 0),
                        to.graph().numbers(new int[0], to.scalar(o, "axis"))));
        TABLE.put(
                OperationType.ARGMIN,
                (to, o) -> to.emit(
                        BuiltinOperator.ARG_MIN,
                        BuiltinOptions.ArgMinOptions,
                        b -> ArgMinOptions.createArgMinOptions(b, TensorType.INT32),
                        to.out(o),
                        to.in(o, 0),
                        to.graph().numbers(new int[0], to.scalar(o, "axis"))));
        TABLE.put(OperationType.RESIZE_BILINEAR, (to, o) -> resize(to, o, true));
        TABLE.put(OperationType.RESIZE_NEAREST_NEIGHBOR, (to, o) -> resize(to, o, false));
        TABLE.put(OperationType.LOCAL_RESPONSE_NORMALIZATION, (to, o) -> {
            to.require(to.at(o, "axis") < 0, o, "an axis", "the last one");
            to.emit(
                    BuiltinOperator.LOCAL_RESPONSE_NORMALIZATION,
                    BuiltinOptions.LocalResponseNormalizationOptions,
                    b -> LocalResponseNormalizationOptions.createLocalResponseNormalizationOptions(
                            b, to.scalar(o, "radius"), to.real(o, "bias"), to.real(o, "alpha"), to.real(o, "beta")),
                    to.out(o),
                    to.in(o, 0));
        });
        TABLE.put(OperationType.DEPTH_TO_SPACE, (to, o) -> {
            to.requireChannelsLast(o);
            to.emit(
                    BuiltinOperator.DEPTH_TO_SPACE,
                    BuiltinOptions.DepthToSpaceOptions,
                    b -> DepthToSpaceOptions.createDepthToSpaceOptions(b, to.scalar(o, "blockSize")),
                    to.out(o),
                    to.in(o, 0));
        });
        TABLE.put(OperationType.SPACE_TO_DEPTH, (to, o) -> {
            to.requireChannelsLast(o);
            to.emit(
                    BuiltinOperator.SPACE_TO_DEPTH,
                    BuiltinOptions.SpaceToDepthOptions,
                    b -> SpaceToDepthOptions.createSpaceToDepthOptions(b, to.scalar(o, "blockSize")),
                    to.out(o),
                    to.in(o, 0));
        });
        TABLE.put(OperationType.CONV_2D, (to, o) -> new WindowWriters(to).convolution(o));
        TABLE.put(OperationType.DEPTHWISE_CONV_2D, (to, o) -> new WindowWriters(to).depthwise(o));
        TABLE.put(OperationType.GROUPED_CONV_2D, (to, o) -> new WindowWriters(to).grouped(o));
        TABLE.put(OperationType.TRANSPOSE_CONV_2D, (to, o) -> new WindowWriters(to).transposed(o));
        TABLE.put(
                OperationType.AVERAGE_POOL_2D,
                (to, o) -> new WindowWriters(to).pool(o, BuiltinOperator.AVERAGE_POOL_2D));
        TABLE.put(OperationType.MAX_POOL_2D, (to, o) -> new WindowWriters(to).pool(o, BuiltinOperator.MAX_POOL_2D));
        TABLE.put(OperationType.L2_POOL_2D, (to, o) -> new WindowWriters(to).pool(o, BuiltinOperator.L2_POOL_2D));
    }

    private OperationWriters() {}

    private static int[] of(int builtin, int inputs) {
        return new int[] {builtin, inputs};
    }

    /** @throws UnsupportedByTflite if TensorFlow Lite lacks the operation, or this form of it */
    static void write(Exporter to, Operation operation) {
        Writer writer = TABLE.get(operation.type());
        if (writer == null) {
            throw new UnsupportedByTflite(
                    operation.type() + " (expected: an operation that is written for TensorFlow Lite)");
        }
        writer.write(to, operation);
    }

    private static byte fused(Exporter to, Operation operation) {
        return (byte) to.scalar(operation, "activation");
    }

    private static void plain(Exporter to, Operation operation, int builtin, int inputs) {
        TensorRef[] in = new TensorRef[inputs];
        for (int i = 0; i < inputs; i++) {
            in[i] = to.in(operation, i);
        }
        to.emit(builtin, to.out(operation), in);
    }

    private static void fullyConnected(Exporter to, Operation operation) {
        TensorRef weights = to.in(operation, "weights");
        to.require(
                weights.zeroPoint() == 0,
                operation,
                "weights of zero point "
                        + to.operand(operation, to.at(operation, "weights"))
                                .descriptor()
                                .zeroPoint(),
                "symmetric ones, of zero point 128, as PyTorch's default for QNNPACK");
        to.emit(
                BuiltinOperator.FULLY_CONNECTED,
                BuiltinOptions.FullyConnectedOptions,
                b -> FullyConnectedOptions.createFullyConnectedOptions(b, fused(to, operation), (byte) 0, false, false),
                to.out(operation),
                to.in(operation, 0),
                weights,
                to.in(operation, "bias"));
    }

    /** Joined bytes have one quantization: others are brought to it first. */
    private static void concatenation(Exporter to, Operation operation) {
        int count = to.at(operation, "axis");
        TensorRef out = to.out(operation);
        TensorRef[] in = new TensorRef[count];
        for (int i = 0; i < count; i++) {
            TensorRef part = to.in(operation, i);
            if (part.scale() != out.scale() || part.zeroPoint() != out.zeroPoint()) {
                TensorRef scaled = to.like(out, part.shape());
                to.emit(BuiltinOperator.QUANTIZE, scaled, part);
                part = scaled;
            }
            in[i] = part;
        }
        to.emit(
                BuiltinOperator.CONCATENATION,
                BuiltinOptions.ConcatenationOptions,
                b -> ConcatenationOptions.createConcatenationOptions(b, to.scalar(operation, "axis"), (byte) 0),
                out,
                in);
    }

    private interface OfLast {
        void emit(TensorRef out, TensorRef in);
    }

    private static void softmax(Exporter to, Operation operation) {
        float beta = to.real(operation, "beta");
        int axis = to.scalar(operation, "axis", -1);
        last(
                to,
                operation,
                axis,
                (out, in) -> to.emit(
                        BuiltinOperator.SOFTMAX,
                        BuiltinOptions.SoftmaxOptions,
                        b -> SoftmaxOptions.createSoftmaxOptions(b, beta),
                        out,
                        in));
    }

    private static void logSoftmax(Exporter to, Operation operation) {
        to.require(to.real(operation, "beta") == 1, operation, "beta " + to.real(operation, "beta"), "1");
        last(to, operation, to.scalar(operation, "axis"), (out, in) -> to.emit(BuiltinOperator.LOG_SOFTMAX, out, in));
    }

    /** An operator along the last dimension, to which another is moved and back. */
    private static void last(Exporter to, Operation operation, int axis, OfLast operator) {
        TensorRef in = to.in(operation, 0);
        TensorRef out = to.out(operation);
        int rank = in.shape().length;
        int dimension = axis < 0 ? axis + rank : axis;
        if (dimension == rank - 1) {
            operator.emit(out, in);
            return;
        }
        int[] order = new int[rank];
        Arrays.setAll(order, d -> d);
        order[dimension] = rank - 1;
        order[rank - 1] = dimension;
        int[] shape = in.shape().clone();
        shape[dimension] = in.shape()[rank - 1];
        shape[rank - 1] = in.shape()[dimension];
        TensorRef moved = to.like(in, shape);
        TensorRef made = to.like(out, shape);
        to.emit(BuiltinOperator.TRANSPOSE, moved, in, to.graph().vector(order));
        operator.emit(made, moved);
        to.emit(BuiltinOperator.TRANSPOSE, out, made, to.graph().vector(order));
    }

    private static void reshape(Exporter to, Operation operation) {
        reshape(to, to.out(operation), to.in(operation, 0));
    }

    static void reshape(Exporter to, TensorRef out, TensorRef in) {
        to.emit(
                BuiltinOperator.RESHAPE,
                1,
                BuiltinOptions.ReshapeOptions,
                b -> ReshapeOptions.createReshapeOptions(b, ReshapeOptions.createNewShapeVector(b, out.shape())),
                out,
                in,
                to.graph().vector(out.shape()));
    }

    private static void padWith(Exporter to, Operation operation) {
        to.require(
                to.operand(operation, 0).type() == OperandType.TENSOR_FLOAT32,
                operation,
                to.operand(operation, 0).type().name(),
                "TENSOR_FLOAT32");
        to.emit(
                BuiltinOperator.PADV2,
                to.out(operation),
                to.in(operation, 0),
                to.in(operation, "paddings"),
                to.graph().reals(new int[0], to.real(operation, "value")));
    }

    private static void stridedSlice(Exporter to, Operation operation) {
        to.emit(
                BuiltinOperator.STRIDED_SLICE,
                BuiltinOptions.StridedSliceOptions,
                b -> StridedSliceOptions.createStridedSliceOptions(
                        b,
                        to.scalar(operation, "beginMask"),
                        to.scalar(operation, "endMask"),
                        0,
                        0,
                        to.scalar(operation, "shrinkMask"),
                        false),
                to.out(operation),
                to.in(operation, 0),
                to.in(operation, "begin"),
                to.in(operation, "end"),
                to.in(operation, "strides"));
    }

    private static void cast(Exporter to, Operation operation) {
        TensorRef in = to.in(operation, 0);
        TensorRef out = to.out(operation);
        to.require(!in.isQuantized() && !out.isQuantized(), operation, "quantized tensors", "numbers");
        to.emit(
                BuiltinOperator.CAST,
                BuiltinOptions.CastOptions,
                b -> CastOptions.createCastOptions(b, in.type(), out.type()),
                out,
                in);
    }

    /** MEAN has an INT32 for what the others have a BOOL for. */
    private static void reduce(Exporter to, Operation operation, int builtin) {
        boolean keeps = to.scalar(operation, "keepDims") != 0;
        to.emit(
                builtin,
                BuiltinOptions.ReducerOptions,
                b -> ReducerOptions.createReducerOptions(b, keeps),
                to.out(operation),
                to.in(operation, 0),
                to.in(operation, "axes"));
    }

    private static void resize(Exporter to, Operation operation, boolean bilinear) {
        to.requireChannelsLast(operation);
        TensorRef in = to.in(operation, 0);
        TensorRef out = to.out(operation);
        boolean corners = to.flag(operation, "alignCorners");
        boolean halves = to.flag(operation, "halfPixelCenters");
        TensorRef size = to.graph().vector(out.shape()[1], out.shape()[2]);
        int version = halves ? 3 : in.isQuantized() ? 2 : 1;
        if (bilinear) {
            to.emit(
                    BuiltinOperator.RESIZE_BILINEAR,
                    version,
                    BuiltinOptions.ResizeBilinearOptions,
                    b -> ResizeBilinearOptions.createResizeBilinearOptions(b, corners, halves),
                    out,
                    in,
                    size);
        } else {
            to.emit(
                    BuiltinOperator.RESIZE_NEAREST_NEIGHBOR,
                    version,
                    BuiltinOptions.ResizeNearestNeighborOptions,
                    b -> ResizeNearestNeighborOptions.createResizeNearestNeighborOptions(b, corners, halves),
                    out,
                    in,
                    size);
        }
    }
}
