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
import org.torchnnapi.program.op.IntegersOp;
import org.torchnnapi.program.op.PointwiseOp;

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
        TABLE.put(OperationType.ADD, arithmetic(IntegersOp.Function.ADD, BinaryOp.ADD));
        TABLE.put(OperationType.SUB, arithmetic(IntegersOp.Function.SUB, BinaryOp.SUB));
        TABLE.put(OperationType.MUL, arithmetic(IntegersOp.Function.MUL, BinaryOp.MUL));
        TABLE.put(OperationType.DIV, arithmetic(IntegersOp.Function.DIV, BinaryOp.DIV));
        TABLE.put(OperationType.MAXIMUM, arithmetic(IntegersOp.Function.MAX, BinaryOp.MAX));
        TABLE.put(OperationType.MINIMUM, arithmetic(IntegersOp.Function.MIN, BinaryOp.MIN));
        TABLE.put(OperationType.RELU, UnaryKind.of(Clamp.RELU));
        TABLE.put(OperationType.RELU1, UnaryKind.of(Clamp.RELU1));
        TABLE.put(OperationType.RELU6, UnaryKind.of(Clamp.RELU6));
        TABLE.put(OperationType.LOGISTIC, UnaryKind.of(UnaryOp.SIGMOID));
        TABLE.put(OperationType.TANH, UnaryKind.of(UnaryOp.TANH));
        TABLE.put(OperationType.HARD_SWISH, UnaryKind.of(UnaryOp.HARD_SWISH));
        TABLE.put(OperationType.ABS, new NumberKind(new OneNumberKind(0, true), UnaryKind.of(UnaryOp.ABS)));
        TABLE.put(OperationType.NEG, new NumberKind(new OneNumberKind(0, false), UnaryKind.of(UnaryOp.NEG)));
        TABLE.put(OperationType.EXP, UnaryKind.of(UnaryOp.EXP));
        TABLE.put(OperationType.LOG, UnaryKind.of(UnaryOp.LOG));
        TABLE.put(OperationType.SQRT, UnaryKind.of(UnaryOp.SQRT));
        TABLE.put(OperationType.RSQRT, UnaryKind.of(UnaryOp.RSQRT));
        TABLE.put(OperationType.AVERAGE_POOL_2D, new PoolingKind(Pooling.Kind.AVERAGE, false));
        TABLE.put(OperationType.MAX_POOL_2D, new PoolingKind(Pooling.Kind.MAX, false));
        TABLE.put(OperationType.MEAN, new ReductionKind(ReductionKernel.MEAN));
        TABLE.put(OperationType.REDUCE_SUM, new ReductionKind(ReductionKernel.SUM));
        TABLE.put(OperationType.REDUCE_MAX, new ReductionKind(ReductionKernel.MAX));
        TABLE.put(OperationType.REDUCE_MIN, new ReductionKind(ReductionKernel.MIN));
        TABLE.put(OperationType.REDUCE_PROD, new ReductionKind(ReductionKernel.PROD));
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
        TABLE.put(OperationType.SIN, new UnaryKind(PointwiseOp.SIN));
        TABLE.put(OperationType.FLOOR, new UnaryKind(PointwiseOp.FLOOR));
        TABLE.put(OperationType.ELU, new EluKind());
        TABLE.put(OperationType.POW, new PowKind());
        TABLE.put(OperationType.L2_POOL_2D, new PoolingKind(Pooling.Kind.AVERAGE, true));
        TABLE.put(OperationType.L2_NORMALIZATION, new L2NormalizationKind());
        TABLE.put(OperationType.LOCAL_RESPONSE_NORMALIZATION, new LocalResponseNormalizationKind());
        TABLE.put(OperationType.INSTANCE_NORMALIZATION, new InstanceNormalizationKind());
        TABLE.put(OperationType.EQUAL, new CompareKind(Relation.EQUAL));
        TABLE.put(OperationType.NOT_EQUAL, new CompareKind(Relation.NOT_EQUAL));
        TABLE.put(OperationType.LESS, new CompareKind(Relation.LESS));
        TABLE.put(OperationType.LESS_EQUAL, new CompareKind(Relation.LESS_EQUAL));
        TABLE.put(OperationType.GREATER, new CompareKind(Relation.GREATER));
        TABLE.put(OperationType.GREATER_EQUAL, new CompareKind(Relation.GREATER_EQUAL));
        TABLE.put(OperationType.LOGICAL_AND, new IntegersKind(IntegersOp.Function.AND));
        TABLE.put(OperationType.LOGICAL_OR, new IntegersKind(IntegersOp.Function.OR));
        TABLE.put(OperationType.LOGICAL_NOT, new OneNumberKind(1, false));
        TABLE.put(OperationType.REDUCE_ALL, new LogicalReductionKind(ReductionKernel.MIN));
        TABLE.put(OperationType.REDUCE_ANY, new LogicalReductionKind(ReductionKernel.MAX));
        TABLE.put(OperationType.SELECT, new SelectKind());
        TABLE.put(OperationType.GATHER, new GatherKind());
        TABLE.put(OperationType.EMBEDDING_LOOKUP, new GatherKind());
        TABLE.put(OperationType.ARGMAX, new ArgExtremeKind(true));
        TABLE.put(OperationType.ARGMIN, new ArgExtremeKind(false));
        TABLE.put(OperationType.TOPK_V2, new TopKind());
        TABLE.put(OperationType.CAST, new CastKind());
        TABLE.put(OperationType.TILE, new TileKind());
        TABLE.put(OperationType.FILL, new FillKind());
        TABLE.put(OperationType.RANK, new RankKind());
        TABLE.put(OperationType.RNN, new RnnKind(false));
        TABLE.put(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN, new RnnKind(true));
        TABLE.put(OperationType.BIDIRECTIONAL_SEQUENCE_RNN, new BidirectionalRnnKind());
        TABLE.put(OperationType.LSTM, new LstmKind(false));
        TABLE.put(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, new LstmKind(true));
        TABLE.put(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM, new BidirectionalLstmKind());
        TABLE.put(OperationType.QUANTIZED_LSTM, new ByteLstmKind());
        TABLE.put(OperationType.QUANTIZED_16BIT_LSTM, new SixteenBitLstmKind());
        TABLE.put(OperationType.SVDF, new SvdfKind());
        TABLE.put(OperationType.ROI_ALIGN, new RegionsKind(true));
        TABLE.put(OperationType.ROI_POOLING, new RegionsKind(false));
        TABLE.put(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM, new BoxTransformKind());
        TABLE.put(OperationType.HEATMAP_MAX_KEYPOINT, new KeypointsKind());
        TABLE.put(OperationType.DETECTION_POSTPROCESSING, new DetectionsKind());
        TABLE.put(OperationType.BOX_WITH_NMS_LIMIT, new SelectingKind(BoxLimit::new));
        TABLE.put(OperationType.GENERATE_PROPOSALS, new SelectingKind(Proposals::new));
    }

    private static Kind arithmetic(IntegersOp.Function numbers, BinaryOp others) {
        return new NumberKind(new IntegersKind(numbers), new BinaryKind(others));
    }

    private Kinds() {
    }

    static Kind of(Site site) {
        return of(site.operation().type());
    }

    static Kind of(OperationType type) {
        return TABLE.get(type);
    }

    /**
     * Null when the device can do the operation, else what was found and what is expected. Of shapes and parameters that an execution
     * gives nothing is asked.
     */
    static Problem refusal(Site site) {
        Kind kind = of(site);
        if (kind == null) {
            return Problem.of("operation", site.operation().type(), "one with fast kernels, which this has not");
        }
        Problem problem = Site.first(kind.typeRefusal(site), site.omission(), site.sizeProblem());
        return problem != null || !site.isKnown() ? problem : kind.refusal(site);
    }
}
