package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.EmbeddingParams;
import org.torchnnapi.operators.packed.FloatContext;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Calls on quantized tensors and packed weights, recorded as programs have them: a quantized tensor is the one of its
 * integers, a step to real numbers stands before an operator on those and a step back behind it, as
 * {@code quantized_decomposed}. The steps have the scales of the example, which are the model's own. Results are within
 * a quantum of those of PyTorch's quantized operators.
 */
final class RealForms {
    /** What an operator is on real numbers. */
    private interface Form {
        /** @param given with real tensors in the place of quantized ones */
        Object real(RealForms forms, Node node, Object[] given);
    }

    private static final String RELU = "_relu";
    private static final String DYNAMIC = "_dynamic";
    private static final Map<String, Form> FORMS = new HashMap<>();
    /** What a quantized tensor says of its quantization. */
    private static final Set<String> PARAMETERS = new HashSet<>(Arrays.asList(
            "aten::q_scale",
            "aten::q_zero_point",
            "aten::qscheme",
            "aten::q_per_channel_axis",
            "aten::q_per_channel_scales",
            "aten::q_per_channel_zero_points"));

    static {
        FORMS.put("quantized::add", (forms, node, a) -> forms.run(node, "aten::add.Tensor", a[0], a[1], 1L));
        FORMS.put("quantized::mul", (forms, node, a) -> forms.run(node, "aten::mul.Tensor", a[0], a[1]));
        FORMS.put("quantized::add_scalar", (forms, node, a) -> forms.run(node, "aten::add.Scalar", a[0], a[1], 1L));
        FORMS.put("quantized::mul_scalar", (forms, node, a) -> forms.run(node, "aten::mul.Scalar", a[0], a[1]));
        FORMS.put("quantized::cat", (forms, node, a) -> forms.run(node, "aten::cat", a[0], a[1]));
        FORMS.put("quantized::clamp", (forms, node, a) -> forms.run(node, "aten::clamp", a[0], a[1], a[2]));
        FORMS.put("quantized::dropout", (forms, node, a) -> a[0]);
        FORMS.put("quantized::hardswish", (forms, node, a) -> forms.run(node, "aten::hardswish", a[0]));
        FORMS.put("quantized::relu6", (forms, node, a) -> forms.run(node, "aten::relu6", a[0]));
        FORMS.put("quantized::sigmoid", (forms, node, a) -> forms.run(node, "aten::sigmoid", a[0]));
        FORMS.put("quantized::leaky_relu", (forms, node, a) -> forms.run(node, "aten::leaky_relu", a[0], a[1]));
        FORMS.put("quantized::threshold", (forms, node, a) -> forms.run(node, "aten::threshold", a[0], a[1], a[2]));
        FORMS.put("quantized::linear", (forms, node, a) -> forms.linear(node, a));
        FORMS.put("quantized::linear_dynamic_fp16", (forms, node, a) -> forms.linear(node, a));
        for (String name : new String[] {"conv1d", "conv2d", "conv3d"}) {
            FORMS.put("quantized::" + name, (forms, node, a) -> forms.convolution(node, a));
            FORMS.put("quantized::conv_transpose" + name.substring(4), (forms, node, a) -> forms.convolution(node, a));
        }
        for (String name : new String[] {"quantized::embedding_byte", "quantized::embedding_4bit"}) {
            FORMS.put(name, (forms, node, a) -> forms.embedding(node, a));
        }
        FORMS.put("quantized::embedding_bag_byte", (forms, node, a) -> forms.bag(node, a));
        FORMS.put("quantized::embedding_bag_4bit", (forms, node, a) -> forms.bag(node, a));
        FORMS.put("prepacked::conv2d_clamp_run", (forms, node, a) -> forms.clamped(node, a));
        FORMS.put("prepacked::conv2d_transpose_clamp_run", (forms, node, a) -> forms.clamped(node, a));
        FORMS.put("prepacked::linear_clamp_run", (forms, node, a) -> forms.clamped(node, a));
    }

    private final ProgramRecorder recorder;
    /** Real tensors of quantized ones. */
    private final Map<GraphTensor, Tensor> reals = new IdentityHashMap<>();
    /** That of the first argument of the call whose form is being recorded; null if it is not quantized. */
    private Quantization input;
    /** Tensors that showed memory which was written to under another name. */
    private final Set<Tensor> stale = Collections.newSetFromMap(new IdentityHashMap<>());

