package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/** The table of operator families; overloads of one operator spread over several families keep this order. */
public final class Families {
    /** Operators on tensors. */
    public static final List<OperatorFamily> TENSOR_OPERATORS = List.of(
            new TensorShape(),
            new TensorInfo(),
            new TensorConversions(),
            new ConcatenationOperators(),
            new BinaryOps(),
            new UnaryOps(),
            new RoundingOperators(),
            new ActivationOperators(),
            new ComparisonOperators(),
            new ComplexOperators(),
            new MatrixProducts(),
            new ConvolutionFamily(),
            new Pool(),
            new PadNd(),
            new SoftMax(),
            new Normalization(),
            new UpSample(),
            new Powers(),
            new TensorCompare(),
            new TensorAdvancedIndexing(),
            new ScatterGather(),
            new TensorTransformations(),
            new EmbeddingFamily(),
            new GridSampler());

    private Families() {}
}
