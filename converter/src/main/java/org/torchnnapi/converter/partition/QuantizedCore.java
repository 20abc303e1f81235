package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/**
 * The quantized middle of a model: what remains when the quantize steps on its inputs and the dequantize steps on its
 * outputs are taken off.
 */
public final class QuantizedCore {
    private static final Operator QUANTIZE = OperatorRegistry.standard().find(QuantizeOperators.QUANTIZE);
    private static final Operator DEQUANTIZE = OperatorRegistry.standard().find(QuantizeOperators.DEQUANTIZE + ".self");

    /** How an input was quantized. */
    public record Quantizer(double scale, int zeroPoint) {}

    private final List<Quantizer> inputs = new ArrayList<>();
    private final List<Boolean> outputs = new ArrayList<>();

    private QuantizedCore() {}

    /** Takes the steps off {@code graph}, which is changed. */
    public static QuantizedCore cut(Graph graph) {
        QuantizedCore core = new QuantizedCore();
        for (Value input : inputs(graph)) {
            Node step = quantizer(input);
            core.inputs.add(
                    step == null
                            ? null
                            : new Quantizer(
                                    (Double) constant(step.input(1)), ((Long) constant(step.input(2))).intValue()));
            if (step != null) {
                step.output().replaceAllUsesWith(input);
                step.destroy();
            }
        }
        Node holder = holder(graph);
        for (int i = 0; i < holder.inputs().size(); i++) {
            core.outputs.add(uncover(holder, i));
        }
        return core;
    }

    /** One entry per input; null where nothing was taken off. */
    public List<Quantizer> inputs() {
        return inputs;
    }

    /** One entry per output: whether a dequantize step was taken off. */
    public List<Boolean> outputs() {
        return outputs;
    }

    public boolean isEmpty() {
        return inputs.stream().allMatch(step -> step == null) && !outputs.contains(true);
    }

    /** Descriptions of the inputs behind the quantize steps. */
    public List<InputSpec> specs(List<InputSpec> outer) {
        List<InputSpec> inner = new ArrayList<>();
        for (int i = 0; i < outer.size(); i++) {
            InputSpec spec = outer.get(i);
            Quantizer step = i < inputs.size() ? inputs.get(i) : null;
            inner.add(
                    step == null
                            ? spec
                            : new InputSpec(
                                    DType.QUINT8, spec.shape(), spec.channelsLast(), step.scale(), step.zeroPoint()));
        }
        return inner;
    }

