package org.torchnnapi.operators.passes;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.support.TensorLists;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.passes.PointsTo;

/** Runs operators whose inputs are all known, once, at conversion time. */
public final class ConstantFolding {
    /** Results with more elements stay computed at run time, lest a small file become a huge one. */
    private static final long MAX_ELEMENTS = 64L << 20;

    private ConstantFolding() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        Set<Value> written = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(graph.block(), new LazyAliases(graph), written);
        return EachNode.over(graph, node -> fold(graph, node, written));
    }

    /** The aliases of a graph, which are worked out if something is written to. */
    private static final class LazyAliases {
        private final Graph graph;
        private PointsTo aliases;

        LazyAliases(Graph graph) {
            this.graph = graph;
        }

        List<Value> of(Value value) {
            if (aliases == null) {
                aliases = new PointsTo(graph);
            }
            return aliases.of(value);
        }
    }

    /** What something writes to, tensors under any name; who changes a list leaves the tensors in it as they are. */
    private static void collect(Block block, LazyAliases aliases, Set<Value> written) {
        for (Node node : block.nodes()) {
            for (int i = 0; i < node.inputs().size(); i++) {
                if (Effects.writes(node, i)) {
                    Value input = node.input(i);
                    written.addAll(input.type() == Type.Basic.TENSOR ? aliases.of(input) : List.of(input));
                }
            }
            node.blocks().forEach(inner -> collect(inner, aliases, written));
        }
    }

    private static boolean fold(Graph graph, Node node, Set<Value> written) {
        if (node.outputs().size() != 1
                || !node.blocks().isEmpty()
                || node.kind().endsWith("Construct")
                || node.is("prim::Constant")
                || node.is("prim::GetAttr")
                || node.attribute(Node.STAYS) != null
                || Effects.hasSideEffects(node)
                || Effects.isRandom(node)
                || written.contains(node.output())) {
            return false;
        }
        Object value;
        if (isNoneTest(node)) {
            Optional<Boolean> answer = noneTest(node);
            if (!answer.isPresent()) {
                return false;
            }
            value = answer.get();
        } else {
            Optional<Object[]> arguments = arguments(node);
            Optional<Operator> operator = operator(node.schema());
            boolean lists = node.is("prim::tolist");
            if (!arguments.isPresent() || !lists && !operator.isPresent()) {
                return false;
            }
            try {
                value = lists
                        ? TensorLists.of(
                                (Tensor) arguments.get()[0], node.output().type())
                        : operator.get().kernel().call(arguments.get());
            } catch (RuntimeException e) {
                // The operator fails on these arguments: so it will when the model runs, with its source line.
                return false;
            }
        }
        if (value == null
                || value instanceof Object[]
                || value instanceof Tensor tensor && tensor.numel() > MAX_ELEMENTS) {
            return false;
        }
        Node constant = graph.constant(value, node.output().type()).range(node.range());
        constant.output().name(node.output().name());
        node.owner().insertBefore(node, constant);
        node.output().replaceAllUsesWith(constant.output());
        node.destroy();
        return true;
    }

    private static boolean isNoneTest(Node node) {
        return (node.is("aten::__is__") || node.is("aten::__isnot__"))
                && node.inputs().size() == 2
                && (Literals.isNone(node.input(0)) || Literals.isNone(node.input(1)));
    }

    /** Answers {@code x is None} from x's type, even where its value is not known. */
    private static Optional<Boolean> noneTest(Node node) {
        Value tested = Literals.isNone(node.input(1)) ? node.input(0) : node.input(1);
        boolean none;
        if (Literals.isNone(tested)) {
            none = true;
        } else if (Literals.of(tested).isPresent()
                || !(tested.type() instanceof Type.OptionalType
                        || tested.type() instanceof Type.UnionType
                        || tested.type() == Type.Basic.ANY
                        || tested.type() == Type.Basic.NONE)) {
            none = false;
        } else {
            return Optional.empty();
        }
        return Optional.of(none == node.is("aten::__is__"));
    }

    private static Optional<Object[]> arguments(Node node) {
        Object[] arguments = new Object[node.inputs().size()];
        for (int i = 0; i < arguments.length; i++) {
            Optional<Literals.Literal> literal = Literals.of(node.input(i));
            if (!literal.isPresent()) {
                return Optional.empty();
            }
            arguments[i] = literal.get().value();
        }
        return Optional.of(arguments);
    }

    private static Optional<Operator> operator(FunctionSchema schema) {
        if (schema == null) {
            return Optional.empty();
        }
        return OperatorRegistry.withBuiltins().overloads(schema.name()).stream()
                .filter(o -> o.schema().overload().equals(schema.overload())
                        && o.schema().arguments().size() == schema.arguments().size())
                .findFirst();
    }
}
