package org.torchnnapi.operators.passes;

import java.util.List;
import java.util.Set;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.ControlFlowFolding;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.passes.PointsTo;

/**
 * Takes branches that ask whether a mask picks anything, and do nothing but write what it picks, without asking:
 * {@code if m.any(): out[m] = f(x[m])}, and {@code i = where(m)[0]; if len(i) > 0: out.index_add_(0, i, f(x[i]))}.
 * Where the mask picks nothing they write nothing. What they compute of no rows must not fail, which is known of
 * operators that take each row by itself.
 */
public final class MaskedBranches {
    private static final Set<OperatorTrait> NONE_OF_NONE = Set.of(
            OperatorTrait.SAME_PLACES,
            OperatorTrait.KEEPS_ORDER,
            OperatorTrait.VIEW,
            OperatorTrait.JOINS,
            OperatorTrait.REDUCES,
            OperatorTrait.MIXES_ALONG,
            OperatorTrait.MULTIPLIES_MATRICES,
            OperatorTrait.LOOKS_UP,
            OperatorTrait.FINDS_PLACES);

    private final Graph graph;
    private PointsTo aliases;

    private MaskedBranches(Graph graph) {
        this.graph = graph;
    }

    /** @return whether branches were taken */
    public static boolean run(Graph graph) {
        return new MaskedBranches(graph).run(graph.block());
    }

    /**
     * What a condition asks.
     *
     * @param source of what is picked
     * @param some whether the condition is true where something is
     */
    private record Question(Value source, boolean some) {}

