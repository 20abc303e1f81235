package org.torchnnapi.torchscript.value;

import java.util.Arrays;
import org.torchnnapi.tensor.Tensor;

/**
 * Sequences of different length, which PyTorch's transformer modules run without their padding: a tensor to scripts,
 * but only operators that know of it take it.
 *
 * @param padded [sequences, steps, width]; what lies behind the end of a sequence means nothing
 * @param visible [sequences, steps] of bool, true for the steps that there are, which are the first of each sequence
 */
public record NestedTensor(Tensor padded, Tensor visible) {
    @Override
    public String toString() {
        return "nested tensor of sequences within " + Arrays.toString(padded.sizes());
    }
}
