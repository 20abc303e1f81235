package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/** The table of families on quantized tensors and packed weights. */
public final class QuantizedFamilies {
    public static final List<OperatorFamily> ALL = List.of(
            new Prepacked(),
            new QuantizedActivations(),
            new QuantizedArithmetic(),
            new QuantizedConvolutions(),
            new QuantizedEmbeddings(),
            new QuantizedLinears(),
            new QuantizedRecurrent(),
            new QuantizedTensors());

    private QuantizedFamilies() {}
}
