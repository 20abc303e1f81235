package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
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
                || part.node().is("aten::matmul") && part.inputs().stream().anyMatch(available::contains);
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
        return switch (node.kind()) {
            case "aten::add" -> isOne(node, 2) ? pair(node, true) : Optional.empty();
            case "aten::mul" -> pair(node, true);
            case "aten::cat" -> joined(node);
            case "aten::matmul" ->
                rank(node.input(0)) > 1 && rank(node.input(1)) > 1 ? pair(node, false) : Optional.empty();
            case "aten::hardswish", "aten::leaky_relu", "aten::elu", "aten::layer_norm" ->
                single(QuantizedPart.Role.OBSERVED, node);
            case "aten::instance_norm" ->
                Boolean.TRUE.equals(Literals.orNull(node.input(5)))
                        ? single(QuantizedPart.Role.OBSERVED, node)
                        : Optional.empty();
            case "aten::batch_norm" -> normalized(node);
            case "aten::prelu" ->
                isPositive(Product.floats(node, 1)) ? single(QuantizedPart.Role.OBSERVED, node) : Optional.empty();
            case "aten::sigmoid", "aten::tanh", "aten::hardsigmoid" -> single(QuantizedPart.Role.FIXED, node);
            case "aten::relu",
                    "aten::flatten",
                    "aten::reshape",
                    "aten::view",
                    "aten::permute",
                    "aten::transpose",
                    "aten::squeeze",
                    "aten::unsqueeze",
                    "aten::slice",
                    "aten::select",
                    "aten::contiguous" -> single(QuantizedPart.Role.SAME, node);
            case "aten::max_pool2d",
                    "aten::avg_pool2d",
                    "aten::adaptive_avg_pool2d",
                    "aten::upsample_nearest2d",
                    "aten::upsample_bilinear2d" ->
                rank(node.input(0)) == IMAGE ? single(QuantizedPart.Role.SAME, node) : Optional.empty();
            case "aten::mean" -> isSpatialMean(node) ? single(QuantizedPart.Role.SAME, node) : Optional.empty();
            case "aten::chunk", "aten::split", "aten::split_with_sizes" -> divided(node);
            default -> Optional.empty();
        };
    }

    private Optional<QuantizedPart> single(QuantizedPart.Role role, Node node) {
        return isFloat(node.input(0)) && isFloat(node.output())
                ? Optional.of(new QuantizedPart(role, node, node, List.of(node.input(0)), false, null))
                : Optional.empty();
    }

    private Optional<QuantizedPart> pair(Node node, boolean fuses) {
        if (node.inputs().size() < 2 || !isActivation(node.input(0)) || !isActivation(node.input(1))) {
            return Optional.empty();
        }
        Node end = fuses ? end(node) : node;
        return Optional.of(new QuantizedPart(
                QuantizedPart.Role.OBSERVED, node, end, List.of(node.input(0), node.input(1)), end != node, null));
    }

    /** A batch norm of images that no layer took. */
    private Optional<QuantizedPart> normalized(Node node) {
        boolean fits = isFloat(node.input(0))
                && rank(node.input(0)) == IMAGE
                && Boolean.FALSE.equals(Literals.orNull(node.input(5)))
                && Product.floats(node, 3) != null
                && Product.floats(node, 4) != null;
        Node end = end(node);
        return fits
                ? Optional.of(new QuantizedPart(
                        QuantizedPart.Role.OBSERVED, node, end, List.of(node.input(0)), end != node, null))
                : Optional.empty();
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

    private Optional<QuantizedPart> joined(Node node) {
        Node list = node.input(0).definition();
        boolean fits = list != null
                && list.is(Prim.LIST_CONSTRUCT)
                && list.owner() == node.owner()
                && list.output().uses().size() == 1
                && list.inputs().stream().allMatch(this::isActivation)
                && Literals.of(node.input(1)).isPresent();
        return fits
                ? Optional.of(new QuantizedPart(
                        QuantizedPart.Role.OBSERVED, node, node, List.copyOf(list.inputs()), false, null))
                : Optional.empty();
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
        return switch (user.kind()) {
            // The upper limit of 6 is that of what is observed, which a quantized result cannot exceed.
            case "aten::relu", "aten::relu6" -> user;
            case "aten::hardtanh", "aten::clamp" ->
                user.schema() != null && user.inputs().size() > 2 && isZero(user.input(1)) ? user : node;
            default -> node;
        };
    }

    private static boolean isZero(Value value) {
        return Literals.of(value)
                .filter(literal -> literal.value() instanceof Number number && number.doubleValue() == 0)
                .isPresent();
    }

    private static boolean isOne(Node node, int input) {
        return node.inputs().size() <= input
                || Literals.of(node.input(input))
                        .filter(literal -> literal.value() instanceof Number number && number.doubleValue() == 1)
                        .isPresent();
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
