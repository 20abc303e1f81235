package org.torchnnapi.torchscript.pickle;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.TorchDevice;

/** The globals a pickle may name, and what calling them gives. */
final class KnownGlobals {
    /** Makes the value of a call; throws IllegalArgumentException if the arguments do not fit. */
    private interface Rebuilder {
        Object rebuild(List<Object> arguments);
    }

    private static final String PER_TENSOR = "torch per_tensor_affine";
    private static final String PER_CHANNEL = "torch per_channel_affine";
    private static final String PER_CHANNEL_FLOAT = "torch per_channel_affine_float_qparams";

    private static final Map<String, Rebuilder> REBUILDERS = new TreeMap<>(Map.ofEntries(
            Map.entry("torch._utils _rebuild_tensor_v2", TensorRebuild::plain),
            Map.entry("torch._utils _rebuild_parameter", a -> argument(a, 0, Tensor.class, "a tensor")),
            Map.entry("torch._utils _rebuild_parameter_with_state", a -> argument(a, 0, Tensor.class, "a tensor")),
            Map.entry("torch._utils _rebuild_qtensor", TensorRebuild::quantized),
            Map.entry("torch.jit._pickle build_intlist", a -> typed(a, "List[int]")),
            Map.entry("torch.jit._pickle build_doublelist", a -> typed(a, "List[float]")),
            Map.entry("torch.jit._pickle build_boollist", a -> typed(a, "List[bool]")),
            Map.entry("torch.jit._pickle build_tensorlist", a -> typed(a, "List[Tensor]")),
            Map.entry("torch.jit._pickle restore_type_tag", KnownGlobals::tagged),
            Map.entry("torch device", a -> TorchDevice.parse(argument(a, 0, String.class, "a device name"))),
            Map.entry("builtins complex", KnownGlobals::complex),
            Map.entry("collections OrderedDict", a -> new PickledDict(null)),
            Map.entry(PER_TENSOR, KnownGlobals::notCallable),
            Map.entry(PER_CHANNEL, KnownGlobals::notCallable),
            Map.entry(PER_CHANNEL_FLOAT, KnownGlobals::notCallable)));

    private KnownGlobals() {}

    /** The global itself, the element type for a storage class, or null if it is unknown. */
    static Object resolve(PickleGlobal global) {
        if (global.module().equals("torch")) {
            DType dtype = StorageTypes.byName().get(global.name());
            if (dtype != null) {
                return dtype;
            }
        }
        return global.isScriptClass() || REBUILDERS.containsKey(global.toString()) ? global : null;
    }

    static Object rebuild(PickleGlobal global, List<Object> arguments) {
        return REBUILDERS.get(global.toString()).rebuild(arguments);
    }

    static String names() {
        return REBUILDERS.keySet() + " and torch's storages";
    }

    static boolean isPerTensor(Object scheme) {
        return isGlobal(scheme, PER_TENSOR);
    }

    static boolean isPerChannel(Object scheme) {
        return isGlobal(scheme, PER_CHANNEL) || isPerChannelFloat(scheme);
    }

    static boolean isPerChannelFloat(Object scheme) {
        return isGlobal(scheme, PER_CHANNEL_FLOAT);
    }

    /** An argument of the expected class. */
    static <T> T argument(List<Object> arguments, int index, Class<T> type, String meaning) {
        Object value = index < arguments.size() ? arguments.get(index) : null;
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("argument " + index + ": "
                    + (value == null ? "None" : value.getClass().getSimpleName()) + " (expected: " + meaning + ")");
        }
        return type.cast(value);
    }

    private static boolean isGlobal(Object value, String name) {
        return value instanceof PickleGlobal g && g.toString().equals(name);
    }

    private static Object typed(List<Object> arguments, String type) {
        PickledList list = argument(arguments, 0, PickledList.class, "a list");
        list.type(type);
        return list;
    }

    private static Object tagged(List<Object> arguments) {
        String type = argument(arguments, 1, String.class, "a type");
        if (!arguments.isEmpty() && arguments.get(0) instanceof PickledList list) {
            list.type(type);
            return list;
        }
        PickledDict dict = argument(arguments, 0, PickledDict.class, "a list or dictionary");
        dict.type(type);
        return dict;
    }

    private static Object complex(List<Object> arguments) {
        return new Complex(
                argument(arguments, 0, Double.class, "a float"), argument(arguments, 1, Double.class, "a float"));
    }

    private static Object notCallable(List<Object> arguments) {
        throw new IllegalArgumentException(
                "called with " + arguments.size() + " arguments (expected: a scheme inside quantized tensors)");
    }
}
