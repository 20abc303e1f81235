package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * A convolution or linear layer of known float32 weights.
 *
 * @param weight row-major; of a linear layer {@code [out, in]}
 * @param bias row-major, or null
 * @param geometry stride, padding, (transposed: output padding,) dilation as lists of the operator that packs; empty
 *     for a linear layer
 * @param weightInput which input of the node the weight is
 * @param biasInput which the bias is
 */
record Product(
        Node node,
        Kind kind,
        Tensor weight,
        Tensor bias,
        List<ScriptList> geometry,
        long groups,
        int weightInput,
        int biasInput) {
    private static final List<String> FORWARD = List.of("stride", "padding", "dilation");
    private static final List<String> TRANSPOSED = List.of("stride", "padding", "output_padding", "dilation");

    /** Which layer, and what PyTorch calls its quantized form. */
    enum Kind {
        LINEAR("linear", true),
        CONVOLUTION_1D("conv1d", true),
        CONVOLUTION_2D("conv2d", true),
        TRANSPOSED_1D("conv_transpose1d", false),
        TRANSPOSED_2D("conv_transpose2d", false);

        private static final List<Kind> CONVOLUTIONS = List.of(CONVOLUTION_1D, CONVOLUTION_2D);
        private static final List<Kind> TRANSPOSED = List.of(TRANSPOSED_1D, TRANSPOSED_2D);

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

        /**
         * The kind of a convolution over so many dimensions, or null if qnnpack has none: it loads no packed weights of
         * volumes.
         */
        static Kind of(boolean transposed, int spatial) {
            List<Kind> all = transposed ? TRANSPOSED : CONVOLUTIONS;
            return spatial >= 1 && spatial <= all.size() ? all.get(spatial - 1) : null;
        }

        /** Whether it gives what its twin takes; its weights' first dimension is the input's. */
        boolean isTransposed() {
            return TRANSPOSED.contains(this);
        }

        /** Whether there is one with ReLU. */
        boolean fuses() {
            return fuses;
        }
    }

    /** What a node multiplies by, or empty if it is no such layer or its weights are not known. */
    static Optional<Product> of(Node node) {
        if (!OperatorTrait.CONVOLVES.of(node)) {
            return node.is("aten::linear") ? linear(node) : Optional.empty();
        }
        Object transposed = node.argument("transposed") == null
                ? (Object) (node.argument("output_padding") != null)
                : known(node, "transposed");
        return transposed instanceof Boolean known ? convolution(node, known) : Optional.empty();
    }

    private static Optional<Product> linear(Node node) {
        Tensor weight = floats(node, 1);
        return weight == null || weight.rank() != 2 || !isKnownBias(node, 2)
                ? Optional.empty()
                : Optional.of(new Product(node, Kind.LINEAR, weight, floats(node, 2), List.of(), 1, 1, 2));
    }

    private static Optional<Product> convolution(Node node, boolean transposed) {
        Tensor weight = floats(node, 1);
        int spatial = weight == null ? 0 : weight.rank() - 2;
        Kind kind = Kind.of(transposed, spatial);
        if (kind == null || !isKnownBias(node, 2)) {
            return Optional.empty();
        }
        List<ScriptList> geometry = new ArrayList<>();
        for (String name : transposed ? TRANSPOSED : FORWARD) {
            Object list = known(node, name);
            if (!(list instanceof ScriptList numbers) || numbers.size() != spatial) {
                return Optional.empty();
            }
            geometry.add(numbers);
        }
        Object count = known(node, "groups");
        return count instanceof Long number
                ? Optional.of(new Product(node, kind, weight, floats(node, 2), geometry, number, 1, 2))
                : Optional.empty();
    }

    private static Object known(Node node, String argument) {
        Value given = node.argument(argument);
        return given == null ? null : Literals.orNull(given);
    }

    private static boolean isKnownBias(Node node, int input) {
        return Literals.isNone(node.input(input)) || floats(node, input) != null;
    }

    /** A known float32 tensor, without gradients and row-major; null if it is something else. */
    static Tensor floats(Node node, int input) {
        Object value = input < node.inputs().size() ? Literals.orNull(node.input(input)) : null;
        if (!(value instanceof Tensor tensor) || tensor.dtype() != DType.FLOAT32) {
            return null;
        }
        Tensor dense = tensor.contiguous();
        return new Tensor(dense.storage(), dense.offset(), dense.sizes(), dense.strides(), null);
    }

    /** Number of output channels. */
    int outputs() {
        return kind.isTransposed() ? Math.toIntExact(weight.size(1) * groups) : weight.size(0);
    }

    /** Whether each channel has a filter of its own. */
    boolean isDepthwise() {
        return !kind.isTransposed() && groups > 1 && groups == weight.size(0) && weight.size(1) == 1;
    }
}
