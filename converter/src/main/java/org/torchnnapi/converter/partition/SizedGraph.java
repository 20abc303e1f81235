package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.converter.emit.OpenShapes;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.operators.shape.SizeExpressionInference;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.support.TensorBytes;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * A divided graph for inputs of any size, made of those for several: constants that differ from one to another are
 * computed from the inputs' sizes when it runs.
 */
final class SizedGraph {
    /** What stands in the way of one graph for all sizes. */
    static final class Differs extends DividedTrial.Unsuited {
        private static final long serialVersionUID = 1;

        Differs(Node node, String found) {
            super(DividedTrial.refusal(node, found));
        }
    }

    /** A constant that a node reads. */
    private record Varying(Node reader, int index, List<Object> values) {}

    private final List<Graph> graphs;
    private final Graph graph;
    private final Map<Value, List<Value>> others = new IdentityHashMap<>();
    private final List<Varying> varying = new ArrayList<>();
    private final Map<Formula, Value> computed = new HashMap<>();
    /** Arguments, by their numbers, as tensors. */
    private final Map<Integer, Value> tensors = new HashMap<>();

    /** Puts nodes at the beginning of the graph, behind those that it put there. */
    private final NodeBuilder calls;

    private int prologue;

    /** @param graphs one a sample; the first is changed */
    SizedGraph(List<Graph> graphs) {
        this.graphs = graphs;
        this.graph = graphs.get(0);
        this.calls = NodeBuilder.of(graph, this::insert);
    }

    /** @throws Differs if the graphs differ by more than constants */
    SizedGraph align() throws Differs {
        for (int i = 0; i < graph.inputs().size(); i++) {
            int index = i;
            others.put(
                    graph.inputs().get(i),
                    graphs.stream().map(other -> other.inputs().get(index)).collect(Streams.toList()));
        }
        align(graph.block(), graphs.stream().map(Graph::block).collect(Streams.toList()));
        return this;
    }

    private void align(Block block, List<Block> blocks) throws Differs {
        List<Node> nodes = nodes(block);
        List<List<Node>> all = blocks.stream().map(SizedGraph::nodes).collect(Streams.toList());
        for (int i = 0; i < nodes.size(); i++) {
            List<Node> row = new ArrayList<>();
            for (List<Node> list : all) {
                if (i >= list.size()) {
                    throw new Differs(nodes.get(i), "a node that is not there for other sizes");
                }
                row.add(list.get(i));
            }
            align(nodes.get(i), row);
        }
        for (List<Node> list : all) {
            if (list.size() > nodes.size()) {
                throw new Differs(list.get(nodes.size()), "a node that is not there for other sizes");
            }
        }
        alignInputs(block.returns(), blocks.stream().map(Block::returns).collect(Streams.toList()));
    }

    private static List<Node> nodes(Block block) {
        return block.nodes().stream().filter(node -> !isConstant(node)).collect(Streams.toList());
    }

    private void align(Node node, List<Node> row) throws Differs {
        for (Node other : row) {
            if (!isAlike(node, other)) {
                throw new Differs(node, node.kind() + " where it is " + other.kind() + " for other sizes");
            }
        }
        alignInputs(node, row);
        for (int b = 0; b < node.blocks().size(); b++) {
            int index = b;
            List<Block> blocks =
                    row.stream().map(other -> other.blocks().get(index)).collect(Streams.toList());
            for (int p = 0; p < node.blocks().get(b).parameters().size(); p++) {
                int parameter = p;
                others.put(
                        node.blocks().get(b).parameters().get(p),
                        blocks.stream()
                                .map(other -> other.parameters().get(parameter))
                                .collect(Streams.toList()));
            }
            align(node.blocks().get(b), blocks);
        }
        for (int o = 0; o < node.outputs().size(); o++) {
            int index = o;
            others.put(
                    node.output(o),
                    row.stream().map(other -> other.output(index)).collect(Streams.toList()));
        }
    }

    private static boolean isAlike(Node node, Node other) {
        boolean counts = node.kind().equals(other.kind())
                && node.inputs().size() == other.inputs().size()
                && node.outputs().size() == other.outputs().size()
                && node.blocks().size() == other.blocks().size()
                && Objects.equals(node.attribute("name"), other.attribute("name"))
                && (node.schema() == null
                        ? other.schema() == null
                        : other.schema() != null
                                && node.schema()
                                        .overload()
                                        .equals(other.schema().overload()));
        for (int b = 0; counts && b < node.blocks().size(); b++) {
            counts = node.blocks().get(b).parameters().size()
                    == other.blocks().get(b).parameters().size();
        }
        return counts;
    }