    RealForms(ProgramRecorder recorder) {
        this.recorder = recorder;
    }

    /** Whether a call is on quantized tensors or packed weights, or makes some. */
    static boolean concerns(FunctionSchema schema, Object[] given) {
        String name = schema.name();
        return name.startsWith("quantized::")
                || name.startsWith("prepacked::")
                || name.startsWith("aten::quantize_per")
                || name.startsWith("aten::quantized_")
                || name.startsWith("aten::_make_per_")
                || CallDependence.any(given, tensor -> tensor.dtype().isQuantized());
    }

    Object call(Node node, OperatorKernel kernel, Object[] given) {
        FunctionSchema schema = node.schema();
        String name = schema.name();
        Form form = form(name);
        if (PARAMETERS.contains(name)) {
            return kernel.call(given);
        }
        boolean counts = schema.returns().stream().noneMatch(result -> TodaysOperators.isTensor(result.type()));
        if (counts && !schema.returns().isEmpty()) {
            return recorder.counted(node, kernel, given);
        }
        if (form == null && (name.startsWith("quantized::") || name.startsWith("aten::quantized_"))) {
            Operator composite = OperatorCalls.composite(node);
            return composite == null
                    ? unknown(node, kernel, given)
                    : recorder.insideOf(() -> GraphEvaluator.call(composite.decomposition(), given, recorder::call));
        }
        if (name.equals(QuantizeOperators.DEQUANTIZE) && given[0] instanceof Tensor quantized) {
            Tensor result = (Tensor) kernel.call(given.clone());
            step(node, quantized, result);
            return result;
        }
        if (name.equals("aten::int_repr") || name.startsWith("aten::_make_per_")) {
            GraphTensor integers = integers(node, (Tensor) given[0]);
            Tensor result = (Tensor) kernel.call(given.clone());
            emit(node, "aten::clone", new Object[] {integers, null}, result, (Tensor) given[0]);
            return result;
        }
        if (form == null && TodaysOperators.target(schema) == null) {
            return unknown(node, kernel, given);
        }
        Object[] real = new Object[given.length];
        for (int i = 0; i < given.length; i++) {
            real[i] = real(node, given[i], schema.arguments().get(i).mutated());
        }
        Object result = kernel.call(given.clone());
        Object realResult;
        if (name.startsWith("aten::quantize_per")) {
            boolean chosen = name.endsWith("_dynamic")
                    || CallDependence.any(Arrays.copyOfRange(given, 1, given.length), recorder::varies)
                    || !(result instanceof Tensor);
            if (chosen) {
                recorder.problem(
                        schema.fullName(), node.range(), "a scale that follows from elements, which programs have not");
            }
            realResult = real[0];
        } else if (form != null) {
            input = given[0] instanceof Tensor tensor ? tensor.quantization() : null;
            realResult = form.real(this, node, real);
        } else {
            realResult = recorder.call(node, kernel, real.clone());
        }
        for (int i = 0; i < given.length; i++) {
            if (schema.arguments().get(i).mutated() && given[i] instanceof Tensor written) {
                if (written.dtype().isQuantized()) {
                    recorder.othersOf(written, stale::add);
                    requireNear(node, (Tensor) real[i], written);
                    back(node, (Tensor) real[i], written);
                }
            }
        }
        if (name.startsWith("quantized::") && result instanceof Tensor tensor && tensor == given[0]) {
            // In place, which the schema does not say.
            recorder.othersOf(tensor, stale::add);
        }
        match(node, given, realResult, result);
        return result;
    }

    private static Form form(String name) {
        Form known = FORMS.get(name);
        if (known != null) {
            return known;
        }
        if (name.endsWith(DYNAMIC)) {
            Form plain = form(name.substring(0, name.length() - DYNAMIC.length()));
            return plain == null || name.contains("_rnn")
                    ? null
                    : (forms, node, a) -> {
                        Object[] stepped = a.clone();
                        stepped[0] = forms.chosen(node, (Tensor) a[0]);
                        return plain.real(forms, node, stepped);
                    };
        }
        if (name.endsWith(RELU)) {
            Form plain = FORMS.get(name.substring(0, name.length() - RELU.length()));
            return plain == null ? null : (forms, node, a) -> forms.run(node, "aten::relu", plain.real(forms, node, a));
        }
        return null;
    }

