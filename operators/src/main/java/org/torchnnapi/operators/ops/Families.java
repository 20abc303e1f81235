package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/** The table of operator families; overloads of one operator spread over several families keep this order. */
public final class Families {
    /** Operators on tensors. */
    public static final List<OperatorFamily> TENSOR_OPERATORS = List.of(
        new Views(), new TensorInfo(), new Conversions(), new Concatenation(), new Arithmetic(), new UnaryMath(), new Rounding(),
        new Activations(), new Comparison(), new ComplexMath(), new MatrixProducts(), new Convolution(), new Pooling(), new Padding(),
        new SoftmaxFamily(), new Normalization(), new Upsampling(), new Powers(), new Selection(), new Indexing(),
        new Scattering(), new Arrangement(), new Embeddings(), new GridSampling()
    );

    private Families() {
    }
}
