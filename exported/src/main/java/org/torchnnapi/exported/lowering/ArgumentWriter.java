package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.exported.ElementTypes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Arguments as programs write them; the inverse of {@link ArgumentReader}. */
final class ArgumentWriter {
    private ArgumentWriter() {}

    /**
     * An argument of an operator.
     *
     * @param value null, a {@link GraphTensor}, a number, truth value, text or device, or a list of such
     */
    static Map<String, Object> of(FunctionSchema.Argument formal, Object value) {
        Type type = TypeRelations.unwrapOptional(formal.type());
        if (value instanceof List<?> items) {
            return list(type instanceof Type.ListType list ? list.element() : Type.Basic.ANY, items);
        }
        if (value instanceof Long number && type == Type.Basic.INT) {
            return whole(formal.name(), number);
        }
        return plain(value);
    }

    /** A value of which nothing says what it is for. */
    static Map<String, Object> plain(Object value) {
        if (value instanceof GraphTensor tensor) {
            return tensor.argument();
        }
        if (value instanceof GraphNumber number) {
            return number.argument();
        }
        if (value instanceof SubGraph graph) {
            return JsonText.object("as_graph", graph.json());
        }
        if (value == null) {
            return JsonText.object("as_none", true);
        }
        if (value instanceof Long number) {
            return JsonText.object("as_int", number);
        }
        if (value instanceof Double real) {
            return JsonText.object("as_float", JsonText.real(real));
        }
        if (value instanceof Boolean flag) {
            return JsonText.object("as_bool", flag);
        }
        if (value instanceof String text) {
            return JsonText.object("as_string", text);
        }
        if (value instanceof Complex complex) {
            return JsonText.object(
                    "as_complex",
                    JsonText.object("real", JsonText.real(complex.real()), "imag", JsonText.real(complex.imaginary())));
        }
        if (value instanceof TorchDevice) {
            return JsonText.object("as_device", JsonText.object("type", "cpu", "index", null));
        }
        throw new UnwritableProgramException(
                "argument: " + value + " (expected: a tensor, number, truth value, text or device, or a list of them)");
    }

    /** TorchScript has numbers for element types, memory formats and layouts, which only names tell from others. */
    private static Map<String, Object> whole(String name, long number) {
        if (name.equals("dtype") || name.endsWith("_dtype")) {
            return JsonText.object("as_scalar_type", ElementTypes.number(DType.ofCode(number)));
        }
        if (name.equals("memory_format")) {
            return JsonText.object("as_memory_format", ElementTypes.number(MemoryFormat.ofCode(number)));
        }
        return name.equals("layout")
                ? JsonText.object("as_layout", ElementTypes.strided())
                : JsonText.object("as_int", number);
    }

    private static Map<String, Object> list(Type element, List<?> items) {
        Type type = TypeRelations.unwrapOptional(element);
        if (type == Type.Basic.TENSOR) {
            return tensors(items);
        }
        if (items.stream().anyMatch(item -> item instanceof GraphNumber)) {
            return open(items);
        }
        boolean real = type == Type.Basic.FLOAT || items.stream().anyMatch(item -> item instanceof Double);
        boolean truth = type == Type.Basic.BOOL || !items.isEmpty() && items.get(0) instanceof Boolean;
        List<Object> written = new ArrayList<>();
        for (Object item : items) {
            if (!(item instanceof Number || item instanceof Boolean || item instanceof String)) {
                throw new UnwritableProgramException(
                        "argument: a list with " + item + " (expected: numbers, truth values, texts or tensors)");
            }
            written.add(real ? JsonText.real(((Number) item).doubleValue()) : item);
        }
        String tag = real ? "as_floats" : truth ? "as_bools" : type == Type.Basic.STRING ? "as_strings" : "as_ints";
        return JsonText.object(tag, written);
    }

    /** Numbers some of which follow from open sizes. */
    private static Map<String, Object> open(List<?> items) {
        boolean real = items.stream()
                .anyMatch(
                        item -> item instanceof Double || item instanceof GraphNumber number && number.real() != null);
        List<Object> written = new ArrayList<>();
        for (Object item : items) {
            written.add(
                    item instanceof GraphNumber number
                            ? number.named()
                            : JsonText.object(real ? "as_float" : "as_int", item));
        }
        return JsonText.object(real ? "as_sym_floats" : "as_sym_ints", written);
    }

    private static Map<String, Object> tensors(List<?> items) {
        boolean all = items.stream().allMatch(item -> item instanceof GraphTensor);
        List<Object> written = new ArrayList<>();
        for (Object item : items) {
            written.add(all ? ((GraphTensor) item).named() : plain(item));
        }
        return JsonText.object(all ? "as_tensors" : "as_optional_tensors", written);
    }
}
