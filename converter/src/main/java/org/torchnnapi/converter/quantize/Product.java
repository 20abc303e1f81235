package org.torchnnapi.converter.quantize;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * A convolution or linear layer of known float32 weights.
 *
 * @param weight     row-major; of a linear layer {@code [out, in]}
 * @param bias       row-major, or null
 * @param geometry   stride, padding, (transposed: output padding,) dilation as lists of the operator that packs; empty for a linear layer
 * @param weightInput which input of the node the weight is
 * @param biasInput  which the bias is
 */
record Product(Node node, Kind kind, Tensor weight, Tensor bias, List<ScriptList> geometry, long groups, int weightInput, int biasInput) {
    private static final int RANK_2D = 4;

    /** Which layer, and what PyTorch calls its quantized form. */
    enum Kind {
        LINEAR("linear", true),
        CONVOLUTION_1D("conv1d", true),
        CONVOLUTION_2D("conv2d", true),
        TRANSPOSED_2D("conv_transpose2d", false);

        private final String operator;
        private final boolean fuses;

        Kind(String operator, boolean fuses) {
            this.operator = operator;
            this.fuses = fuses;
        }

        /** Without name space. */
        String operator() {
            return operator;
        }

        /** Whether there is one with ReLU. */
        boolean fuses() {
            return fuses;
        }
    }

    /** What a node multiplies by, or empty if it is no such layer or its weights are not known. */
    static Optional<Product> of(Node node) {
        return switch (node.kind()) {
            case "aten::linear" -> linear(node);
            case "aten::conv1d" -> convolution(node, Kind.CONVOLUTION_1D, 3, 4, -1, 5, 6);
            case "aten::conv2d" -> convolution(node, Kind.CONVOLUTION_2D, 3, 4, -1, 5, 6);
            case "aten::conv_transpose2d" -> convolution(node, Kind.TRANSPOSED_2D, 3, 4, 5, 7, 6);
            case "aten::_convolution", "aten::convolution" -> {
                Object transposed = Literals.of(node.input(6)).map(Literals.Literal::value).orElse(null);
                Tensor weight = floats(node, 1);
                boolean is2d = weight != null && weight.rank() == RANK_2D;
                yield Boolean.FALSE.equals(transposed) && weight != null && weight.rank() >= RANK_2D - 1 && weight.rank() <= RANK_2D
                    ? convolution(node, is2d ? Kind.CONVOLUTION_2D : Kind.CONVOLUTION_1D, 3, 4, -1, 5, 8)
                    : Boolean.TRUE.equals(transposed) && is2d ? convolution(node, Kind.TRANSPOSED_2D, 3, 4, 7, 5, 8) : Optional.empty();
            }
            default -> Optional.empty();
        };
    }

    private static Optional<Product> linear(Node node) {
        Tensor weight = floats(node, 1);
        return weight == null || weight.rank() != 2 || !isKnownBias(node, 2) ? Optional.empty()
            : Optional.of(new Product(node, Kind.LINEAR, weight, floats(node, 2), List.of(), 1, 1, 2));
    }

    private static Optional<Product> convolution(Node node, Kind kind, int stride, int padding, int outputPadding, int dilation, int groups) {
        Tensor weight = floats(node, 1);
        int spatial = kind == Kind.CONVOLUTION_1D ? 1 : 2;
        if (weight == null || weight.rank() != spatial + 2 || !isKnownBias(node, 2)) {
            return Optional.empty();
        }
        List<ScriptList> geometry = new ArrayList<>();
        for (int position : outputPadding < 0 ? new int[] {stride, padding, dilation} : new int[] {stride, padding, outputPadding, dilation}) {
            Object list = Literals.of(node.input(position)).map(Literals.Literal::value).orElse(null);
            if (!(list instanceof ScriptList numbers) || numbers.size() != spatial) {
                return Optional.empty();
            }
            geometry.add(numbers);
        }
        Object count = Literals.of(node.input(groups)).map(Literals.Literal::value).orElse(null);
        return count instanceof Long number ? Optional.of(new Product(node, kind, weight, floats(node, 2), geometry, number, 1, 2)) : Optional.empty();
    }

    private static boolean isKnownBias(Node node, int input) {
        return Literals.isNone(node.input(input)) || floats(node, input) != null;
    }

    /** A known float32 tensor, without gradients and row-major; null if it is something else. */
    static Tensor floats(Node node, int input) {
        Object value = input < node.inputs().size() ? Literals.of(node.input(input)).map(Literals.Literal::value).orElse(null) : null;
        if (!(value instanceof Tensor tensor) || tensor.dtype() != DType.FLOAT32) {
            return null;
        }
        Tensor dense = tensor.contiguous();
        return new Tensor(dense.storage(), dense.offset(), dense.sizes(), dense.strides(), null);
    }

    /** Number of output channels. */
    int outputs() {
        return kind == Kind.TRANSPOSED_2D ? Math.toIntExact(weight.size(1) * groups) : weight.size(0);
    }

    /** Whether each channel has a filter of its own. */
    boolean isDepthwise() {
        return kind != Kind.TRANSPOSED_2D && groups > 1 && groups == weight.size(0) && weight.size(1) == 1;
    }
}
