package org.torchnnapi.torchscript.archive;

import static org.torchnnapi.torchscript.archive.FlatbufferSchema.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.pickle.ChannelParameters;
import org.torchnnapi.torchscript.pickle.NibbleStorage;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledEnum;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/**
 * The numbered values of a FlatBuffer module: what a value holds has a lower number, since readers make them in that
 * order.
 */
final class FlatbufferValues {
    private static final String CUSTOM_CLASSES = "__torch__.torch.classes.";
    private static final Map<String, Integer> NUMBER_LISTS =
            Map.of("List[int]", INT_LIST, "List[float]", DOUBLE_LIST, "List[bool]", BOOL_LIST);

    private final FlatbufferTables out;
    /** Functions that set the state of a class, by the class's name. */
    private final Map<String, Integer> setters = new HashMap<>();

    private final List<Integer> values = new ArrayList<>();
    private final Map<Object, Integer> done = new IdentityHashMap<>();
    private final Map<Object, Integer> scalars = new HashMap<>();
    private final Map<String, Integer> typeNumbers = new LinkedHashMap<>();
    private final Map<String, List<String>> attributes = new HashMap<>();
    private final Map<Storage, Integer> storageNumbers = new IdentityHashMap<>();
    private final List<Storage> storages = new ArrayList<>();

    FlatbufferValues(FlatbufferTables out) {
        this.out = out;
        // The first is None, to which absent defaults refer.
        add(NONE, 0);
    }

    /** Adds a value whose content is written already; its number. */
    private int add(int kind, int content) {
        FlatbufferTables.Table table = out.table(2).small(0, kind);
        values.add(kind == NONE ? table.end() : table.part(1, content).end());
        return values.size() - 1;
    }

    /** Adds a function; from then on objects of the class whose state it sets refer to it. */
    int function(String name, int table) {
        int number = add(FUNCTION, table);
        if (name.endsWith(".__setstate__")) {
            setters.put(className(name), number);
        }
        return number;
    }

    /** The number of the class that a method belongs to. */
    int classOf(String method) {
        return type(className(method));
    }

    private static String className(String method) {
        return method.substring(0, Math.max(0, method.lastIndexOf('.')));
    }

    private int type(String name) {
        return typeNumbers.computeIfAbsent(name, key -> typeNumbers.size());
    }

    /** The number of a value, which is written first if it was not yet. */
    int value(Object value) {
        if (value == null) {
            return 0;
        }
        boolean scalar =
                value instanceof Long || value instanceof Double || value instanceof Boolean || value instanceof String;
        Integer known = scalar ? scalars.get(value) : done.get(value);
        if (known == null) {
            known = write(value);
            (scalar ? scalars : done).put(value, known);
        }
        return known;
    }

    private int write(Object value) {
        if (value instanceof Long) {
            return add(INT, out.struct(value));
        } else if (value instanceof Boolean) {
            return add(BOOL, out.struct(value));
        } else if (value instanceof Double) {
            return add(DOUBLE, out.struct(value));
        } else if (value instanceof Complex complex) {
            return add(COMPLEX, out.struct(complex.real(), complex.imaginary()));
        } else if (value instanceof Tensor tensor) {
            return add(TENSOR, tensor(tensor));
        } else if (value instanceof String text) {
            return add(STRING, out.table(1).part(0, out.text(text)).end());
        } else if (value instanceof TorchDevice device) {
            return add(DEVICE, out.table(1).part(0, out.text(device.toString())).end());
        } else if (value instanceof PickledEnum member) {
            int content = value(member.value());
            return add(
                    ENUM,
                    out.table(2)
                            .part(0, out.text(member.className()))
                            .integer(1, content)
                            .end());
        } else if (value instanceof ScriptTuple tuple) {
            return add(TUPLE, out.table(1).part(0, numbers(tuple.items())).end());
        } else if (value instanceof PickledList list) {
            return list(list);
        } else if (value instanceof PickledDict dict) {
            return dict(dict);
        } else if (value instanceof PickledObject object) {
            return object(object);
        }
        throw new ArchiveException("value: " + value.getClass().getName() + " (expected: a value of TorchScript)");
    }

    private int numbers(List<?> items) {
        List<Integer> all = new ArrayList<>();
        items.forEach(item -> all.add(value(item)));
        return out.integers(all);
    }

    private int list(PickledList list) {
        Integer kind = list.type() == null ? null : NUMBER_LISTS.get(list.type());
        if (kind != null) {
            return add(kind, out.table(1).part(0, out.scalars(list.items())).end());
        }
        int items = numbers(list.items());
        return add(
                LIST,
                out.table(2)
                        .part(0, items)
                        .part(1, out.text(list.type() == null ? "List[Any]" : list.type()))
                        .end());
    }