    private Object unknown(Node node, OperatorKernel kernel, Object[] given) {
        Object result = kernel.call(given);
        recorder.problem(
                node.schema().fullName(), node.range(), "no operator of PyTorch today, nor one on real numbers");
        recorder.unknown(result);
        return result;
    }

    /** Names results by what was computed in real numbers. */
    private void match(Node node, Object[] given, Object real, Object result) {
        if (result instanceof Tensor tensor) {
            if (CallDependence.any(given, other -> other == tensor)
                    && tensor.dtype().isQuantized()
                    && node.schema().isMutating()) {
                return;
            }
            if (!(real instanceof Tensor computed)) {
                recorder.unknown(result);
            } else if (tensor.dtype().isQuantized()) {
                requireNear(node, computed, tensor);
                back(node, computed, tensor);
            } else {
                recorder.same(computed, tensor);
            }
        } else if (result instanceof ScriptList list && real instanceof ScriptList computed) {
            for (int i = 0; i < list.size(); i++) {
                match(node, given, computed.get(i), list.get(i));
            }
        } else if (result instanceof Object[] several && real instanceof Object[] computed) {
            for (int i = 0; i < several.length; i++) {
                match(node, given, computed[i], several[i]);
            }
        }
    }

    private Object real(Node node, Object value, boolean written) {
        if (value instanceof Tensor tensor && tensor.dtype().isQuantized()) {
            Tensor known = written ? null : reals.get(recorder.named(tensor));
            if (known != null) {
                return known;
            }
            Tensor made = (Tensor)
                    OperatorCalls.operator("aten::dequantize.self").kernel().call(new Object[] {tensor});
            GraphTensor integers = recorder.named(tensor);
            step(node, tensor, made);
            if (!written) {
                reals.put(integers, made);
            }
            return made;
        }
        if (value instanceof ScriptList list) {
            List<Object> items = new ArrayList<>();
            list.items().forEach(item -> items.add(real(node, item, written)));
            return new ScriptList(list.elementType(), items);
        }
        return value;
    }

    /** The integers of a quantized tensor. */
    private GraphTensor integers(Node node, Tensor quantized) {
        if (stale.contains(quantized)) {
            recorder.problem(
                    node.kind() + " of a quantized tensor",
                    node.range(),
                    "its memory was written to under another name, which steps to integers do not say");
        }
        return recorder.named(quantized);
    }

    /** Adds the step from a quantized tensor's integers to its values. */
    private void step(Node node, Tensor quantized, Tensor values) {
        GraphTensor integers = integers(node, quantized);
        if (quantized.quantization() instanceof Quantization.PerTensor one) {
            emit(
                    node,
                    "quantized_decomposed::dequantize_per_tensor",
                    numbers(quantized.dtype(), true, integers, one.scale(), (long) one.zeroPoint()),
                    values,
                    quantized);
            return;
        }
        Quantization.PerChannel many = (Quantization.PerChannel) quantized.quantization();
        if (many.floatQParams() || quantized.dtype() == DType.QUINT4X2) {
            // Programs have whole zero points; a table of weights is stored as its values.
            if (recorder.varies(quantized)) {
                recorder.problem(node.kind() + " of real zero points", node.range(), "no step of programs has such");
            }
            recorder.unnamed(values);
            return;
        }
        emit(
                node,
                "quantized_decomposed::dequantize_per_channel",
                numbers(
                        quantized.dtype(),
                        true,
                        integers,
                        recorder.named(Tensor.of(DType.FLOAT64, many.scales().clone(), many.scales().length)),
                        recorder.named(zeroPoints(many)),
                        (long) many.axis()),
                values,
                quantized);
    }

    private static Tensor zeroPoints(Quantization.PerChannel many) {
        long[] zeros = new long[many.zeroPoints().length];
        for (int i = 0; i < zeros.length; i++) {
            zeros[i] = Math.round(many.zeroPoints()[i]);
        }
        return Tensor.of(zeros, zeros.length);
    }