    private void alignInputs(Node node, List<Node> row) throws Differs {
        for (int i = 0; i < node.inputs().size(); i++) {
            Value value = node.input(i);
            List<Value> values = new ArrayList<>();
            for (Node other : row) {
                if (other.inputs().size() != node.inputs().size()) {
                    throw new Differs(
                            node,
                            other.inputs().size() + " operands for other sizes (expected: "
                                    + node.inputs().size() + ")");
                }
                values.add(other.input(i));
            }
            if (isConstant(value) && values.stream().allMatch(SizedGraph::isConstant)) {
                constants(
                        node,
                        i,
                        values.stream()
                                .map(other -> other.definition().attribute("value"))
                                .collect(Streams.toList()));
            } else if (isConstant(value) || !values.equals(others.get(value))) {
                throw new Differs(node, "operand " + i + " is another value for other sizes");
            }
        }
    }

    private static boolean isConstant(Value value) {
        return value.definition() != null && isConstant(value.definition());
    }

    static boolean isConstant(Node node) {
        return node.is(Prim.CONSTANT);
    }

    private void constants(Node node, int index, List<Object> values) throws Differs {
        Object first = values.get(0);
        boolean equal = true;
        for (Object value : values) {
            equal &= areEqual(first, value);
            boolean comparable = first instanceof Long && value instanceof Long
                    || first instanceof Double && value instanceof Double
                    || first instanceof ScriptList list
                            && value instanceof ScriptList other
                            && list.size() == other.size();
            if (!areEqual(first, value) && !comparable) {
                throw new Differs(node, "operand " + index + " is " + text(first) + ", for other sizes " + text(value));
            }
        }
        if (!equal) {
            varying.add(new Varying(node, index, values));
        }
    }

    private static String text(Object value) {
        return value instanceof Tensor tensor
                ? "a table of sizes " + Arrays.toString(tensor.sizes())
                        + " that does not follow from the inputs' elements"
                : String.valueOf(value);
    }

    private static boolean areEqual(Object a, Object b) {
        if (a instanceof Tensor one && b instanceof Tensor other) {
            return TensorBytes.areEqual(one, other);
        }
        if (a instanceof ScriptList one && b instanceof ScriptList other) {
            boolean equal = one.size() == other.size();
            for (int i = 0; equal && i < one.size(); i++) {
                equal = areEqual(one.items().get(i), other.items().get(i));
            }
            return equal;
        }
        // Objects of other kinds come from the module, of which there is one.
        boolean plain = a == null || a instanceof Number || a instanceof String || a instanceof Boolean;
        return plain ? Objects.equals(a, b) : b != null && a.getClass() == b.getClass();
    }

    /**
     * Has the numbers computed that differ.
     *
     * @throws Differs if one does not follow from the sizes
     */
    void compute(SizeExpressionInference fit, List<OpenShapes.OpenSize> read) throws Differs {
        for (Varying each : varying) {
            Object first = each.values().get(0);
            if (first instanceof ScriptList list) {
                Node made = graph.create(Prim.LIST_CONSTRUCT);
                List<Value> items = new ArrayList<>();
                for (int i = 0; i < list.size(); i++) {
                    int index = i;
                    items.add(value(
                            each,
                            each.values().stream()
                                    .map(value -> ((ScriptList) value).items().get(index))
                                    .collect(Streams.toList()),
                            fit,
                            read));
                }
                items.forEach(made::addInput);
                Value out = made.addOutput(each.reader().input(each.index()).type());
                Block block = each.reader().owner();
                if (each.reader() == block.returns()) {
                    block.append(made);
                } else {
                    block.insertBefore(each.reader(), made);
                }
                each.reader().setInput(each.index(), out);
            } else {
                each.reader().setInput(each.index(), value(each, each.values(), fit, read));
            }
        }
    }

    private Value value(Varying each, List<Object> values, SizeExpressionInference fit, List<OpenShapes.OpenSize> read)
            throws Differs {
        Value value = value(values, fit, read);
        if (value != null) {
            return value;
        }
        throw new Differs(
                each.reader(),
                "operand " + each.index() + " is " + values
                        + " for the sizes that were tried, which follows from none in a known way");
    }

    /** A number that is computed of the inputs' sizes, from its values for those that were tried; or null. */
    Value value(List<Object> values, SizeExpressionInference fit, List<OpenShapes.OpenSize> read) {
        if (values.stream().allMatch(Long.class::isInstance)) {
            Formula formula =
                    fit.of(values.stream().mapToLong(value -> (Long) value).toArray(), List.of());
            if (formula != null) {
                return computed(formula, read);
            }
        }
        if (values.stream().allMatch(Double.class::isInstance)) {
            RealFormula real = fit.real(
                    values.stream().mapToDouble(value -> (Double) value).toArray(), false);
            if (real != null) {
                Value number = calls.real(computed(real.of(), read));
                return real.divides() ? calls.ratio(real.factor(), number) : calls.scaled(real.factor(), number);
            }
        }
        return null;
    }

