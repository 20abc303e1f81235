package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Makes runtime values of the values in case files. */
final class CaseValues {
    private CaseValues() {}

    /**
     * @param folder where the case's tensors lie
     * @param declared the type of the argument it is for, or null
     */
    static Object value(JsonNode node, Path folder, Type declared) {
        Type wanted = declared instanceof Type.OptionalType optional ? optional.element() : declared;
        String kind = node.path("kind").asText();
        JsonNode value = node.path("value");
        return switch (kind) {
            case "tensor" -> tensor(node, folder);
            case "none" -> null;
            case "int" -> wanted == Type.Basic.FLOAT ? (Object) (double) value.asLong() : (Object) value.asLong();
            case "float" -> number(value);
            case "bool" -> value.asBoolean();
            case "str" -> value.asText();
            case "device" -> TorchDevice.parse(value.asText());
            case "complex" -> new Complex(number(value.get(0)), number(value.get(1)));
            case "tuple" -> {
                Type.TupleType type = wanted instanceof Type.TupleType t
                                && t.elements().size() == node.path("items").size()
                        ? t
                        : null;
                List<Object> items = new ArrayList<>();
                for (JsonNode item : node.path("items")) {
                    items.add(value(
                            item, folder, type == null ? null : type.elements().get(items.size())));
                }
                yield new ScriptTuple(items, type != null && type.name() != null ? type : null);
            }
            case "list" -> {
                Type element = wanted instanceof Type.ListType list ? list.element() : null;
                List<Object> items = new ArrayList<>();
                for (JsonNode item : node.path("items")) {
                    items.add(value(item, folder, element));
                }
                yield new ScriptList(
                        element != null ? element : items.isEmpty() ? Type.Basic.TENSOR : RuntimeTypes.of(items.get(0)),
                        items);
            }
            case "dict" -> dict(node, folder, wanted instanceof Type.DictType d ? d : null);
            default ->
                throw new IllegalArgumentException(
                        "value kind: " + kind + " (expected: tensor, int, float, bool, str, device, "
                                + "complex, none, tuple, list or dict)");
        };
    }

    private static ScriptDict dict(JsonNode node, Path folder, Type.DictType type) {
        List<Object> keys = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (JsonNode entry : node.path("items")) {
            keys.add(value(entry.get(0), folder, type == null ? null : type.key()));
            values.add(value(entry.get(1), folder, type == null ? null : type.value()));
        }
        ScriptDict made = type != null
                ? new ScriptDict(type.key(), type.value())
                : new ScriptDict(
                        keys.isEmpty() ? Type.Basic.STRING : RuntimeTypes.of(keys.get(0)),
                        values.isEmpty() ? Type.Basic.TENSOR : RuntimeTypes.of(values.get(0)));
        for (int i = 0; i < keys.size(); i++) {
            made.items().put(keys.get(i), values.get(i));
        }
        return made;
    }

    /** A float, or one of the names that JSON lacks a number for. */
    static double number(JsonNode value) {
        return switch (value.asText()) {
            case "nan" -> Double.NaN;
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> value.asDouble();
        };
    }

    static Tensor tensor(JsonNode node, Path folder) {
        DType dtype = DType.ofName(node.path("dtype").asText());
        Tensor tensor;
        try {
            tensor = Npy.read(folder.resolve(node.path("file").asText()), dtype);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        tensor = tensor.withQuantization(quantization(node.path("quant")));
        return switch (node.path("memory_format").asText()) {
            case "channels_last" -> tensor.copy(MemoryFormat.CHANNELS_LAST);
            case "channels_last_3d" -> tensor.copy(MemoryFormat.CHANNELS_LAST_3D);
            case "strided" -> strided(tensor, ints(node.path("strides")));
            default -> tensor;
        };
    }

    /** The quantization of a value, or null. */
    static Quantization quantization(JsonNode node) {
        if (node.isMissingNode()) {
            return null;
        }
        if (node.path("scheme").asText().equals("per_tensor_affine")) {
            return new Quantization.PerTensor(
                    node.path("scale").asDouble(), node.path("zero_point").asInt());
        }
        return new Quantization.PerChannel(
                doubles(node.path("scales")),
                doubles(node.path("zero_points")),
                node.path("axis").asInt(),
                node.path("scheme").asText().endsWith("float_qparams"));
    }

    private static Tensor strided(Tensor tensor, int[] strides) {
        long extent = 1;
        for (int d = 0; d < strides.length; d++) {
            extent += (long) strides[d] * Math.max(tensor.sizes()[d] - 1, 0);
        }
        if (Shape.numel(tensor.sizes()) == 0) {
            return tensor;
        }
        Tensor memory = Tensor.zeros(tensor.dtype(), (int) extent).withQuantization(tensor.quantization());
        Tensor view = memory.asStrided(tensor.sizes(), strides, 0);
        view.copyFrom(tensor);
        return view;
    }

    static int[] ints(JsonNode list) {
        int[] out = new int[list.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = list.get(i).asInt();
        }
        return out;
    }

    private static double[] doubles(JsonNode list) {
        double[] out = new double[list.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = list.get(i).asDouble();
        }
        return out;
    }
}
