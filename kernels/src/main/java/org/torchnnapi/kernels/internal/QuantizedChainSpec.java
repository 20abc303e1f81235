package org.torchnnapi.kernels.internal;

import java.util.List;
import org.torchnnapi.kernels.QuantizedSum;

/**
 * A chain as its plan checked it: the output of each stage is the input of the next, which reads its bytes as it
 * declares.
 *
 * @param sum adds the residual to the last stage's output; null for none
 */
public record QuantizedChainSpec(List<QuantizedConvSpec> stages, QuantizedSum sum) {}
