package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * The quantized middle of a model: what remains when the quantize steps on its inputs and the dequantize steps on its
 * outputs are taken off.
 */
public final class QuantizedCore {
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
        Node returns = graph.block().returns();
        Node tuple = returns.inputs().size() == 1 ? returns.input(0).definition() : null;
        boolean several = tuple != null && (tuple.is("prim::TupleConstruct") || tuple.is("prim::ListConstruct"));
        Node holder = several ? tuple : returns;
        for (int i = 0; i < holder.inputs().size(); i++) {
            core.outputs.add(uncover(holder, i));
        }
        return core;
    }

    /** Inputs that reach a quantize step first, one entry per input. */
    public static List<Boolean> quantizedInputs(Graph graph) {
        return inputs(graph).stream().map(input -> quantizer(input) != null).collect(Streams.toList());
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
                                    DType.QUINT8,
                                    spec.shape(),
                                    spec.channelsLast(),
                                    step.scale(),
                                    step.zeroPoint(),
                                    null));
        }
        return inner;
    }

    /** Arguments as what is behind the quantize steps takes them. */
    public List<Tensor> quantized(List<Tensor> arguments) {
        List<Tensor> out = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            Quantizer step = i < inputs.size() ? inputs.get(i) : null;
            Tensor argument = arguments.get(i);
            out.add(
                    step == null || argument.dtype().isQuantized()
                            ? argument
                            : TensorQuantizer.toQuint8(argument, step.scale(), step.zeroPoint()));
        }
        return out;
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
        return node != null && node.is("prim::Constant") ? node.attribute("value") : null;
    }
}
