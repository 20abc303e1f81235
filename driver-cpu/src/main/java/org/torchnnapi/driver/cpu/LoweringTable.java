package org.torchnnapi.driver.cpu;

import java.util.EnumMap;
import java.util.Map;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CompareOp.Relation;
import org.torchnnapi.program.op.Int32BinaryOp;
import org.torchnnapi.program.op.PointwiseOp;

/** The table of the operations the device does, and how. */
final class LoweringTable {
    private static final Map<OperationType, OperationLowering> TABLE = new EnumMap<>(OperationType.class);

    static {
        OperationLowering convolution = new ConvolutionOperationLowering();
        TABLE.put(OperationType.CONV_2D, convolution);
        TABLE.put(OperationType.DEPTHWISE_CONV_2D, convolution);
        TABLE.put(OperationType.GROUPED_CONV_2D, convolution);
        TABLE.put(OperationType.TRANSPOSE_CONV_2D, convolution);
        TABLE.put(OperationType.FULLY_CONNECTED, new FullyConnectedOperationLowering());
        TABLE.put(OperationType.ADD, arithmetic(Int32BinaryOp.Function.ADD, BinaryOp.ADD));
        TABLE.put(OperationType.SUB, arithmetic(Int32BinaryOp.Function.SUB, BinaryOp.SUB));
        TABLE.put(OperationType.MUL, arithmetic(Int32BinaryOp.Function.MUL, BinaryOp.MUL));
        TABLE.put(OperationType.DIV, arithmetic(Int32BinaryOp.Function.DIV, BinaryOp.DIV));
        TABLE.put(OperationType.MAXIMUM, arithmetic(Int32BinaryOp.Function.MAX, BinaryOp.MAX));
        TABLE.put(OperationType.MINIMUM, arithmetic(Int32BinaryOp.Function.MIN, BinaryOp.MIN));
        TABLE.put(OperationType.RELU, UnaryOperationLowering.of(Clamp.RELU));
        TABLE.put(OperationType.RELU1, UnaryOperationLowering.of(Clamp.RELU1));
        TABLE.put(OperationType.RELU6, UnaryOperationLowering.of(Clamp.RELU6));
        TABLE.put(OperationType.LOGISTIC, UnaryOperationLowering.of(UnaryOp.SIGMOID));
        TABLE.put(OperationType.TANH, UnaryOperationLowering.of(UnaryOp.TANH));
        TABLE.put(OperationType.HARD_SWISH, UnaryOperationLowering.of(UnaryOp.HARD_SWISH));
        TABLE.put(
                OperationType.ABS,
                new NumberOperationLowering(
                        new OneNumberOperationLowering(0, true), UnaryOperationLowering.of(UnaryOp.ABS)));
        TABLE.put(
                OperationType.NEG,
                new NumberOperationLowering(
                        new OneNumberOperationLowering(0, false), UnaryOperationLowering.of(UnaryOp.NEG)));
        TABLE.put(OperationType.EXP, UnaryOperationLowering.of(UnaryOp.EXP));
        TABLE.put(OperationType.LOG, UnaryOperationLowering.of(UnaryOp.LOG));
        TABLE.put(OperationType.SQRT, UnaryOperationLowering.of(UnaryOp.SQRT));
        TABLE.put(OperationType.RSQRT, UnaryOperationLowering.of(UnaryOp.RSQRT));
        TABLE.put(OperationType.AVERAGE_POOL_2D, new PoolingOperationLowering(Pooling.Kind.AVERAGE, false));
        TABLE.put(OperationType.MAX_POOL_2D, new PoolingOperationLowering(Pooling.Kind.MAX, false));
        TABLE.put(OperationType.MEAN, new ReductionOperationLowering(ReductionKernel.MEAN));
        TABLE.put(OperationType.REDUCE_SUM, new ReductionOperationLowering(ReductionKernel.SUM));
        TABLE.put(OperationType.REDUCE_MAX, new ReductionOperationLowering(ReductionKernel.MAX));
        TABLE.put(OperationType.REDUCE_MIN, new ReductionOperationLowering(ReductionKernel.MIN));
        TABLE.put(OperationType.REDUCE_PROD, new ReductionOperationLowering(ReductionKernel.PROD));
        TABLE.put(OperationType.LOG_SOFTMAX, new SoftmaxOperationLowering(true));
        TABLE.put(OperationType.SOFTMAX, new SoftmaxOperationLowering(false));
        TABLE.put(OperationType.CONCATENATION, new ConcatenationOperationLowering());
        TABLE.put(OperationType.RESHAPE, new ReshapeOperationLowering());
        TABLE.put(OperationType.SQUEEZE, new ReshapeOperationLowering());
        TABLE.put(OperationType.EXPAND_DIMS, new ReshapeOperationLowering());
        TABLE.put(OperationType.TRANSPOSE, new TransposeOperationLowering());
        TABLE.put(OperationType.PAD, new PadOperationLowering());
        TABLE.put(OperationType.PAD_V2, new PadOperationLowering());
        TABLE.put(OperationType.SLICE, new SliceOperationLowering());
        TABLE.put(OperationType.STRIDED_SLICE, new StridedSliceOperationLowering());
        TABLE.put(OperationType.SPLIT, new SplitOperationLowering());
        TABLE.put(OperationType.DEPTH_TO_SPACE, new DepthSpaceOperationLowering(true));
        TABLE.put(OperationType.SPACE_TO_DEPTH, new DepthSpaceOperationLowering(false));
        TABLE.put(OperationType.BATCH_TO_SPACE_ND, new BatchSpaceOperationLowering(true));
        TABLE.put(OperationType.SPACE_TO_BATCH_ND, new BatchSpaceOperationLowering(false));
        TABLE.put(OperationType.CHANNEL_SHUFFLE, new ChannelShuffleOperationLowering());
        TABLE.put(OperationType.RESIZE_BILINEAR, new ResizeOperationLowering(true));
        TABLE.put(OperationType.RESIZE_NEAREST_NEIGHBOR, new ResizeOperationLowering(false));
        TABLE.put(OperationType.PRELU, new PreluOperationLowering());
        TABLE.put(OperationType.QUANTIZE, new QuantizeOperationLowering());
        TABLE.put(OperationType.DEQUANTIZE, new DequantizeOperationLowering());
        TABLE.put(OperationType.SIN, new UnaryOperationLowering(PointwiseOp.SIN));
        TABLE.put(OperationType.FLOOR, new UnaryOperationLowering(PointwiseOp.FLOOR));
        TABLE.put(OperationType.ELU, new EluOperationLowering());
        TABLE.put(OperationType.POW, new PowOperationLowering());
        TABLE.put(OperationType.L2_POOL_2D, new PoolingOperationLowering(Pooling.Kind.AVERAGE, true));
        TABLE.put(OperationType.L2_NORMALIZATION, new L2NormalizationOperationLowering());
        TABLE.put(OperationType.LOCAL_RESPONSE_NORMALIZATION, new LocalResponseNormalizationOperationLowering());
        TABLE.put(OperationType.INSTANCE_NORMALIZATION, new InstanceNormalizationOperationLowering());
        TABLE.put(OperationType.EQUAL, new CompareOperationLowering(Relation.EQUAL));
        TABLE.put(OperationType.NOT_EQUAL, new CompareOperationLowering(Relation.NOT_EQUAL));
        TABLE.put(OperationType.LESS, new CompareOperationLowering(Relation.LESS));
        TABLE.put(OperationType.LESS_EQUAL, new CompareOperationLowering(Relation.LESS_EQUAL));
        TABLE.put(OperationType.GREATER, new CompareOperationLowering(Relation.GREATER));
        TABLE.put(OperationType.GREATER_EQUAL, new CompareOperationLowering(Relation.GREATER_EQUAL));
        TABLE.put(OperationType.LOGICAL_AND, new IntegersOperationLowering(Int32BinaryOp.Function.AND));
        TABLE.put(OperationType.LOGICAL_OR, new IntegersOperationLowering(Int32BinaryOp.Function.OR));
        TABLE.put(OperationType.LOGICAL_NOT, new OneNumberOperationLowering(1, false));
        TABLE.put(OperationType.REDUCE_ALL, new LogicalReductionOperationLowering(ReductionKernel.MIN));
        TABLE.put(OperationType.REDUCE_ANY, new LogicalReductionOperationLowering(ReductionKernel.MAX));
        TABLE.put(OperationType.SELECT, new SelectOperationLowering());
        TABLE.put(OperationType.GATHER, new GatherOperationLowering());
        TABLE.put(OperationType.EMBEDDING_LOOKUP, new GatherOperationLowering());
        TABLE.put(OperationType.ARGMAX, new ArgExtremeOperationLowering(true));
        TABLE.put(OperationType.ARGMIN, new ArgExtremeOperationLowering(false));
        TABLE.put(OperationType.TOPK_V2, new TopOperationLowering());
        TABLE.put(OperationType.CAST, new CastOperationLowering());
        TABLE.put(OperationType.TILE, new TileOperationLowering());
        TABLE.put(OperationType.FILL, new FillOperationLowering());
        TABLE.put(OperationType.RANK, new RankOperationLowering());
        TABLE.put(OperationType.RNN, new RnnOperationLowering(false));
        TABLE.put(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN, new RnnOperationLowering(true));
        TABLE.put(OperationType.BIDIRECTIONAL_SEQUENCE_RNN, new BidirectionalRnnOperationLowering());
        TABLE.put(OperationType.LSTM, new LstmOperationLowering(false));
        TABLE.put(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, new LstmOperationLowering(true));
        TABLE.put(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM, new BidirectionalLstmOperationLowering());
        TABLE.put(OperationType.QUANTIZED_LSTM, new ByteLstmOperationLowering());
        TABLE.put(OperationType.QUANTIZED_16BIT_LSTM, new SixteenBitLstmOperationLowering());
        TABLE.put(OperationType.SVDF, new SvdfOperationLowering());
        TABLE.put(OperationType.ROI_ALIGN, new RegionsOperationLowering(true));
        TABLE.put(OperationType.ROI_POOLING, new RegionsOperationLowering(false));
        TABLE.put(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM, new BoxTransformOperationLowering());
        TABLE.put(OperationType.HEATMAP_MAX_KEYPOINT, new KeypointsOperationLowering());
        TABLE.put(OperationType.DETECTION_POSTPROCESSING, new DetectionsOperationLowering());
        TABLE.put(OperationType.BOX_WITH_NMS_LIMIT, new DynamicOutputLowering(BoxLimit::new));
        TABLE.put(OperationType.GENERATE_PROPOSALS, new DynamicOutputLowering(Proposals::new));
    }

    private static OperationLowering arithmetic(Int32BinaryOp.Function numbers, BinaryOp others) {
        return new NumberOperationLowering(new IntegersOperationLowering(numbers), new BinaryOperationLowering(others));
    }

    private LoweringTable() {}

    static OperationLowering of(OperationView site) {
        return of(site.operation().type());
    }

    static OperationLowering of(OperationType type) {
        return TABLE.get(type);
    }

    /**
     * Null when the device can do the operation, else what was found and what is expected. Of shapes and parameters
     * that an execution gives nothing is asked.
     */
    static Problem refusal(OperationView site) {
        OperationLowering kind = of(site);
        if (kind == null) {
            return Problem.of("operation", site.operation().type(), "one with fast kernels, which this has not");
        }
        Problem problem = OperationView.first(kind.typeRefusal(site), site.omission(), site.sizeProblem());
        return problem != null || !site.isKnown() ? problem : kind.refusal(site);
    }
}