    Value computed(Formula formula, List<OpenShapes.OpenSize> read) {
        Value known = computed.get(formula);
        if (known == null) {
            if (formula instanceof Formula.Number number) {
                known = calls.constant(number.value());
            } else if (formula instanceof Formula.OpenSize size) {
                known = size(read.get(size.index()));
            } else if (formula instanceof Formula.Sum sum) {
                known = calls.plus(computed(sum.left(), read), computed(sum.right(), read));
            } else if (formula instanceof Formula.Product product) {
                known = calls.times(computed(product.left(), read), computed(product.right(), read));
            } else {
                Formula.Quotient quotient = (Formula.Quotient) formula;
                known = calls.quotient(computed(quotient.dividend(), read), quotient.divisor());
            }
            computed.put(formula, known);
        }
        return known;
    }

    /** Lets the graph raise the errors that a method of the same inputs raises for open sizes that it does not take. */
    void requireAsIn(Graph method, DynamicInputs inputs) {
        SizeChecks.copy(method, inputs, graph, this::insert);
    }

    /** Lets the graph raise an error where sizes that have to be equal are not, or one is no multiple of a step. */
    void require(DynamicInputs inputs, long[] example, long step) {
        for (int k = 0; k < example.length; k++) {
            List<OpenShapes.OpenSize> group = inputs.open().get(k);
            Value first = computed(new Formula.OpenSize(k), inputs.readAt());
            for (OpenShapes.OpenSize other : group.subList(1, group.size())) {
                Value size = size(other);
                require(
                        calls.differ(size, first),
                        "dimension " + other.dimension() + " of argument " + other.argument()
                                + ": {} (expected: {}, as many as "
                                + inputs.name(k).split(" and ")[0] + " has)",
                        size,
                        first);
            }
            if (step > 1 && !inputs.isBatch(k)) {
                Value rest = calls.remainder(first, step);
                long wanted = example[k] % step;
                require(
                        calls.differ(rest, wanted),
                        inputs.name(k) + ": {} (expected: a multiple of " + step
                                + (wanted == 0 ? "" : ", and " + wanted) + "; give such, or convert for this size)",
                        first);
            }
        }
    }

    /** Lets the graph raise an error where an open size is 1. */
    void requireMoreThanOne(DynamicInputs inputs, int number) {
        Value size = computed(new Formula.OpenSize(number), inputs.readAt());
        require(
                calls.areEqual(size, 1),
                inputs.name(number) + ": {} (expected: 2 or more, as for 1 the model's tensors have other dimensions; "
                        + "give more, or convert for this size)",
                size);
    }

    /** The same where an argument, by its number, has other sizes than these, but for those that are open. */
    void require(DynamicInputs inputs, int argument, int... shape) {
        Value tensor = tensors.computeIfAbsent(argument, this::tensor);
        Value rank = calls.rank(tensor);
        require(
                calls.differ(rank, shape.length),
                "argument " + argument + ": {} dimensions (expected: " + shape.length + ")",
                rank);
        for (int d = 0; d < shape.length; d++) {
            OpenShapes.OpenSize place = new OpenShapes.OpenSize(argument, d);
            if (inputs.open().stream().noneMatch(group -> group.contains(place))) {
                Value size = size(place);
                require(
                        calls.differ(size, shape[d]),
                        "dimension " + d + " of argument " + argument + ": {} (expected: " + shape[d]
                                + ", as when the model was converted)",
                        size);
            }
        }
    }

    void require(Value wrong, String message, Value... values) {
        calls.check(wrong, message, values).attribute(ResidualGraph.GUARD, true);
    }

    private Value size(OpenShapes.OpenSize place) {
        return calls.size(tensors.computeIfAbsent(place.argument(), this::tensor), place.dimension());
    }

    /** An argument; of one that may be None it is required that it is a tensor, before its sizes are read. */
    private Value tensor(int argument) {
        Value input = graph.inputs().get(argument + 1);
        if (!(input.type() instanceof Type.OptionalType)) {
            return input;
        }
        require(
                calls.isNone(input),
                "argument " + input.name() + " is None (expected: a tensor, whose sizes are open)");
        return calls.given(input);
    }

    NodeBuilder calls() {
        return calls;
    }

    private void insert(Node node) {
        graph.block().insert(prologue++, node);
    }
}