    /** Arguments as what is behind the quantize steps takes them. */
    public List<Object> quantized(List<?> arguments) {
        List<Object> out = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            Quantizer step = i < inputs.size() ? inputs.get(i) : null;
            boolean isReal = step != null
                    && arguments.get(i) instanceof Tensor tensor
                    && !tensor.dtype().isQuantized();
            out.add(
                    isReal
                            ? TensorQuantizer.toQuint8((Tensor) arguments.get(i), step.scale(), step.zeroPoint())
                            : arguments.get(i));
        }
        return out;
    }

    /** The same as the quantize steps take them: real numbers. */
    public List<Object> real(List<?> arguments) {
        List<Object> out = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            Object argument = arguments.get(i);
            boolean isQuantized = i < inputs.size() && inputs.get(i) != null;
            out.add(isQuantized ? DEQUANTIZE.kernel().call(new Object[] {argument}) : argument);
        }
        return out;
    }

    /**
     * Lets a method give quantized inputs, where the module no longer quantizes them.
     *
     * @param maker the method that makes the inputs bundled with the model; nothing is done where it is null
     * @param bundled the arguments of each call, as the method makes them now
     */
    public void bundle(Function maker, List<List<Object>> bundled) {
        if (maker == null || bundled.isEmpty()) {
            return;
        }
        Graph graph = maker.graph();
        List<Node> before = new ArrayList<>(graph.block().nodes());
        Node returns = graph.block().returns();
        Type.ListType made = (Type.ListType) returns.input(0).type();
        List<Value> calls = new ArrayList<>();
        for (List<Object> arguments : bundled) {
            List<Value> items = new ArrayList<>();
            for (Object argument : quantized(arguments)) {
                items.add(append(graph, graph.constant(argument, RuntimeTypes.of(argument))));
            }
            calls.add(append(graph, graph.create(Prim.TUPLE_CONSTRUCT, items, made.element())));
        }
        returns.setInput(0, append(graph, graph.create(Prim.LIST_CONSTRUCT, calls, made)));
        for (int i = before.size() - 1; i >= 0; i--) {
            before.get(i).destroy();
        }
        GraphVerifier.verify(graph);
    }

    private static Value append(Graph graph, Node node) {
        graph.block().append(node);
        return node.output();
    }

    /**
     * Puts the steps around what came of the graph that they were taken off: it takes and returns real numbers again.
     */
    public void putAround(Graph graph) {
        List<Value> arguments = inputs(graph);
        for (int i = 0; i < inputs.size(); i++) {
            Quantizer step = inputs.get(i);
            if (step == null) {
                continue;
            }
            Node quantize = graph.create(QuantizeOperators.QUANTIZE).schema(QUANTIZE.schema());
            arguments.get(i).replaceAllUsesWith(quantize.addOutput(Type.Basic.TENSOR));
            quantize.addInput(arguments.get(i));
            graph.block().insert(0, quantize);
            for (Node constant : List.of(
                    graph.constant(step.scale(), Type.Basic.FLOAT),
                    graph.constant((long) step.zeroPoint(), Type.Basic.INT),
                    graph.constant((long) DType.QUINT8.code(), Type.Basic.INT))) {
                quantize.addInput(graph.block().insertBefore(quantize, constant).output());
            }
        }
        Node holder = holder(graph);
        for (int i = 0; i < outputs.size(); i++) {
            if (outputs.get(i)) {
                Node dequantize = graph.create(QuantizeOperators.DEQUANTIZE).schema(DEQUANTIZE.schema());
                dequantize.addInput(holder.input(i));
                if (holder == graph.block().returns()) {
                    graph.block().append(dequantize);
                } else {
                    graph.block().insertBefore(holder, dequantize);
                }
                holder.setInput(i, dequantize.addOutput(Type.Basic.TENSOR));
            }
        }
        GraphVerifier.verify(graph);
    }

    /** What gathers a graph's results: the tuple or list that it returns, or what returns. */
    private static Node holder(Graph graph) {
        Node returns = graph.block().returns();
        Node made = returns.inputs().size() == 1 ? returns.input(0).definition() : null;
        boolean several = made != null && (made.is(Prim.TUPLE_CONSTRUCT) || made.is(Prim.LIST_CONSTRUCT));
        return several ? made : returns;
    }

    private static List<Value> inputs(Graph graph) {
        return graph.inputs().stream()
                .filter(input -> !(input.type() instanceof ClassType))
                .collect(Streams.toList());
    }

    /** The only user of an input, if it quantizes it to quint8 with known parameters. */
    private static Node quantizer(Value input) {
        if (input.uses().size() != 1) {
            return null;
        }
        Value.Use use = input.uses().get(0);
        Node user = use.user();
        boolean known = QuantizeOperators.isQuantize(user)
                && use.index() == 0
                && user.inputs().size() == 4
                && constant(user.input(1)) instanceof Double
                && constant(user.input(2)) instanceof Long
                && constant(user.input(3)) instanceof Long dtype
                && dtype == DType.QUINT8.code();
        return known ? user : null;
    }

    private static boolean uncover(Node holder, int index) {
        Node step = holder.input(index).definition();
        if (step == null
                || !QuantizeOperators.isDequantize(step)
                || step.inputs().size() != 1
                || step.input(0).type() != Type.Basic.TENSOR
                || step.output().uses().size() != 1) {
            return false;
        }
        holder.setInput(index, step.input(0));
        step.destroy();
        return true;
    }

    private static Object constant(Value value) {
        Node node = value.definition();
        return node != null && node.is(Prim.CONSTANT) ? node.attribute("value") : null;
    }
}
