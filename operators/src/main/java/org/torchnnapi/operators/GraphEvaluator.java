package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Computes what a graph of operators says, node by node with their own kernels: the plain meaning of a
 * {@link Composite}. Branches and loops, lists and tuples, attributes that are read and plain calls are all it knows
 * beside operators; programs are for an interpreter.
 */
public final class GraphEvaluator {
    /** Runs an operator. */
    public interface Caller {
        Object call(Node node, OperatorKernel kernel, Object[] args);
    }

    private final Map<Value, Object> values = new IdentityHashMap<>();
    private final Caller caller;

    private GraphEvaluator(Caller caller) {
        this.caller = caller;
    }

    /**
     * The result as an {@link OperatorKernel} gives it: {@code Object[]} where the function returns a tuple for several
     * results.
     */
    public static Object call(Function function, Object[] args) {
        return call(function, args, (node, kernel, given) -> kernel.call(given));
    }

    /** As the function's operator would be called, each operator inside by {@code caller}. */
    public static Object call(Function function, Object[] args, Caller caller) {
        Graph graph = function.graph();
        GraphEvaluator evaluator = new GraphEvaluator(caller);
        for (int i = 0; i < args.length; i++) {
            evaluator.values.put(graph.inputs().get(i), args[i]);
        }
        evaluator.run(graph.block());
        Object result = graph.outputs().isEmpty()
                ? null
                : evaluator.value(graph.outputs().get(0));
        return result instanceof ScriptTuple tuple
                        && function.schema().returns().get(0).type() instanceof Type.TupleType
                ? tuple.items().toArray()
                : result;
    }

    /** The result of a function or method that only computes, such as a comparison of two objects. */
    public static Object run(Function function, Object... args) {
        return call(function, args);
    }

    private Object value(Value value) {
        return values.get(value);
    }

    private List<Object> values(List<Value> of) {
        List<Object> out = new ArrayList<>(of.size());
        of.forEach(value -> out.add(value(value)));
        return out;
    }

    private void run(Block block) {
        for (Node node : block.nodes()) {
            switch (node.kind()) {
                case "prim::Constant" -> values.put(node.output(), node.attribute("value"));
                case "prim::If" -> {
                    Block taken = node.blocks().get(Boolean.TRUE.equals(value(node.input(0))) ? 0 : 1);
                    run(taken);
                    assign(node.outputs(), values(taken.results()));
                }
                case "prim::Loop" -> loop(node);
                case "prim::ListConstruct" ->
                    values.put(
                            node.output(),
                            new ScriptList(
                                    node.output().type() instanceof Type.ListType list
                                            ? list.element()
                                            : Type.Basic.ANY,
                                    values(node.inputs())));
                case "prim::TupleConstruct" -> values.put(node.output(), new ScriptTuple(values(node.inputs()), null));
                case "prim::TupleUnpack" -> assign(node.outputs(), ((ScriptTuple) value(node.input(0))).items());
                case "prim::ListUnpack" -> assign(node.outputs(), ((ScriptList) value(node.input(0))).items());
                case "prim::TupleIndex" ->
                    values.put(
                            node.output(),
                            ((ScriptTuple) value(node.input(0))).get(((Number) value(node.input(1))).intValue()));
                case "prim::unchecked_cast" -> values.put(node.output(), value(node.input(0)));
                case "prim::GetAttr" ->
                    values.put(
                            node.output(), ((ScriptObject) value(node.input(0))).get((String) node.attribute("name")));
                case "prim::CallMethod" -> values.put(node.output(), method(node));
                case "prim::CallFunction" ->
                    values.put(
                            node.output(),
                            call(
                                    (Function) node.attribute("function"),
                                    values(node.inputs()).toArray()));
                case "prim::Uninitialized" -> values.put(node.output(), null);
                default -> operator(node);
            }
        }
    }

    private Object method(Node node) {
        ScriptObject object = (ScriptObject) value(node.input(0));
        return call(
                object.type().method((String) node.attribute("name")),
                values(node.inputs()).toArray());
    }

    private void assign(List<Value> targets, List<Object> sources) {
        for (int i = 0; i < targets.size(); i++) {
            values.put(targets.get(i), sources.get(i));
        }
    }

    private void loop(Node node) {
        Block body = node.blocks().get(0);
        List<Object> carried = values(node.inputs().subList(2, node.inputs().size()));
        long count = (Long) value(node.input(0));
        boolean goesOn = (Boolean) value(node.input(1));
        for (long turn = 0; turn < count && goesOn; turn++) {
            Interruption.check();
            values.put(body.parameters().get(0), turn);
            assign(body.parameters().subList(1, body.parameters().size()), carried);
            run(body);
            List<Object> results = values(body.results());
            goesOn = (Boolean) results.get(0);
            carried = results.subList(1, results.size());
        }
        assign(node.outputs(), carried);
    }

    private void operator(Node node) {
        Operator operator = find(node);
        Object result =
                caller.call(node, operator.kernel(), values(node.inputs()).toArray());
        if (node.outputs().size() == 1) {
            values.put(node.output(), result);
        } else if (node.outputs().size() > 1) {
            assign(node.outputs(), List.of((Object[]) result));
        }
    }

    private static Operator find(Node node) {
        FunctionSchema schema = node.schema();
        for (Operator operator : OperatorRegistry.withBuiltins().overloads(node.kind())) {
            if (schema == null
                    ? operator.schema().arguments().size() == node.inputs().size()
                    : operator.schema().equals(schema)) {
                return operator;
            }
        }
        Object reason = node.attribute("unresolved");
        throw new IllegalStateException(node.kind() + ": " + (reason == null ? "unknown" : reason)
                + " (expected: an operator this runtime has)");
    }
}