    private boolean run(Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= run(inner);
            }
            Question question = node.is(Prim.IF) ? question(node.input(0)) : null;
            if (question != null && isNoOpWhenEmpty(node, question)) {
                ControlFlowFolding.take(node, node.blocks().get(question.some() ? 0 : 1));
                aliases = null;
                changed = true;
            }
        }
        return changed;
    }

    private boolean isNoOpWhenEmpty(Node branch, Question question) {
        Block taken = branch.blocks().get(question.some() ? 0 : 1);
        Block other = branch.blocks().get(question.some() ? 1 : 0);
        aliases = aliases != null ? aliases : new PointsTo(graph);
        if (isWritten(question.source())
                || other.nodes().stream().anyMatch(Effects::hasSideEffects)
                || !taken.nodes().stream().allMatch(node -> maySeeNone(node, taken, question.source()))) {
            return false;
        }
        for (int i = 0; i < branch.outputs().size(); i++) {
            if (!isOther(taken.results().get(i), other.results().get(i), taken, question.source())
                    || isWritten(branch.output(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean isWritten(Value value) {
        return aliases.of(value).stream().anyMatch(Literals::isMutated);
    }

    /**
     * Whether a node of a branch takes no rows as well as some, and writes to what lies outside only where rows are
     * picked.
     */
    private boolean maySeeNone(Node node, Block taken, Value source) {
        if (!node.blocks().isEmpty() || Effects.isRandom(node)) {
            return false;
        }
        if (Effects.mutates(node)) {
            boolean own = node.schema() != null
                    && aliases.of(node.input(0)).stream()
                            .allMatch(alias -> alias.definition() != null
                                    && alias.definition().owner() == taken)
                    && OperatorTrait.ELEMENTWISE.of(node);
            return own || writesPicked(node, source);
        }
        if (Effects.hasSideEffects(node)) {
            return false;
        }
        return OperatorTrait.ELEMENTWISE.of(node)
                || OperatorTrait.KEEPS_SHAPE.of(node)
                || OperatorTrait.READS_GEOMETRY.of(node)
                || writesPicked(node, source)
                || makesNoneOfNone(node)
                || node.inputs().stream().noneMatch(input -> PointsTo.holdsMemory(input.type()))
                        && OperatorTrait.TOTAL.of(node);
    }

    /** Whether of no rows a node makes no rows, or zeros, beside those whose traits say more. */
    private static boolean makesNoneOfNone(Node node) {
        return !OperatorTrait.NEEDS_ELEMENTS.of(node) && NONE_OF_NONE.stream().anyMatch(trait -> trait.of(node))
                || switch (node.kind()) {
                    case "aten::addmm", "aten::stack", "aten::__getitem__" -> true;
                    case Prim.CONSTANT,
                            Prim.LIST_CONSTRUCT,
                            Prim.LIST_UNPACK,
                            Prim.TUPLE_CONSTRUCT,
                            Prim.TUPLE_UNPACK,
                            "prim::NumToTensor" -> true;
                    default -> false;
                };
    }

    /** Whether a result of the branch is, where nothing is picked, that of the other one. */
    private static boolean isOther(Value result, Value other, Block taken, Value source) {
        Value at = result;
        while (at != other
                && at.definition() != null
                && at.definition().owner() == taken
                && !Effects.mutates(at.definition())
                && writesPicked(at.definition(), source)) {
            at = at.definition().input(0);
        }
        return at == other
                || Literals.of(at).isPresent()
                        && Literals.of(at).equals(Literals.of(other))
                        && !(at.type() == Type.Basic.TENSOR);
    }

    private static boolean writesPicked(Node node, Value source) {
        return switch (node.kind()) {
            case "aten::index_put", "aten::index_put_" -> source(onlyItem(node.input(1))) == source;
            case "aten::index_add", "aten::index_add_", "aten::index_copy", "aten::index_copy_" ->
                source(node.input(2)) == source;
            case "aten::masked_fill", "aten::masked_fill_", "aten::masked_scatter", "aten::masked_scatter_" ->
                node.input(1) == source && isTruth(source);
            default -> false;
        };
    }

    /** What a list of indices has beside None; null where that is not one. */
    private static Value onlyItem(Value list) {
        List<Value> items = list.definition() == null || !list.definition().is(Prim.LIST_CONSTRUCT)
                ? List.of()
                : list.definition().inputs();
        Value found = null;
        for (Value item : items) {
            if (!Literals.isNone(item)) {
                if (found != null && source(found) != source(item)) {
                    return null;
                }
                found = item;
            }
        }
        return found;
    }

    /** The mask that places or rows come from, or the value itself. */
    private static Value source(Value picked) {
        Value at = picked;
        for (Node node = at == null ? null : at.definition();
                node != null && !node.inputs().isEmpty();
                node = at.definition()) {
            if (OperatorTrait.FINDS_PLACES.of(node)) {
                return node.output().type() == Type.Basic.TENSOR ? node.input(0) : at;
            }
            if (node.is("aten::index")) {
                Value item = onlyItem(node.input(1));
                if (item == null) {
                    return at;
                }
                at = item;
            } else if (node.is(Prim.LIST_UNPACK) || NodeBuilder.isItem(node)) {
                return isPlaces(node.input(0).definition())
                        ? node.input(0).definition().input(0)
                        : at;
            } else if ((OperatorTrait.VIEW.of(node) || OperatorTrait.KEEPS_ORDER.of(node))
                    && isPlaces(node.input(0).definition())) {
                // Of places, one to a row: of one dimension of the mask, or of a mask of one dimension.
                at = node.input(0);
            } else {
                return at;
            }
        }
        return at;
    }

    private static boolean isPlaces(Node node) {
        return node != null && OperatorTrait.FINDS_PLACES.of(node);
    }

    /** Whether elements are truth values, by what they are made of. */
    private static boolean isTruth(Value mask) {
        Node node = mask.definition();
        if (node == null || OperatorTrait.TESTS.of(node)) {
            return node != null;
        }
        return OperatorTrait.COMBINES_BITS.of(node)
                ? node.inputs().stream().allMatch(MaskedBranches::isTruth)
                : moves(node) && isTruth(node.input(0));
    }

    private static boolean moves(Node node) {
        return OperatorTrait.VIEW.of(node)
                || OperatorTrait.KEEPS_ORDER.of(node)
                || OperatorTrait.LOOKS_UP.of(node)
                || OperatorTrait.SAME_PLACES.of(node) && OperatorTrait.KEEPS_SHAPE.of(node);
    }

    private static Question question(Value condition) {
        Node node = condition.definition();
        if (node == null || node.inputs().isEmpty()) {
            return null;
        }
        Value of = node.input(0);
        switch (node.kind()) {
            case "aten::__not__":
            case "aten::logical_not": {
                Question question = question(of);
                return question == null ? null : new Question(question.source(), !question.some());
            }
            case "aten::Bool":
                return of.type() == Type.Basic.TENSOR ? question(of) : counted(of, true);
            case "aten::any":
                return node.inputs().size() == 1 && isTruth(of) ? new Question(of, true) : null;
            default: {
                Boolean some =
                        node.inputs().size() == 2 ? asksForSome(node.kind(), Literals.orNull(node.input(1))) : null;
                return some == null
                        ? condition.type() == Type.Basic.TENSOR ? counted(condition, true) : null
                        : counted(of, some);
            }
        }
    }

    /**
     * What a comparison of a number with a limit asks of the number, which is not below 0; null where that is something
     * else.
     */
    private static Boolean asksForSome(String kind, Object limit) {
        if (!(limit instanceof Long number)) {
            return null;
        }
        return switch (kind) {
            case "aten::gt", "aten::ne" -> number == 0 ? Boolean.TRUE : null;
            case "aten::ge" -> number == 1 ? Boolean.TRUE : null;
            case "aten::eq", "aten::le" -> number == 0 ? Boolean.FALSE : null;
            case "aten::lt" -> number == 1 ? Boolean.FALSE : null;
            default -> null;
        };
    }

    /** What a number counts. */
    private static Question counted(Value number, boolean some) {
        Node node = number.definition();
        if (node == null || node.inputs().isEmpty()) {
            return null;
        }
        Value of = node.input(0);
        switch (node.kind()) {
            case "aten::sum":
            case "aten::count_nonzero":
                return (node.inputs().size() == 1 || node.inputs().size() == 2 && Literals.isNone(node.input(1)))
                                && isTruth(of)
                        ? new Question(of, some)
                        : null;
            case "aten::Int":
            case "aten::item":
            case "aten::IntImplicit":
                return counted(of, some);
            case "aten::numel":
            case "aten::len":
                return of.type() == Type.Basic.TENSOR ? new Question(source(of), some) : null;
            case "aten::size":
                return node.inputs().size() == 2 && isFirst(node.input(1)) ? new Question(source(of), some) : null;
            case "aten::__getitem__":
                return of.definition() != null
                                && NodeBuilder.isSize(of.definition())
                                && of.definition().inputs().size() == 1
                                && isFirst(node.input(1))
                        ? new Question(source(of.definition().input(0)), some)
                        : null;
            default:
                return null;
        }
    }

    private static boolean isFirst(Value dimension) {
        return Literals.of(dimension)
                .map(literal -> Long.valueOf(0).equals(literal.value()))
                .orElse(false);
    }
}
