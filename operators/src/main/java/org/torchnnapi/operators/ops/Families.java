package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/** The table of operator families; overloads of one operator spread over several families keep this order. */
public final class Families {
    /** Operators on tensors. */
    public static final List<OperatorFamily> TENSOR_OPERATORS = List.of(
        new ViewOperators(), new TensorInfo(), new Conversions(), new ConcatenationOperators(), new Arithmetic(), new UnaryMath(), new RoundingOperators(),
        new ActivationOperators(), new ComparisonOperators(), new ComplexOperators(), new MatrixProducts(), new ConvolutionOperators(),
            new PoolingOperators(), new PaddingOperators(),
        new SoftmaxFamily(), new Normalization(), new Upsampling(), new Powers(), new Selection(), new IndexingOperators(),
        new Scattering(), new ArrangementOperators(), new Embeddings(), new GridSampling()
    );

    private Families() {
    }
}
