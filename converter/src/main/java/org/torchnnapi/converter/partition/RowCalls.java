package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * TorchScript that calls an NNAPI module for some rows at a time of tensors that have as many as elements decide: a
 * loop, in which zeros fill up the rows of the last call, and behind which what was computed of those is cut off. For
 * no rows nothing is called, and results are empty.
 */
final class RowCalls {
    private static final Type TENSORS = Type.list(Type.Basic.TENSOR);

    private final Graph graph;
    private final LoweredSegment segment;
    private final Value module;
    private final List<Value> arguments;
    /** Takes the nodes in their order. */
    private final Consumer<Node> nodes;

    /**
     * @param module the NNAPI module
     * @param arguments what it takes, each of the type that NNAPI takes
     * @param nodes takes the nodes that are made, in their order
     */
    RowCalls(Graph graph, LoweredSegment segment, Value module, List<Value> arguments, Consumer<Node> nodes) {
        this.graph = graph;
        this.segment = segment;
        this.module = module;
        this.arguments = arguments;
        this.nodes = nodes;
    }

    /** The results of all rows, each of the type that NNAPI returns and of the shape that the graph has. */
    List<Value> run() {
        Value rows = constant((long) segment.rows());
        Value number = null;
        for (int i = 0; number == null; i++) {
            number = segment.inputs().get(i).inRows()
                    ? call(nodes, "aten::size.int", Type.Basic.INT, arguments.get(i), constant(0L))
                    : null;
        }
        Value more = call(nodes, "aten::add.int", Type.Basic.INT, number, constant(segment.rows() - 1L));
        Value calls = call(nodes, "aten::floordiv.int", Type.Basic.INT, more, rows);
        List<Value> parts = new ArrayList<>();
        for (LoweredSegment.Boundary output : segment.outputs()) {
            parts.add(list(TENSORS, nodes, zeros(nodes, constant(0L), output)));
        }
        Node loop = graph.create(Prim.LOOP).addInput(calls).addInput(constant(true));
        turn(loop.addBlock(), parts, rows, number);
        nodes.accept(loop);
        List<Value> results = new ArrayList<>();
        for (Value part : parts) {
            results.add(slice(nodes, joined(nodes, part), constant(0L), number));
        }
        return results;
    }

    /** One call. */
    private void turn(Block block, List<Value> parts, Value rows, Value number) {
        Consumer<Node> inside = block::append;
        Value turn = block.addParameter(Type.Basic.INT, null);
        Value from = call(inside, "aten::mul.int", Type.Basic.INT, turn, rows);
        Value to = call(inside, "aten::add.int", Type.Basic.INT, from, rows);
        List<Value> some = segment.rows() == 1 ? parts(inside, from, to) : filled(inside, from, to, number);
        List<Value> taken = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            taken.add(shaped(
                    inside,
                    some.get(i),
                    segment.inputs().get(i).facts().shape(),
                    segment.inputs().get(i).shape()));
        }
        Node call = graph.create(Prim.CALL_METHOD)
                .attribute("name", "forward")
                .addInput(module)
                .addInput(list(TENSORS, inside, taken.toArray(new Value[0])));
        call.addOutput(TENSORS);
        inside.accept(call);
        Node unpack = graph.create(Prim.LIST_UNPACK).addInput(call.output());
        segment.outputs().forEach(output -> unpack.addOutput(Type.Basic.TENSOR));
        inside.accept(unpack);
        for (int i = 0; i < parts.size(); i++) {
            LoweredSegment.Boundary output = segment.outputs().get(i);
            call(
                    inside,
                    "aten::append.t",
                    TENSORS,
                    parts.get(i),
                    shaped(
                            inside,
                            unpack.output(i),
                            output.shape(),
                            output.facts().shape()));
        }
        block.addResult(constant(true));
    }

    /** What is passed where so many rows are. */
    private List<Value> parts(Consumer<Node> into, Value from, Value to) {
        List<Value> parts = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            parts.add(segment.inputs().get(i).inRows() ? slice(into, arguments.get(i), from, to) : arguments.get(i));
        }
        return parts;
    }

    /** The same, with zeros for rows that there are no more. */
    private List<Value> filled(Consumer<Node> into, Value from, Value to, Value number) {
        Node last = graph.create(Prim.IF).addInput(call(into, "aten::gt.int", Type.Basic.BOOL, to, number));
        Block few = last.addBlock();
        Block enough = last.addBlock();
        Value missing = call(few::append, "aten::sub.int", Type.Basic.INT, to, number);
        List<Value> some = parts(into, from, to);
        for (int i = 0; i < some.size(); i++) {
            LoweredSegment.Boundary input = segment.inputs().get(i);
            if (input.inRows()) {
                few.addResult(joined(
                        few::append, list(TENSORS, few::append, some.get(i), zeros(few::append, missing, input))));
                enough.addResult(some.get(i));
                some.set(i, last.addOutput(Type.Basic.TENSOR));
            }
        }
        into.accept(last);
        return some;
    }

    /** So many rows of zeros as NNAPI takes or returns them. */
    private Value zeros(Consumer<Node> into, Value number, LoweredSegment.Boundary like) {
        List<Value> sizes = new ArrayList<>(List.of(number));
        int[] shape = like.facts().shape();
        for (int d = 1; d < shape.length; d++) {
            sizes.add(constant((long) shape[d]));
        }
        DType dtype = like.dtype();
        return call(
                into,
                "aten::zeros",
                Type.Basic.TENSOR,
                list(Type.list(Type.Basic.INT), into, sizes.toArray(new Value[0])),
                constant((long) dtype.code()),
                none(),
                none(),
                none());
    }

    private Value joined(Consumer<Node> into, Value list) {
        return call(into, "aten::cat", Type.Basic.TENSOR, list, constant(0L));
    }

    private Value slice(Consumer<Node> into, Value tensor, Value from, Value to) {
        return call(into, "aten::slice.Tensor", Type.Basic.TENSOR, tensor, constant(0L), from, to, constant(1L));
    }

    private Value shaped(Consumer<Node> into, Value tensor, int[] from, int[] to) {
        return Arrays.equals(from, to)
                ? tensor
                : call(
                        into,
                        "aten::reshape",
                        Type.Basic.TENSOR,
                        tensor,
                        graph.constant(
                                        ScriptList.ofInts(
                                                Arrays.stream(to).asLongStream().toArray()),
                                        Type.list(Type.Basic.INT))
                                .output());
    }

    private Value list(Type type, Consumer<Node> into, Value... items) {
        Node list = graph.create(Prim.LIST_CONSTRUCT);
        Arrays.stream(items).forEach(list::addInput);
        Value made = list.addOutput(type);
        into.accept(list);
        return made;
    }

    private Value call(Consumer<Node> into, String operator, Type type, Value... inputs) {
        Node node = GraphCalls.node(graph, operator, inputs);
        Value made = node.addOutput(type);
        into.accept(node);
        return made;
    }

    private Value none() {
        return graph.constant(null, Type.Basic.NONE).output();
    }

    private Value constant(long value) {
        return graph.constant(value, Type.Basic.INT).output();
    }

    private Value constant(boolean value) {
        return graph.constant(value, Type.Basic.BOOL).output();
    }
}
