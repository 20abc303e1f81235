package org.torchnnapi.nnapi.model;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The 102 operations of NNAPI 1.0 to 1.3, that of vendors before there were extensions (OEM), and one for all
 * operations of extensions: which of them it is, {@link Operation#extension} says.
 */
public enum OperationType {
    ADD(V1_0),
    AVERAGE_POOL_2D(V1_0),
    CONCATENATION(V1_0),
    CONV_2D(V1_0),
    DEPTHWISE_CONV_2D(V1_0),
    DEPTH_TO_SPACE(V1_0),
    DEQUANTIZE(V1_0),
    EMBEDDING_LOOKUP(V1_0),
    FLOOR(V1_0),
    FULLY_CONNECTED(V1_0),
    HASHTABLE_LOOKUP(V1_0),
    L2_NORMALIZATION(V1_0),
    L2_POOL_2D(V1_0),
    LOCAL_RESPONSE_NORMALIZATION(V1_0),
    LOGISTIC(V1_0),
    LSH_PROJECTION(V1_0),
    LSTM(V1_0),
    MAX_POOL_2D(V1_0),
    MUL(V1_0),
    RELU(V1_0),
    RELU1(V1_0),
    RELU6(V1_0),
    RESHAPE(V1_0),
    RESIZE_BILINEAR(V1_0),
    RNN(V1_0),
    SOFTMAX(V1_0),
    SPACE_TO_DEPTH(V1_0),
    SVDF(V1_0),
    TANH(V1_0),
    BATCH_TO_SPACE_ND(V1_1),
    DIV(V1_1),
    MEAN(V1_1),
    PAD(V1_1),
    SPACE_TO_BATCH_ND(V1_1),
    SQUEEZE(V1_1),
    STRIDED_SLICE(V1_1),
    SUB(V1_1),
    TRANSPOSE(V1_1),
    ABS(V1_2),
    ARGMAX(V1_2),
    ARGMIN(V1_2),
    AXIS_ALIGNED_BBOX_TRANSFORM(V1_2),
    BIDIRECTIONAL_SEQUENCE_LSTM(V1_2),
    BIDIRECTIONAL_SEQUENCE_RNN(V1_2),
    BOX_WITH_NMS_LIMIT(V1_2),
    CAST(V1_2),
    CHANNEL_SHUFFLE(V1_2),
    DETECTION_POSTPROCESSING(V1_2),
    EQUAL(V1_2),
    EXP(V1_2),
    EXPAND_DIMS(V1_2),
    GATHER(V1_2),
    GENERATE_PROPOSALS(V1_2),
    GREATER(V1_2),
    GREATER_EQUAL(V1_2),
    GROUPED_CONV_2D(V1_2),
    HEATMAP_MAX_KEYPOINT(V1_2),
    INSTANCE_NORMALIZATION(V1_2),
    LESS(V1_2),
    LESS_EQUAL(V1_2),
    LOG(V1_2),
    LOGICAL_AND(V1_2),
    LOGICAL_NOT(V1_2),
    LOGICAL_OR(V1_2),
    LOG_SOFTMAX(V1_2),
    MAXIMUM(V1_2),
    MINIMUM(V1_2),
    NEG(V1_2),
    NOT_EQUAL(V1_2),
    PAD_V2(V1_2),
    POW(V1_2),
    PRELU(V1_2),
    QUANTIZE(V1_2),
    QUANTIZED_16BIT_LSTM(V1_2),
    RANDOM_MULTINOMIAL(V1_2),
    REDUCE_ALL(V1_2),
    REDUCE_ANY(V1_2),
    REDUCE_MAX(V1_2),
    REDUCE_MIN(V1_2),
    REDUCE_PROD(V1_2),
    REDUCE_SUM(V1_2),
    ROI_ALIGN(V1_2),
    ROI_POOLING(V1_2),
    RSQRT(V1_2),
    SELECT(V1_2),
    SIN(V1_2),
    SLICE(V1_2),
    SPLIT(V1_2),
    SQRT(V1_2),
    TILE(V1_2),
    TOPK_V2(V1_2),
    TRANSPOSE_CONV_2D(V1_2),
    UNIDIRECTIONAL_SEQUENCE_LSTM(V1_2),
    UNIDIRECTIONAL_SEQUENCE_RNN(V1_2),
    RESIZE_NEAREST_NEIGHBOR(V1_2),
    QUANTIZED_LSTM(V1_3),
    IF(V1_3),
    WHILE(V1_3),
    ELU(V1_3),
    HARD_SWISH(V1_3),
    FILL(V1_3),
    RANK(V1_3),
    OEM_OPERATION(OperationType.OEM, V1_0),
    EXTENSION(OperationType.CODED_BY_EXTENSION, V1_2);

    private static final int OEM = 10_000;
    private static final int CODED_BY_EXTENSION = -1;
    private static final OperationType[] BY_CODE = values();
    private static final Set<OperationType> STANDARD = Collections.unmodifiableSet(EnumSet.range(ADD, RANK));

    private final int code;
    private final FeatureLevel since;

    OperationType(FeatureLevel since) {
        this.code = ordinal();
        this.since = since;
    }

    OperationType(int code, FeatureLevel since) {
        this.code = code;
        this.since = since;
    }

    /** The operations that the specification defines. */
    public static Set<OperationType> standard() {
        return STANDARD;
    }

    /** The specification's number; -1 for operations of extensions, which a process numbers as it meets them. */
    public int code() {
        return code;
    }

    /** Whether only a vendor's device knows what it computes. */
    public boolean isVendors() {
        return this == OEM_OPERATION || this == EXTENSION;
    }

    /** The release that introduced the operation (some signatures came later). */
    public FeatureLevel since() {
        return since;
    }

    /** Whether the operation runs other models: IF and WHILE. */
    public boolean isControlFlow() {
        return this == IF || this == WHILE;
    }

    /** @throws NnapiException BAD_DATA if no operation has this code */
    public static OperationType ofCode(int code) {
        if (code == OEM) {
            return OEM_OPERATION;
        }
        if (code < 0 || code >= STANDARD.size()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operation code: " + code + " (expected: 0 to " + (STANDARD.size() - 1) + ", or " + OEM + ")");
        }
        return BY_CODE[code];
    }
}
