package org.torchnnapi.driver.cpu;

import java.util.EnumMap;
import java.util.Map;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Reduction;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.nnapi.model.OperationType;

/** The table of the operations the device does, and how. */
final class Kinds {
    private static final Map<OperationType, Kind> TABLE = new EnumMap<>(OperationType.class);

    static {
        Kind convolution = new ConvolutionKind();
        TABLE.put(OperationType.CONV_2D, convolution);
        TABLE.put(OperationType.DEPTHWISE_CONV_2D, convolution);
        TABLE.put(OperationType.GROUPED_CONV_2D, convolution);
        TABLE.put(OperationType.TRANSPOSE_CONV_2D, convolution);
        TABLE.put(OperationType.FULLY_CONNECTED, new FullyConnectedKind());
        TABLE.put(OperationType.ADD, new BinaryKind(BinaryOp.ADD));
        TABLE.put(OperationType.SUB, new BinaryKind(BinaryOp.SUB));
        TABLE.put(OperationType.MUL, new BinaryKind(BinaryOp.MUL));
        TABLE.put(OperationType.DIV, new BinaryKind(BinaryOp.DIV));
        TABLE.put(OperationType.MAXIMUM, new BinaryKind(BinaryOp.MAX));
        TABLE.put(OperationType.MINIMUM, new BinaryKind(BinaryOp.MIN));
        TABLE.put(OperationType.RELU, UnaryKind.of(Clamp.RELU));
        TABLE.put(OperationType.RELU1, UnaryKind.of(Clamp.RELU1));
        TABLE.put(OperationType.RELU6, UnaryKind.of(Clamp.RELU6));
        TABLE.put(OperationType.LOGISTIC, UnaryKind.of(UnaryOp.SIGMOID));
        TABLE.put(OperationType.TANH, UnaryKind.of(UnaryOp.TANH));
        TABLE.put(OperationType.HARD_SWISH, UnaryKind.of(UnaryOp.HARD_SWISH));
        TABLE.put(OperationType.ABS, UnaryKind.of(UnaryOp.ABS));
        TABLE.put(OperationType.NEG, UnaryKind.of(UnaryOp.NEG));
        TABLE.put(OperationType.EXP, UnaryKind.of(UnaryOp.EXP));
        TABLE.put(OperationType.LOG, UnaryKind.of(UnaryOp.LOG));
        TABLE.put(OperationType.SQRT, UnaryKind.of(UnaryOp.SQRT));
        TABLE.put(OperationType.RSQRT, UnaryKind.of(UnaryOp.RSQRT));
        TABLE.put(OperationType.AVERAGE_POOL_2D, new PoolingKind(Pooling.Kind.AVERAGE));
        TABLE.put(OperationType.MAX_POOL_2D, new PoolingKind(Pooling.Kind.MAX));
        TABLE.put(OperationType.MEAN, new ReductionKind(Reduction.MEAN));
        TABLE.put(OperationType.REDUCE_SUM, new ReductionKind(Reduction.SUM));
        TABLE.put(OperationType.REDUCE_MAX, new ReductionKind(Reduction.MAX));
        TABLE.put(OperationType.REDUCE_MIN, new ReductionKind(Reduction.MIN));
        TABLE.put(OperationType.REDUCE_PROD, new ReductionKind(Reduction.PROD));
        TABLE.put(OperationType.LOG_SOFTMAX, new SoftmaxKind(true));
        TABLE.put(OperationType.SOFTMAX, new SoftmaxKind(false));
        TABLE.put(OperationType.CONCATENATION, new ConcatenationKind());
        TABLE.put(OperationType.RESHAPE, new ReshapeKind());
        TABLE.put(OperationType.SQUEEZE, new ReshapeKind());
        TABLE.put(OperationType.EXPAND_DIMS, new ReshapeKind());
        TABLE.put(OperationType.TRANSPOSE, new TransposeKind());
        TABLE.put(OperationType.PAD, new PadKind());
        TABLE.put(OperationType.PAD_V2, new PadKind());
        TABLE.put(OperationType.SLICE, new SliceKind());
        TABLE.put(OperationType.STRIDED_SLICE, new StridedSliceKind());
        TABLE.put(OperationType.SPLIT, new SplitKind());
        TABLE.put(OperationType.DEPTH_TO_SPACE, new DepthSpaceKind(true));
        TABLE.put(OperationType.SPACE_TO_DEPTH, new DepthSpaceKind(false));
        TABLE.put(OperationType.BATCH_TO_SPACE_ND, new BatchSpaceKind(true));
        TABLE.put(OperationType.SPACE_TO_BATCH_ND, new BatchSpaceKind(false));
        TABLE.put(OperationType.CHANNEL_SHUFFLE, new ChannelShuffleKind());
        TABLE.put(OperationType.RESIZE_BILINEAR, new ResizeKind(true));
        TABLE.put(OperationType.RESIZE_NEAREST_NEIGHBOR, new ResizeKind(false));
        TABLE.put(OperationType.PRELU, new PreluKind());
        TABLE.put(OperationType.QUANTIZE, new QuantizeKind());
        TABLE.put(OperationType.DEQUANTIZE, new DequantizeKind());
    }

    private Kinds() {
    }

    static Kind of(Site site) {
        return TABLE.get(site.operation().type());
    }

    /**
     * Null when the device can do the operation, else what was found and what is expected. Of shapes and parameters that an execution
     * gives nothing is asked.
     */
    static String refusal(Site site) {
        Kind kind = of(site);
        if (kind == null) {
            return site.operation().type() + " (expected: one of " + TABLE.keySet() + ")";
        }
        String problem = Site.first(kind.typeRefusal(site), site.omission(), site.sizeProblem());
        return problem != null || !site.isKnown() ? problem : kind.refusal(site);
    }
}
