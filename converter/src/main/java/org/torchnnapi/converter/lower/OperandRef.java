package org.torchnnapi.converter.lower;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * A tensor of the NNAPI model under construction.
 *
 * @param id its operand
 * @param dims its dimensions, in NNAPI's order
 * @param scale quantization step, 0 where the type has none
 * @param isConstant whether it is a constant of the model
 */
public record OperandRef(int id, OperandType type, int[] dims, double scale, int zeroPoint, boolean isConstant) {
    int rank() {
        return dims.length;
    }

    int count() {
        int product = 1;
        for (int dim : dims) {
            product = Math.multiplyExact(product, dim);
        }
        return product;
    }

    boolean isQuantized() {
        return type == OperandType.TENSOR_QUANT8_ASYMM;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OperandRef term && term.id == id;
    }

    @Override
    public int hashCode() {
        return id;
    }

    @Override
    public String toString() {
        return type + Arrays.toString(dims);
    }
}
