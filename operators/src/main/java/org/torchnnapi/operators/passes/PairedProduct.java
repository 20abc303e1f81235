package org.torchnnapi.operators.passes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * A convolution or linear layer whose weight is made real of known integers.
 *
 * @param input its activation
 * @param operator what PyTorch calls the quantized form
 * @param overload of that, with the dot before it
 * @param weight qint8
 * @param bias float32, or null
 * @param geometry stride, padding and dilation; empty for a linear layer
 */
record PairedProduct(
        Value input,
        String operator,
        String overload,
        Tensor weight,
        Tensor bias,
        List<ScriptList> geometry,
        long groups) {

    /** Null if a node is none. */
    static PairedProduct of(Node node) {
        return switch (node.kind()) {
            case "aten::linear" -> linear(node, 0, weight(node.input(1)), 2);
            case "aten::addmm" ->
                QuantizedForms.isOne(node, 3) && QuantizedForms.isOne(node, 4)
                        ? linear(node, 1, transposed(node.input(2)), 0)
                        : null;
            case "aten::mm" -> linear(node, 0, transposed(node.input(1)), -1);
            case "aten::conv1d", "aten::conv2d" -> convolution(node, 5, 6);
            case "aten::convolution" ->
                Boolean.FALSE.equals(Literals.orNull(node.input(6))) ? convolution(node, 5, 8) : null;
            default -> null;
        };
    }

    /** Weight and bias as the quantized operator takes them. */
    CustomObject packed() {
        return QuantizedForms.packed(operator, weight, bias, geometry, groups);
    }

    private static PairedProduct linear(Node node, int input, Tensor weight, int biasInput) {
        if (weight == null || weight.rank() != 2 || biasInput >= 0 && !isBias(node, biasInput, weight.size(0))) {
            return null;
        }
        Tensor bias = biasInput < 0 ? null : bias(node, biasInput);
        return new PairedProduct(node.input(input), "quantized::linear", "", weight, bias, List.of(), 1);
    }

    private static PairedProduct convolution(Node node, int dilation, int groups) {
        Tensor weight = weight(node.input(1));
        int spatial = weight == null ? 0 : weight.rank() - 2;
        if (spatial != 1 && spatial != 2
                || !isBias(node, 2, weight.size(0))
                || !(Literals.orNull(node.input(groups)) instanceof Long count)) {
            return null;
        }
        List<ScriptList> geometry = new ArrayList<>();
        for (int position : new int[] {3, 4, dilation}) {
            if (!(Literals.orNull(node.input(position)) instanceof ScriptList list)
                    || list.size() != 1 && list.size() != spatial) {
                return null;
            }
            geometry.add(
                    list.size() == spatial
                            ? list
                            : new ScriptList(list.elementType(), Collections.nCopies(spatial, list.get(0))));
        }
        return new PairedProduct(
                node.input(0),
                "quantized::conv" + spatial + "d",
                spatial == 2 ? ".new" : "",
                weight,
                bias(node, 2),
                geometry,
                count);
    }

    /** The integers of a weight, with a scale for all or one for each output; null if they are not known. */
    private static Tensor weight(Value real) {
        Value integers = QuantizedPairs.integers(real);
        Object value = integers == null ? null : Literals.orNull(integers);
        return value instanceof Tensor tensor
                        && tensor.dtype() == DType.QINT8
                        && !(tensor.quantization() instanceof Quantization.PerChannel q && q.axis() != 0)
                ? tensor
                : null;
    }

    private static Tensor transposed(Value value) {
        Node node = value.definition();
        if (node == null) {
            return null;
        }
        boolean turns = switch (node.kind()) {
            case "aten::t" -> true;
            case "aten::permute" ->
                Literals.orNull(node.input(1)) instanceof ScriptList dims
                        && List.of(1L, 0L).equals(dims.items());
            case "aten::transpose" ->
                Literals.orNull(node.input(1)) instanceof Long first
                        && Literals.orNull(node.input(2)) instanceof Long second
                        && Math.floorMod(first, 2L) != Math.floorMod(second, 2L);
            default -> false;
        };
        return turns ? weight(node.input(0)) : null;
    }

    private static boolean isBias(Node node, int input, int outputs) {
        return Literals.isNone(node.input(input))
                || Literals.orNull(node.input(input)) instanceof Tensor tensor
                        && tensor.dtype() == DType.FLOAT32
                        && tensor.rank() == 1
                        && tensor.size(0) == outputs;
    }

    private static Tensor bias(Node node, int input) {
        if (!(Literals.orNull(node.input(input)) instanceof Tensor tensor)) {
            return null;
        }
        Tensor dense = tensor.contiguous();
        return new Tensor(dense.storage(), dense.offset(), dense.sizes(), dense.strides(), null);
    }
}