    private int dict(PickledDict dict) {
        List<Object> keys = new ArrayList<>();
        List<Object> entries = new ArrayList<>();
        dict.entries().forEach(entry -> {
            keys.add(entry.getKey());
            entries.add(entry.getValue());
        });
        int keyNumbers = numbers(keys);
        int entryNumbers = numbers(entries);
        int type = out.text(dict.type() == null ? "Dict[str, Any]" : dict.type());
        return add(
                DICT,
                out.table(3)
                        .part(0, keyNumbers)
                        .part(1, entryNumbers)
                        .part(2, type)
                        .end());
    }

    private int object(PickledObject object) {
        int type = type(object.className());
        Integer setter = setters.get(object.className());
        if (setter != null
                || object.className().startsWith(CUSTOM_CLASSES)
                || !(object.state() instanceof PickledDict state)) {
            int content = value(object.state());
            return add(
                    OBJECT,
                    out.table(4)
                            .integer(0, type)
                            .integer(1, content)
                            .integer(3, setter == null ? 0 : setter)
                            .end());
        }
        List<String> names = new ArrayList<>();
        List<Object> content = new ArrayList<>();
        state.entries().forEach(entry -> {
            names.add((String) entry.getKey());
            content.add(entry.getValue());
        });
        attributes.putIfAbsent(object.className(), names);
        int numbers = numbers(content);
        return add(OBJECT, out.table(4).integer(0, type).part(2, numbers).end());
    }

    private int tensor(Tensor tensor) {
        int scheme = tensor.quantization() == null ? -1 : quantization(tensor.quantization());
        boolean nibbles = tensor.dtype() == DType.QUINT4X2;
        int sizes = out.integers(tensor.sizes());
        int strides = out.integers(nibbles ? Shape.contiguousStrides(tensor.sizes()) : tensor.strides());
        int storage = storage(nibbles ? NibbleStorage.pack(tensor) : tensor.storage());
        FlatbufferTables.Table table = out.table(7)
                .integer(0, storage)
                .small(1, tensor.dtype().code())
                .integer(2, nibbles ? 0 : Math.toIntExact(tensor.offset()))
                .part(3, sizes)
                .part(4, strides)
                .small(5, tensor.requiresGrad() ? 1 : 0);
        return (scheme < 0 ? table : table.part(6, scheme)).end();
    }

    private int storage(Storage storage) {
        return storageNumbers.computeIfAbsent(storage, key -> {
            storages.add(key);
            return storages.size() - 1;
        });
    }

    private int quantization(Quantization quantization) {
        if (quantization instanceof Quantization.PerTensor q) {
            return out.table(6)
                    .small(0, PER_TENSOR)
                    .real(1, q.scale())
                    .integer(2, q.zeroPoint())
                    .end();
        }
        Quantization.PerChannel q = (Quantization.PerChannel) quantization;
        int scales = tensor(ChannelParameters.scales(q));
        int zeroPoints = tensor(ChannelParameters.zeroPoints(q));
        return out.table(6)
                .small(0, q.floatQParams() ? PER_CHANNEL_FLOAT : PER_CHANNEL)
                .part(3, scales)
                .part(4, zeroPoints)
                .integer(5, q.axis())
                .end();
    }

    int storageCount() {
        return storages.size();
    }

    /** Writes the bytes of all storages that values had so far; the vector of them. */
    int storages() {
        long bytes = 0;
        for (Storage storage : storages) {
            bytes += (long) storage.length() * storage.dtype().bytes();
        }
        out.expectStorages(bytes);
        List<Integer> all = new ArrayList<>();
        for (Storage storage : storages) {
            all.add(out.table(1).part(0, out.storage(storage.toBytes())).end());
        }
        return out.offsets(all);
    }

    /** The vector of all values. */
    int all() {
        return out.offsets(values);
    }

    /** The vector of the classes of all objects and methods. */
    int types() {
        List<Integer> all = new ArrayList<>();
        for (String name : typeNumbers.keySet()) {
            List<String> names = attributes.getOrDefault(name, List.of());
            List<Integer> texts = new ArrayList<>();
            names.forEach(text -> texts.add(out.text(text)));
            int kind = name.startsWith(CUSTOM_CLASSES)
                    ? CUSTOM_CLASS
                    : setters.containsKey(name) ? CLASS_WITH_SETSTATE : CLASS_WITH_FIELD;
            int attributeNames = out.offsets(texts);
            all.add(out.table(3)
                    .part(0, out.text(name))
                    .small(1, kind)
                    .part(2, attributeNames)
                    .end());
        }
        return out.offsets(all);
    }
}
