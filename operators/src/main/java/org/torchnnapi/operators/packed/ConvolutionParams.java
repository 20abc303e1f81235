package org.torchnnapi.operators.packed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.torchnnapi.kernels.QuantizedConv;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * A quantized convolution's weight, bias and geometry; one-dimensional ones are kept as two-dimensional ones of height
 * 1.
 *
 * <p>State: {@code ('2', [config, weight], [bias])} with the int16 config (spatial dimensions, stride, padding,
 * dilation, output padding, groups, transposed). Read also: version 3, {@code (3, config, [null, weight, bias])}, and
 * what came before PyTorch 1.6.
 */
public final class ConvolutionParams {
    private static final Map<String, Function<ConvolutionParams, Object>> METHODS = Map.of(
            "unpack",
            params -> ScriptTuple.of(params.weight, params.bias),
            "weight",
            ConvolutionParams::weight,
            "bias",
            ConvolutionParams::bias,
            "stride",
            params -> list(params.stride),
            "padding",
            params -> list(params.padding),
            "dilation",
            params -> list(params.dilation),
            "output_padding",
            params -> list(params.outputPadding),
            "groups",
            params -> (long) params.groups,
            "transpose",
            ConvolutionParams::transposed);

    public static final PackedClass<ConvolutionParams> CLASS_2D = new PackedClass<>(
            "quantized.Conv2dPackedParamsBase",
            ConvolutionParams.class,
            ConvolutionParams::state,
            ConvolutionParams::ofState,
            METHODS);
    public static final PackedClass<ConvolutionParams> CLASS_3D = new PackedClass<>(
            "quantized.Conv3dPackedParamsBase",
            ConvolutionParams.class,
            ConvolutionParams::state,
            ConvolutionParams::ofState,
            METHODS);

    private static final String STATE_VERSION = "2";
    private static final Long LIST_STATE_VERSION = 3L;
    /** Plans kept: one for each size of image and output quantization a model alternates between. */
    private static final int MAX_PLANS = 16;

    private final Tensor weight;
    private final Tensor bias;
    private final int[] stride;
    private final int[] padding;
    private final int[] dilation;
    private final int[] outputPadding;
    private final int groups;
    private final boolean transposed;
    private final Map<List<Object>, QuantizedConv> plans = new ConcurrentHashMap<>();

    /**
     * @param weight quantized, {@code [out, in / groups, kernel..]}; transposed {@code [in, out / groups, kernel..]}
     * @param bias float32, or null
     * @throws IllegalArgumentException if the weight is not quantized or the geometry does not fit it
     */
    public ConvolutionParams(
            Tensor weight,
            Tensor bias,
            int[] stride,
            int[] padding,
            int[] dilation,
            int[] outputPadding,
            int groups,
            boolean transposed) {
        int spatial = weight.rank() - 2;
        if (!weight.dtype().isQuantized() || spatial < 1 || spatial > 3) {
            throw new IllegalArgumentException(
                    "weight: " + weight + " (expected: quantized, with 1 to 3 spatial dimensions)");
        }
        for (int[] list : new int[][] {stride, padding, dilation, outputPadding}) {
            if (list.length != spatial) {
                throw new IllegalArgumentException("geometry: " + Arrays.toString(list) + " (expected: " + spatial
                        + " numbers, one a spatial dimension)");
            }
        }
        if (groups < 1) {
            throw new IllegalArgumentException("groups: " + groups + " (expected: >= 1)");
        }
        this.weight = weight;
        this.bias = bias;
        this.stride = stride.clone();
        this.padding = padding.clone();
        this.dilation = dilation.clone();
        this.outputPadding = outputPadding.clone();
        this.groups = groups;
        this.transposed = transposed;
    }

    public Tensor weight() {
        return weight;
    }

    /** Float32, or null. */
    public Tensor bias() {
        return bias;
    }

    /** A copy, one number a spatial dimension; so are the others. */
    public int[] stride() {
        return stride.clone();
    }

    public int[] padding() {
        return padding.clone();
    }

    public int[] dilation() {
        return dilation.clone();
    }