    /** Notes where the integers of the run are more than one from those that the program will have. */
    private void requireNear(Node node, Tensor values, Tensor quantized) {
        if (!(quantized.quantization() instanceof Quantization.PerTensor one)
                || !Arrays.equals(values.sizes(), quantized.sizes())) {
            return;
        }
        boolean isByte = quantized.dtype() != DType.QINT32;
        boolean signed = quantized.dtype() == DType.QINT8;
        double least = isByte ? signed ? Byte.MIN_VALUE : 0 : Integer.MIN_VALUE;
        double greatest = isByte ? signed ? Byte.MAX_VALUE : 255 : Integer.MAX_VALUE;
        for (long i = 0; i < values.numel(); i++) {
            double level = Math.rint(values.getDouble(i) / one.scale()) + one.zeroPoint();
            double made = Math.min(greatest, Math.max(least, level));
            if (Math.abs(made - quantized.getLong(i)) > 1) {
                recorder.problem(
                        node.kind(),
                        node.range(),
                        "its result is more than a quantum from that on real numbers, as PyTorch's of some tensors "
                                + "that are not contiguous is");
                return;
            }
        }
    }

    /** Adds the step from values to a quantized tensor's integers. */
    private void back(Node node, Tensor values, Tensor quantized) {
        GraphTensor real = recorder.named(values);
        if (values.dtype() != DType.FLOAT32) {
            recorder.problem(
                    node.kind() + " of " + values.dtype().torchName(),
                    node.range(),
                    "the step to integers takes float32");
        }
        if (quantized.quantization() instanceof Quantization.PerTensor one) {
            emit(
                    node,
                    "quantized_decomposed::quantize_per_tensor",
                    numbers(quantized.dtype(), false, real, one.scale(), (long) one.zeroPoint()),
                    quantized,
                    values);
        } else if (quantized.quantization() instanceof Quantization.PerChannel many && !many.floatQParams()) {
            emit(
                    node,
                    "quantized_decomposed::quantize_per_channel",
                    numbers(
                            quantized.dtype(),
                            false,
                            real,
                            recorder.named(
                                    Tensor.of(DType.FLOAT64, many.scales().clone(), many.scales().length)),
                            recorder.named(zeroPoints(many)),
                            (long) many.axis()),
                    quantized,
                    values);
        } else {
            recorder.problem(node.kind() + " of real zero points", node.range(), "no step of programs has such");
            recorder.unknown(quantized);
        }
    }

    /** Arguments of a step, with the limits and the type of its integers, and nothing for the type of real results. */
    private static Object[] numbers(DType type, boolean toReal, Object... first) {
        DType plain = GraphTensor.plain(type);
        List<Object> all = new ArrayList<>(Arrays.asList(first));
        int bits = plain.bytes() * Byte.SIZE;
        all.add(plain == DType.UINT8 ? 0L : -(1L << bits - 1));
        all.add(plain == DType.UINT8 ? (1L << bits) - 1 : (1L << bits - 1) - 1);
        all.add((long) plain.code());
        if (toReal) {
            all.add(null);
        }
        return all.toArray();
    }

    private void emit(Node node, String operator, Object[] arguments, Tensor result, Tensor source) {
        FunctionSchema schema = OperatorCalls.operator(operator).schema();
        recorder.emit(
                TodaysOperators.target(schema), schema.arguments(), Arrays.asList(arguments), node, result, source);
    }

    private Object run(Node at, String fullName, Object... given) {
        return OperatorCalls.run(recorder, at, fullName, given);
    }

    private Tensor weight(Node node, Tensor weight) {
        return weight.dtype().isQuantized()
                ? (Tensor) real(node, weight, false)
                : weight.dtype() == DType.FLOAT32
                        ? weight
                        : (Tensor) run(node, "aten::to.dtype", weight, (long) DType.FLOAT32.code(), false, false, null);
    }

    /** A bias as the integers that products are added to, and in real numbers again. */
    private Tensor bias(Tensor bias, Quantization weight) {
        if (bias == null || !(input instanceof Quantization.PerTensor one) || weight == null) {
            return bias;
        }
        float[] values = bias.toFloatArray();
        if (weight instanceof Quantization.PerChannel many && many.scales().length != values.length) {
            return bias;
        }
        for (int i = 0; i < values.length; i++) {
            double scale = weight instanceof Quantization.PerChannel many
                    ? many.scales()[i]
                    : ((Quantization.PerTensor) weight).scale();
            float step = (float) (scale * one.scale());
            values[i] = (float) (Math.rint(values[i] / step) * (double) step);
        }
        return Tensor.of(values, values.length);
    }

    private Object linear(Node node, Object[] a) {
        LinearParams params = (LinearParams) ((CustomObject) a[1]).payload();
        Tensor weight = params.weight();
        return run(node, "aten::linear", a[0], weight(node, weight), bias(params.bias(), weight.quantization()));
    }

