package org.torchnnapi.nnapi.op;

import java.util.EnumMap;
import java.util.Map;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;

/** The one list of all operation definitions; a new operation adds its line. */
public final class OperationTable {
    private static final Map<OperationType, OperationDefinition> DEFINITIONS = new EnumMap<>(OperationType.class);

    static {
        register(new Abs());
        register(new Add());
        register(new ArgMax());
        register(new ArgMin());
        register(new AveragePool2d());
        register(new AxisAlignedBboxTransform());
        register(new BatchToSpaceNd());
        register(new BidirectionalSequenceLstm());
        register(new BidirectionalSequenceRnn());
        register(new BoxWithNmsLimit());
        register(new Cast());
        register(new ChannelShuffle());
        register(new Concatenation());
        register(new Conv2d());
        register(new DepthToSpace());
        register(new DepthwiseConv2d());
        register(new Dequantize());
        register(new DetectionPostprocessing());
        register(new Div());
        register(new Elu());
        register(new EmbeddingLookup());
        register(new Equal());
        register(new Exp());
        register(new ExpandDims());
        register(new Fill());
        register(new Floor());
        register(new FullyConnected());
        register(new Gather());
        register(new GenerateProposals());
        register(new Greater());
        register(new GreaterEqual());
        register(new GroupedConv2d());
        register(new HardSwish());
        register(new HashtableLookup());
        register(new HeatmapMaxKeypoint());
        register(new If());
        register(new InstanceNormalization());
        register(new L2Normalization());
        register(new L2Pool2d());
        register(new Less());
        register(new LessEqual());
        register(new LocalResponseNormalization());
        register(new Log());
        register(new LogSoftmax());
        register(new LogicalAnd());
        register(new LogicalNot());
        register(new LogicalOr());
        register(new Logistic());
        register(new LshProjection());
        register(new Lstm());
        register(new MaxPool2d());
        register(new Maximum());
        register(new Mean());
        register(new Minimum());
        register(new Mul());
        register(new Neg());
        register(new NotEqual());
        register(new Pad());
        register(new PadV2());
        register(new Pow());
        register(new Prelu());
        register(new Quantize());
        register(new Quantized16BitLstm());
        register(new QuantizedLstm());
        register(new RandomMultinomial());
        register(new Rank());
        register(new ReduceAll());
        register(new ReduceAny());
        register(new ReduceMax());
        register(new ReduceMin());
        register(new ReduceProd());
        register(new ReduceSum());
        register(new Relu());
        register(new Relu1());
        register(new Relu6());
        register(new Reshape());
        register(new ResizeBilinear());
        register(new ResizeNearestNeighbor());
        register(new Rnn());
        register(new RoiAlign());
        register(new RoiPooling());
        register(new Rsqrt());
        register(new Select());
        register(new Sin());
        register(new Slice());
        register(new Softmax());
        register(new SpaceToBatchNd());
        register(new SpaceToDepth());
        register(new Split());
        register(new Sqrt());
        register(new Squeeze());
        register(new StridedSlice());
        register(new Sub());
        register(new Svdf());
        register(new Tanh());
        register(new Tile());
        register(new TopKV2());
        register(new Transpose());
        register(new TransposeConv2d());
        register(new UnidirectionalSequenceLstm());
        register(new UnidirectionalSequenceRnn());
        register(new While());
        register(new VendorOperation(OperationType.OEM_OPERATION));
        register(new VendorOperation(OperationType.EXTENSION));
    }

    private OperationTable() {}

    private static void register(OperationDefinition definition) {
        if (DEFINITIONS.put(definition.type(), definition) != null) {
            throw new IllegalStateException("two definitions of " + definition.type());
        }
    }

    /** The position of an operation's input of this name, the first of several; -1 where it lacks it. */
    public static int input(Model model, Operation operation, String name) {
        OperandNames names = get(operation.type())
                .signatures()
                .names(
                        operation.inputCount(),
                        i -> model.operand(operation.input(i)).type());
        return names.at(name, operation.inputCount());
    }

    /** The definition of an operation. */
    public static OperationDefinition get(OperationType type) {
        return DEFINITIONS.get(type);
    }
}
