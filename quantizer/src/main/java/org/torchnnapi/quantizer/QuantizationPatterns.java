package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.torchnnapi.operators.passes.ActivationLimits;
import org.torchnnapi.operators.passes.QuantizedForms;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Finds what of a graph can be quantized, as PyTorch's own flow would: layers with weights and the activations behind
 * them, sums, products and joins of what is quantized already, and functions of it. What stands in branches and loops
 * stays float.
 */
final class QuantizationPatterns {
    private static final int IMAGE = 4;

    private final Graph graph;
    private final Map<Value, Tensor> seen;

    /** @param seen what the graph's tensors were on some input, as far as they are tensors */
    QuantizationPatterns(Graph graph, Map<Value, Tensor> seen) {
        this.graph = graph;
        this.seen = seen;
    }

    /**
     * The parts in the graph's order.
     *
     * @param stays which stay float
     */
    List<QuantizedPart> find(Predicate<QuantizedPart> stays) {
        Set<QuantizedPart> chosen = new LinkedHashSet<>();
        Set<Value> available = new HashSet<>();
        List<QuantizedPart> candidates =
                candidates().stream().filter(stays.negate()).collect(Streams.toList());
        boolean grew = true;
        while (grew) {
            grew = false;
            for (QuantizedPart part : candidates) {
                if (isWorthIt(part, available) && chosen.add(part)) {
                    available.addAll(part.inputs());
                    available.addAll(part.outputs());
                    grew = true;
                }
            }
        }
        return candidates.stream().filter(chosen::contains).collect(Streams.toList());
    }

    /** A product of two activations is worth a step that quantizes one of them; what computes little, none. */
    private static boolean isWorthIt(QuantizedPart part, Set<Value> available) {
        return part.role() == QuantizedPart.Role.PRODUCT
                || available.containsAll(part.inputs())
                || OperatorTrait.MULTIPLIES_MATRICES.of(part.node())
                        && part.inputs().stream().anyMatch(available::contains);
    }

    /** Everything there is a quantized operator for. */
    List<QuantizedPart> candidates() {
        List<QuantizedPart> parts = new ArrayList<>();
        Set<Node> taken = new HashSet<>();
        for (Node node : graph.block().nodes()) {
            Optional<QuantizedPart> part = taken.contains(node) ? Optional.empty() : part(node);
            part.ifPresent(found -> {
                parts.add(found);
                taken.add(found.end());
            });
        }
        return parts;
    }

    private Optional<QuantizedPart> part(Node node) {
        Optional<Product> product = Product.of(node);
        if (product.isPresent()) {
            Product.Kind kind = product.get().kind();
            boolean fits = isFloat(node.input(0))
                    && (kind == Product.Kind.LINEAR
                            || rank(node.input(0)) == product.get().weight().rank());
            Node end = kind.fuses() ? end(node) : node;
            return fits
                    ? Optional.of(new QuantizedPart(
                            QuantizedPart.Role.PRODUCT, node, end, List.of(node.input(0)), end != node, product.get()))
                    : Optional.empty();
        }
        if (OperatorTrait.FIXES_QUANTIZATION.of(node)) {
            return single(QuantizedPart.Role.FIXED, node);
        }
        if (OperatorTrait.KEEPS_INTEGERS.of(node) || OperatorTrait.ROUNDS_INTEGERS.of(node)) {
            boolean fits = OperatorTrait.SPATIAL.of(node)
                    ? rank(node.input(0)) == IMAGE
                    : !OperatorTrait.REDUCES.of(node) || isSpatialMean(node);
            return OperatorTrait.DIVIDES.of(node)
                    ? divided(node)
                    : fits ? single(QuantizedPart.Role.SAME, node) : Optional.empty();
        }
        return observed(node);
    }

    private Optional<QuantizedPart> single(QuantizedPart.Role role, Node node) {
        return isFloat(node.input(0)) && isFloat(node.output())
                ? Optional.of(new QuantizedPart(role, node, node, List.of(node.input(0)), false, null))
                : Optional.empty();
    }

