package org.torchnnapi.cli.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Runtime values for programs: tensors with type, sizes, quantization and all elements, row-major; lists and tuples as
 * arrays.
 */
public final class ValueJson {
    private ValueJson() {}

    /** What Jackson writes: maps, lists, numbers, texts, booleans and null. Numbers that JSON lacks are texts. */
    public static Object of(Object value) {
        if (value instanceof Tensor tensor) {
            return tensor(tensor);
        }
        if (value instanceof ScriptTuple tuple) {
            return items(tuple.items());
        }
        if (value instanceof ScriptList list) {
            return items(list.items());
        }
        if (value instanceof ScriptDict dict) {
            Map<String, Object> map = new LinkedHashMap<>();
            dict.items().forEach((key, item) -> map.put(String.valueOf(key), of(item)));
            return map;
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? number : number.toString();
        }
        return value == null || value instanceof Number || value instanceof Boolean ? value : value.toString();
    }

    private static List<Object> items(List<Object> items) {
        List<Object> all = new ArrayList<>();
        items.forEach(item -> all.add(of(item)));
        return all;
    }

    private static Map<String, Object> tensor(Tensor tensor) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("dtype", tensor.dtype().torchName());
        map.put("sizes", Arrays.stream(tensor.sizes()).boxed().toList());
        if (tensor.quantization() instanceof Quantization.PerTensor q) {
            map.put("scale", q.scale());
            map.put("zeroPoint", q.zeroPoint());
        }
        List<Object> elements = new ArrayList<>();
        boolean real = tensor.dtype().isFloating();
        for (long i = 0; i < tensor.numel(); i++) {
            double element = tensor.getDouble(i);
            elements.add(real ? of(element) : (Object) Long.valueOf((long) element));
        }
        map.put("data", elements);
        return map;
    }
}