    public int[] outputPadding() {
        return outputPadding.clone();
    }

    public int groups() {
        return groups;
    }

    public boolean transposed() {
        return transposed;
    }

    /** Number of output channels. */
    public int outputChannels() {
        return transposed ? weight.size(1) * groups : weight.size(0);
    }

    /** The plan for a key, made once. */
    public QuantizedConv plan(List<Object> key, Supplier<QuantizedConv> maker) {
        QuantizedConv plan = plans.get(key);
        if (plan == null) {
            plan = maker.get();
            if (plans.size() >= MAX_PLANS) {
                plans.clear();
            }
            plans.put(key, plan);
        }
        return plan;
    }

    private static ScriptList list(int[] values) {
        return ScriptList.ofInts(Arrays.stream(values).asLongStream().toArray());
    }

    private Object state() {
        int spatial = stride.length;
        short[] config = new short[4 * spatial + 3];
        int at = 0;
        config[at++] = (short) spatial;
        for (int[] list : new int[][] {stride, padding, dilation, outputPadding}) {
            for (int value : list) {
                config[at++] = (short) value;
            }
        }
        config[at++] = (short) groups;
        config[at] = (short) (transposed ? 1 : 0);
        ScriptList tensors =
                new ScriptList(Type.Basic.TENSOR, List.of(Tensor.of(DType.INT16, config, config.length), weight));
        ScriptList biases = new ScriptList(Type.optional(Type.Basic.TENSOR), Collections.singletonList(bias));
        return ScriptTuple.of(STATE_VERSION, tensors, biases);
    }

    private static ConvolutionParams ofState(Object value) {
        ScriptTuple state = (ScriptTuple) value;
        if (STATE_VERSION.equals(state.get(0))) {
            ScriptList tensors = (ScriptList) state.get(1);
            return of(((Tensor) tensors.get(0)).toLongArray(), (Tensor) tensors.get(1), (Tensor)
                    ((ScriptList) state.get(2)).get(0));
        }
        if (LIST_STATE_VERSION.equals(state.get(0))) {
            ScriptList tensors = (ScriptList) state.get(2);
            return of(((ScriptList) state.get(1)).toLongs(), (Tensor) tensors.get(1), (Tensor) tensors.get(2));
        }
        return ofOldState(state);
    }

    private static ConvolutionParams of(long[] config, Tensor weight, Tensor bias) {
        int spatial = config.length == 0 ? 0 : (int) config[0];
        if (spatial < 1 || spatial > 3 || config.length != 4 * spatial + 3) {
            throw new IllegalArgumentException("packed convolution config: " + Arrays.toString(config)
                    + " (expected: 4n + 3 numbers for n = 1 to 3)");
        }
        int[][] lists = new int[4][spatial];
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < spatial; j++) {
                lists[i][j] = (int) config[1 + i * spatial + j];
            }
        }
        return new ConvolutionParams(
                weight,
                bias,
                lists[0],
                lists[1],
                lists[2],
                lists[3],
                (int) config[config.length - 2],
                config[config.length - 1] != 0);
    }

    /** Before PyTorch 1.6: (weight, bias, strides, paddings, dilations, groups), numbers in tensors or lists. */
    private static ConvolutionParams ofOldState(ScriptTuple state) {
        Tensor weight = (Tensor) state.get(0);
        List<int[]> lists = new ArrayList<>();
        for (int i = 2; i <= 4; i++) {
            lists.add(numbers(state.get(i)));
        }
        Object groups = state.get(5);
        return new ConvolutionParams(
                weight,
                (Tensor) state.get(1),
                lists.get(0),
                lists.get(1),
                lists.get(2),
                new int[lists.get(0).length],
                groups instanceof Tensor t ? (int) t.getLong(0) : ((Long) groups).intValue(),
                false);
    }

    private static int[] numbers(Object list) {
        ScriptList items = (ScriptList) list;
        int[] numbers = new int[items.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = items.get(i) instanceof Tensor t ? (int) t.getLong(0) : ((Long) items.get(i)).intValue();
        }
        return numbers;
    }
}
