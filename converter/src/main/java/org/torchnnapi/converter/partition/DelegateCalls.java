package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * TorchScript that calls an NNAPI module: once, or for some rows at a time of tensors that have as many as elements
 * decide. That is a loop, in which zeros fill up the rows of the last call, and behind which what was computed of those
 * is cut off. For no rows nothing is called, and results are empty.
 */
final class DelegateCalls {
    private static final Type TENSORS = Type.list(Type.Basic.TENSOR);

    private final Graph graph;
    private final LoweredSegment segment;
    private final List<Value> arguments;
    /** Takes the nodes in their order. */
    private final NodeBuilder nodes;

    private DelegateCalls(Graph graph, LoweredSegment segment, List<Value> arguments, NodeBuilder nodes) {
        this.graph = graph;
        this.segment = segment;
        this.arguments = arguments;
        this.nodes = nodes;
    }

    /**
     * Writes the calls.
     *
     * @param module writes what gives the NNAPI module
     * @param arguments what it takes, each of the type that NNAPI takes
     * @param told what it takes behind these
     * @return the results, each of the type that NNAPI returns; those of rows are all rows, in the shape that the graph
     *     has
     */
    static List<Value> write(
            Graph graph,
            LoweredSegment segment,
            Supplier<Value> module,
            List<Value> arguments,
            List<Value> told,
            NodeBuilder nodes) {
        DelegateCalls calls = new DelegateCalls(graph, segment, arguments, nodes);
        return segment.rows() > 0 ? calls.inRows(module.get()) : calls.once(module, told);
    }

    private List<Value> once(Supplier<Value> module, List<Value> told) {
        List<Value> taken = taken(nodes, arguments);
        taken.addAll(told);
        Value list = nodes.list(Type.Basic.TENSOR, taken.toArray(new Value[0]));
        return called(nodes, module.get(), list);
    }

    /** What is passed, in the shapes that NNAPI takes. */
    private List<Value> taken(NodeBuilder into, List<Value> values) {
        List<Value> taken = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            LoweredSegment.Boundary input = segment.inputs().get(i);
            taken.add(shaped(into, values.get(i), input.facts().shape(), input.shape()));
        }
        return taken;
    }

    private List<Value> called(NodeBuilder into, Value module, Value list) {
        Node call = graph.create(Prim.CALL_METHOD)
                .attribute("name", "forward")
                .addInput(module)
                .addInput(list);
        call.addOutput(TENSORS);
        into.append(call);
        return into.unpack(call.output(), segment.outputs().size());
    }

    private List<Value> inRows(Value module) {
        Value rows = nodes.constant((long) segment.rows());
        Value number = null;
        for (int i = 0; number == null; i++) {
            number = segment.inputs().get(i).inRows() ? nodes.size(arguments.get(i), 0) : null;
        }
        Value calls = nodes.quotient(nodes.plus(number, segment.rows() - 1), rows);
        List<Value> parts = new ArrayList<>();
        for (LoweredSegment.Boundary output : segment.outputs()) {
            parts.add(nodes.list(Type.Basic.TENSOR, zeros(nodes, nodes.constant(0L), output)));
        }
        Node loop = graph.create(Prim.LOOP).addInput(calls).addInput(nodes.constant(true));
        turn(loop.addBlock(), module, parts, rows, number);
        nodes.append(loop);
        List<Value> results = new ArrayList<>();
        for (Value part : parts) {
            results.add(nodes.slice(nodes.concatenate(part, 0), 0, 0, number));
        }
        return results;
    }

    /** One call. */
    private void turn(Block block, Value module, List<Value> parts, Value rows, Value number) {
        NodeBuilder inside = NodeBuilder.of(graph, block::append);
        Value turn = block.addParameter(Type.Basic.INT, null);
        Value from = inside.times(turn, rows);
        Value to = inside.plus(from, rows);
        List<Value> some = segment.rows() == 1 ? parts(inside, from, to) : filled(inside, from, to, number);
        List<Value> made = called(
                inside,
                module,
                inside.list(Type.Basic.TENSOR, taken(inside, some).toArray(new Value[0])));
        for (int i = 0; i < parts.size(); i++) {
            LoweredSegment.Boundary output = segment.outputs().get(i);
            inside.add(
                    parts.get(i),
                    shaped(inside, made.get(i), output.shape(), output.facts().shape()));
        }
        block.addResult(inside.constant(true));
    }

    /** What is passed where so many rows are. */
    private List<Value> parts(NodeBuilder into, Value from, Value to) {
        List<Value> parts = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            parts.add(segment.inputs().get(i).inRows() ? into.slice(arguments.get(i), 0, from, to) : arguments.get(i));
        }
        return parts;
    }

    /** The same, with zeros for rows that there are no more. */
    private List<Value> filled(NodeBuilder into, Value from, Value to, Value number) {
        Node last = graph.create(Prim.IF).addInput(into.isGreater(to, number));
        Block few = last.addBlock();
        Block enough = last.addBlock();
        NodeBuilder inside = NodeBuilder.of(graph, few::append);
        Value missing = inside.minus(to, number);
        List<Value> some = parts(into, from, to);
        for (int i = 0; i < some.size(); i++) {
            LoweredSegment.Boundary input = segment.inputs().get(i);
            if (input.inRows()) {
                few.addResult(inside.concatenate(
                        inside.list(Type.Basic.TENSOR, some.get(i), zeros(inside, missing, input)), 0));
                enough.addResult(some.get(i));
                some.set(i, last.addOutput(Type.Basic.TENSOR));
            }
        }
        into.append(last);
        return some;
    }

    /** So many rows of zeros as NNAPI takes or returns them. */
    private static Value zeros(NodeBuilder into, Value number, LoweredSegment.Boundary like) {
        List<Value> sizes = new ArrayList<>(List.of(number));
        int[] shape = like.facts().shape();
        for (int d = 1; d < shape.length; d++) {
            sizes.add(into.constant((long) shape[d]));
        }
        return into.zeros(into.list(Type.Basic.INT, sizes.toArray(new Value[0])), like.dtype());
    }

    private static Value shaped(NodeBuilder into, Value tensor, int[] from, int[] to) {
        return Arrays.equals(from, to) ? tensor : into.reshape(tensor, to);
    }
}