    private Object convolution(Node node, Object[] a) {
        ConvolutionParams params = (ConvolutionParams) ((CustomObject) a[1]).payload();
        Tensor weight = weight(node, params.weight());
        Tensor bias = bias(params.bias(), params.weight().quantization());
        boolean flat = ((Tensor) a[0]).rank() < weight.rank();
        Object x = flat ? run(node, "aten::unsqueeze", a[0], 2L) : a[0];
        int spatial = weight.rank() - 2;
        Object result = params.transposed()
                ? run(
                        node,
                        "aten::conv_transpose" + spatial + "d" + (spatial == 1 ? "" : ".input"),
                        x,
                        weight,
                        bias,
                        list(params.stride()),
                        list(params.padding()),
                        list(params.outputPadding()),
                        (long) params.groups(),
                        list(params.dilation()))
                : run(
                        node,
                        "aten::conv" + spatial + "d",
                        x,
                        weight,
                        bias,
                        list(params.stride()),
                        list(params.padding()),
                        list(params.dilation()),
                        (long) params.groups());
        return flat ? run(node, "aten::squeeze.dim", result, 2L) : result;
    }

    private static ScriptList list(int[] numbers) {
        return ScriptList.ofInts(Arrays.stream(numbers).asLongStream().toArray());
    }

    private Object embedding(Node node, Object[] a) {
        EmbeddingParams params = (EmbeddingParams) ((CustomObject) a[0]).payload();
        Object indices = run(node, "aten::to.dtype", a[1], (long) DType.INT64.code(), false, false, null);
        return run(node, "aten::embedding", weight(node, params.weight()), indices);
    }

    /** Arguments: weight, indices, offsets, scale_grad_by_freq, mode, pruned, per_sample_weights, .., last offset. */
    private Object bag(Node node, Object[] a) {
        EmbeddingParams params = (EmbeddingParams) ((CustomObject) a[0]).payload();
        Tensor given = (Tensor) a[1];
        Object indices = run(node, "aten::to.dtype", given, (long) DType.INT64.code(), false, false, null);
        Object offsets = a[2];
        if (offsets == null) {
            indices = run(node, "aten::reshape", indices, ScriptList.ofInts(-1));
            long[] starts = new long[given.size(0)];
            for (int i = 0; i < starts.length; i++) {
                starts[i] = (long) i * given.size(1);
            }
            offsets = Tensor.of(starts, starts.length);
        } else {
            offsets = run(node, "aten::to.dtype", offsets, (long) DType.INT64.code(), false, false, null);
        }
        Object[] results = (Object[]) run(
                node,
                "aten::embedding_bag",
                weight(node, params.weight()),
                indices,
                offsets,
                false,
                0L,
                false,
                a[6],
                a[8]);
        return results[0];
    }

    private Object clamped(Node node, Object[] a) {
        FloatContext context = (FloatContext) ((CustomObject) a[1]).payload();
        int[][] geometry = context.geometry();
        Object result = geometry.length == 0
                ? run(node, "aten::linear", a[0], context.weight(), context.bias())
                : geometry.length == 3
                        ? run(
                                node,
                                "aten::conv2d",
                                a[0],
                                context.weight(),
                                context.bias(),
                                list(geometry[0]),
                                list(geometry[1]),
                                list(geometry[2]),
                                (long) context.groups())
                        : run(
                                node,
                                "aten::conv_transpose2d.input",
                                a[0],
                                context.weight(),
                                context.bias(),
                                list(geometry[0]),
                                list(geometry[1]),
                                list(geometry[2]),
                                (long) context.groups(),
                                list(geometry[3]));
        boolean limited = context.min() != null || context.max() != null;
        return limited ? run(node, "aten::clamp", result, context.min(), context.max()) : result;
    }

    /** Values rounded to 256 levels between their least and their greatest, as dynamic quantization has them. */
    private Object chosen(Node node, Tensor values) {
        Object[] chosen = (Object[]) run(
                node, "quantized_decomposed::choose_qparams.tensor", values, 0L, 255L, 1.1920928955078125e-07, (long)
                        DType.UINT8.code());
        Object integers = run(
                node,
                "quantized_decomposed::quantize_per_tensor.tensor",
                numbers(DType.UINT8, false, values, chosen[0], chosen[1]));
        return run(
                node,
                "quantized_decomposed::dequantize_per_tensor.tensor",
                numbers(DType.UINT8, true, integers, chosen[0], chosen[1]));
    }
}
