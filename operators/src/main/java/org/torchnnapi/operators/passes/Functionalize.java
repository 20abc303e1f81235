package org.torchnnapi.operators.passes;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.torchnnapi.operators.OperatorForms;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Inlining;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.passes.PointsTo;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Turns writes in place into new values. A tensor's memory is a base, other tensors that show it are views of it: a
 * write makes a new version of the base, of which whoever reads a view later reads a new one. Loops carry the bases
 * that they write, branches return them; arguments and attributes that were written are written back once, at the end.
 * What may be written under a name of which it is not known what it shows stays as it is, as a whole.
 */
public final class Functionalize {
    /** Marks nodes that write what was computed to what others see, at the end of a graph. */
    public static final String WRITTEN_BACK = "written_back";

    private static final double SIX = 6;

    private Functionalize() {}

    /** As {@link #run(Graph, ScriptObject, boolean)}; writes to attributes stay as they are. */
    public static boolean run(Graph graph) {
        return run(graph, null, false);
    }

    /**
     * Only where all that writes to a tensor gives what has its sizes and dtype, whatever the other arguments are: the
     * functional forms of other operators broadcast and promote, where in place they convert or fail.
     *
     * @return whether anything changed
     */
    public static boolean exactly(Graph graph) {
        return run(graph, null, false, OperatorTrait.KEEPS_SHAPE::of);
    }

    /**
     * Changes a graph.
     *
     * @param module what the graph's first input is; null where that is not known, attributes that are written to stay
     *     as they are then
     * @param exact whether all that is written has the type of its place, whatever types tensors have, and arguments
     *     and attributes are written back; otherwise tensors of one write are taken to have one type, as fused kernels
     *     need it
     * @return whether anything changed
     */
    public static boolean run(Graph graph, ScriptObject module, boolean exact) {
        return run(graph, module, exact, schema -> true);
    }

    private static boolean run(Graph graph, ScriptObject module, boolean exact, Predicate<FunctionSchema> wanted) {
        boolean changed = nameWrites(graph.block());
        if (!isWritten(graph.block())) {
            return changed;
        }
        PointsTo pointsTo = new PointsTo(graph, module);
        if (singleViews(graph.block(), pointsTo)) {
            changed = true;
            pointsTo = new PointsTo(graph, module);
        }
        NodeOrder order = new NodeOrder(graph);
        Origins origins = new Origins(graph, pointsTo, order);
        WrittenBases bases = new WrittenBases(graph, pointsTo, order, origins, exact, wanted);
        if (!bases.any()) {
            return changed;
        }
        new BaseVersions(graph, origins, bases, exact).run();
        return true;
    }

    /** Whether a node writes back what was computed. */
    public static boolean isWrittenBack(Node node) {
        return node.attribute(WRITTEN_BACK) != null;
    }

    /** Whether a node changes in place how its first input is seen, and not what is in it: {@code unsqueeze_}. */
    public static boolean changesView(Node node) {
        InPlaceTwin twin = InPlaceTwin.of(node);
        return twin != null && twin.changesView();
    }

    private static boolean isWritten(Block block) {
        return block.nodes().stream()
                .anyMatch(node -> Effects.mutates(node) && !isWrittenBack(node)
                        || node.blocks().stream().anyMatch(Functionalize::isWritten));
    }

    /**
     * Views that are taken from a list of them, {@code x.unbind(0)[1]}, are made by themselves where they are written
     * to, under any name. Not where one becomes another view in place, as by {@code unsqueeze_}: that is the one that
     * is in the list.
     */
    private static boolean singleViews(Block block, PointsTo pointsTo) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= singleViews(inner, pointsTo);
            }
            Node lists = node.inputs().isEmpty() ? null : node.input(0).definition();
            Graph item = lists != null && OperatorTrait.DIVIDES.of(lists) ? OperatorForms.item(lists.schema()) : null;

            if (item == null
                    || pointsTo.of(lists.input(0)).stream().noneMatch(Functionalize::isTensorWritten)
                    || pointsTo.of(lists.input(0)).stream().anyMatch(Functionalize::becomesAnotherView)) {
                continue;
            }
            if (node.is("prim::ListUnpack")) {
                for (int i = 0; i < node.outputs().size(); i++) {
                    replace(node.output(i), single(node, lists, item, i));
                }
                node.destroy();
                changed = true;
            } else if (node.is("aten::__getitem__")) {
                Optional<Object> number = Literals.of(node.input(1)).map(Literals.Literal::value);
                if (number.isPresent() && ((Long) number.get() >= 0 || lists.is("aten::unbind"))) {
                    replace(node.output(), single(node, lists, item, (Long) number.get()));
                    node.destroy();
                    changed = true;
                }
            }
        }
        return changed;
    }

    private static void replace(Value old, Value made) {
        made.name(made.name() == null ? old.name() : made.name());
        old.replaceAllUsesWith(made);
    }

    private static Value single(Node place, Node lists, Graph item, long number) {
        Node call = place.graph().create("prim::Item").range(place.range());
        lists.inputs().forEach(call::addInput);
        call.addInput(place.owner()
                .insertBefore(place, place.graph().constant(number, Type.Basic.INT))
                .output());
        place.owner().insertBefore(place, call);
        Value result = Inlining.before(call, item, inner -> inner.nodes().forEach(made -> made.range(place.range())))
                .get(0);
        call.destroy();
        return result;
    }

    private static boolean isTensorWritten(Value value) {
        return value.type() == Type.Basic.TENSOR
                && value.uses().stream()
                        .anyMatch(use -> Effects.writes(use.user(), use.index()) && !isWrittenBack(use.user()));
    }

    private static boolean becomesAnotherView(Value value) {
        return value.uses().stream()
                .filter(use -> use.index() == 0 && Effects.writes(use.user(), 0))
                .map(use -> InPlaceTwin.of(use.user()))
                .anyMatch(twin -> twin == null || twin.changesView());
    }

    /**
     * {@code quantized::relu6} may be asked to write in place, which its schema does not say: that becomes the operator
     * that says so and does the same.
     */
    private static boolean nameWrites(Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= nameWrites(inner);
            }
            if (node.is("quantized::relu6")
                    && node.inputs().size() == 2
                    && Literals.of(node.input(1))
                            .map(Literals.Literal::value)
                            .filter(Boolean.TRUE::equals)
                            .isPresent()) {
                FunctionSchema schema = OperatorRegistry.standard()
                        .overloads("aten::hardtanh_")
                        .get(0)
                        .schema();
                Node named = node.graph()
                        .create(schema.name())
                        .schema(schema)
                        .range(node.range())
                        .addInput(node.input(0));
                block.insertBefore(node, named);
                for (Object limit : new Object[] {0.0, SIX}) {
                    named.addInput(block.insertBefore(named, node.graph().constant(limit, Type.Basic.FLOAT))
                            .output());
                }
                node.output().replaceAllUsesWith(named.addOutput(node.output().type()));
                node.destroy();
                changed = true;
            }
        }
        return changed;
    }
}