    private Optional<QuantizedPart> observed(Node node) {
        List<Value> tensors = QuantizedForms.observed(node);
        if (tensors == null
                || !tensors.stream().allMatch(this::isActivation)
                || !isFloat(node.output())
                || !hasForm(node)) {
            return Optional.empty();
        }
        Node end = QuantizedForms.hasRelu(node) && !OperatorTrait.JOINS.of(node) ? end(node) : node;
        return Optional.of(
                new QuantizedPart(QuantizedPart.Role.OBSERVED, node, end, List.copyOf(tensors), end != node, null));
    }

    /** Whether the quantized form of an operator takes what this one does. */
    private boolean hasForm(Node node) {
        if (OperatorTrait.JOINS.of(node)) {
            Node list = node.input(0).definition();
            return list.owner() == node.owner()
                    && list.output().uses().size() == 1
                    && Literals.of(node.input(1)).isPresent();
        }
        if (OperatorTrait.MULTIPLIES_MATRICES.of(node)) {
            return rank(node.input(0)) > 1 && rank(node.input(1)) > 1;
        }
        if (OperatorTrait.CHANNELWISE.of(node)) {
            // A batch norm of images that no layer took, or one slope for each channel.
            return OperatorTrait.TRAINS.of(node)
                    ? rank(node.input(0)) == IMAGE && Product.floats(node, 3) != null && Product.floats(node, 4) != null
                    : isPositive(Product.floats(node, 1));
        }
        return true;
    }

    /** Whether slopes can be unsigned bytes with zero point 0, as PyTorch keeps them. */
    private static boolean isPositive(Tensor slopes) {
        if (slopes == null) {
            return false;
        }
        for (float slope : slopes.toFloatArray()) {
            if (!(slope >= 0)) {
                return false;
            }
        }
        return true;
    }

    private Optional<QuantizedPart> divided(Node node) {
        if (!isFloat(node.input(0))
                || node.output().uses().size() != 1
                || !node.output().uses().get(0).user().is(Prim.LIST_UNPACK)) {
            return Optional.empty();
        }
        Node unpack = node.output().uses().get(0).user();
        return unpack.owner() == node.owner()
                ? Optional.of(
                        new QuantizedPart(QuantizedPart.Role.SAME, node, unpack, List.of(node.input(0)), false, null))
                : Optional.empty();
    }

    /** The activation behind a node that its quantized form can have in its limits, or the node itself. */
    private Node end(Node node) {
        if (node.output().uses().size() != 1) {
            return node;
        }
        Node user = node.output().uses().get(0).user();
        if (user.owner() != node.owner() || user.inputs().isEmpty() || user.input(0) != node.output()) {
            return node;
        }
        // The upper limit, as of 6, is that of what is observed, which a quantized result cannot exceed.
        ActivationLimits limits = Effects.mutates(user) ? null : ActivationLimits.of(user);
        return limits != null && limits.isRectified() ? user : node;
    }

    private boolean isSpatialMean(Node node) {
        if (node.inputs().size() < 4 || !Literals.isNone(node.input(3)) || rank(node.input(0)) != IMAGE) {
            return false;
        }
        Object dims = Literals.orNull(node.input(1));
        return dims instanceof ScriptList list
                && list.size() == 2
                && Math.floorMod(((Long) list.get(0)).intValue(), IMAGE)
                                + Math.floorMod(((Long) list.get(1)).intValue(), IMAGE)
                        == 5
                && Math.floorMod(((Long) list.get(0)).intValue(), IMAGE) >= 2
                && Math.floorMod(((Long) list.get(1)).intValue(), IMAGE) >= 2;
    }

    private int rank(Value value) {
        Tensor tensor = seen.get(value);
        return tensor == null ? -1 : tensor.rank();
    }

    private boolean isFloat(Value value) {
        Tensor tensor = seen.get(value);
        return tensor != null && tensor.dtype() == DType.FLOAT32;
    }

    /** Whether a float tensor is computed from the inputs. */
    private boolean isActivation(Value value) {
        return isFloat(value) && !Literals.of(value).isPresent();
    }
}
