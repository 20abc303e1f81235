package org.torchnnapi.torchscript.pickle;

import static org.torchnnapi.torchscript.pickle.Opcode.*;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/**
 * Writes a value tree (see the package description) as a protocol 2 pickle, inside the list of opcodes that PyTorch's
 * own unpickler knows. As PyTorch does, this memoizes strings and globals by value, storages, tensors and objects by
 * identity, so that a tensor used twice stays one object, and containers where they occur more than once.
 */
public final class PickleWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StorageSink storages;
    private final Map<String, Integer> strings = new HashMap<>();
    private final Map<String, Integer> globals = new HashMap<>();
    private final Map<Object, Integer> shared = new IdentityHashMap<>();
    private final Set<Object> repeated = Collections.newSetFromMap(new IdentityHashMap<>());
    private int memoSize;

    private PickleWriter(StorageSink storages) {
        this.storages = storages;
    }

    /**
     * @throws ArchiveException if the tree holds a value that a TorchScript pickle cannot hold, or is nested too deep
     */
    public static byte[] write(Object value, StorageSink storages) {
        PickleWriter writer = new PickleWriter(storages);
        TreeCheck.check("value", value);
        writer.repeated.addAll(TreeCheck.repeatedContainers(value));
        writer.out.write(PROTO);
        writer.out.write(2);
        writer.value(value);
        writer.out.write(STOP);
        return writer.out.toByteArray();
    }

    private void value(Object value) {
        if (value == null) {
            out.write(NONE);
        } else if (value instanceof Boolean b) {
            out.write(b ? NEWTRUE : NEWFALSE);
        } else if (value instanceof Long l) {
            integer(l);
        } else if (value instanceof Double d) {
            real(d);
        } else if (value instanceof String s) {
            string(s);
        } else if (value instanceof Complex c) {
            global("builtins", "complex");
            real(c.real());
            real(c.imaginary());
            out.write(TUPLE2);
            out.write(REDUCE);
        } else if (value instanceof TorchDevice d) {
            global("torch", "device");
            string(d.toString());
            out.write(TUPLE1);
            out.write(REDUCE);
        } else if (value instanceof PickledEnum e) {
            scriptGlobal(e.className());
            value(e.value());
            out.write(REDUCE);
        } else {
            sharedValue(value);
        }
    }

    private void sharedValue(Object value) {
        Integer index = shared.get(value);
        if (index != null) {
            get(index);
            return;
        }
        if (value instanceof Tensor tensor) {
            tensor(tensor);
        } else if (value instanceof ScriptTuple tuple) {
            tuple(tuple);
        } else if (value instanceof PickledList list) {
            list(list);
        } else if (value instanceof PickledDict dict) {
            dict(dict);
        } else if (value instanceof PickledObject object) {
            scriptGlobal(object.className());
            out.write(EMPTY_TUPLE);
            out.write(NEWOBJ);
            value(object.state());
            out.write(BUILD);
        } else {
            throw new ArchiveException("value: " + value.getClass().getName() + " (expected: a value of TorchScript)");
        }
        if (value instanceof Tensor || value instanceof PickledObject || repeated.contains(value)) {
            shared.put(value, put());
        }
    }

    private void tuple(ScriptTuple tuple) {
        int size = tuple.size();
        if (size == 0) {
            out.write(EMPTY_TUPLE);
            return;
        }
        if (size > 3) {
            out.write(MARK);
        }
        for (Object item : tuple.items()) {
            value(item);
        }
        out.write(size > 3 ? TUPLE : TUPLE1 + size - 1);
    }

    private void list(PickledList list) {
        String builder = list.type() == null
                ? ""
                : switch (list.type()) {
                    case "List[int]" -> "build_intlist";
                    case "List[float]" -> "build_doublelist";
                    case "List[bool]" -> "build_boollist";
                    case "List[Tensor]" -> "build_tensorlist";
                    default -> "restore_type_tag";
                };
        boolean tagged = builder.equals("restore_type_tag");
        boolean special = !tagged && !builder.isEmpty();
        if (!builder.isEmpty()) {
            global("torch.jit._pickle", builder);
        }
        if (special) {
            out.write(MARK);
        }
        out.write(EMPTY_LIST);
        out.write(MARK);
        for (Object item : list.items()) {
            value(item);
        }
        out.write(APPENDS);
        if (special) {
            out.write(TUPLE);
            out.write(REDUCE);
        } else if (tagged) {
            tag(list.type());
        }
    }

    private void dict(PickledDict dict) {
        if (dict.type() != null) {
            global("torch.jit._pickle", "restore_type_tag");
        }
        out.write(EMPTY_DICT);
        out.write(MARK);
        for (Map.Entry<Object, Object> entry : dict.entries()) {
            value(entry.getKey());
            value(entry.getValue());
        }
        out.write(SETITEMS);
        if (dict.type() != null) {
            tag(dict.type());
        }
    }

    private void tag(String type) {
        string(type);
        out.write(TUPLE2);
        out.write(REDUCE);
    }

    private void tensor(Tensor tensor) {
        Quantization quantization = tensor.quantization();
        global("torch._utils", quantization == null ? "_rebuild_tensor_v2" : "_rebuild_qtensor");
        out.write(MARK);
        boolean nibbles = tensor.dtype() == DType.QUINT4X2;
        storage(nibbles ? NibbleStorage.pack(tensor) : tensor.storage());
        integer(nibbles ? 0 : tensor.offset());
        integers(tensor.sizes());
        integers(nibbles ? Shape.contiguousStrides(tensor.sizes()) : tensor.strides());
        if (quantization != null) {
            quantizer(quantization);
        }
        out.write(tensor.requiresGrad() ? NEWTRUE : NEWFALSE);
        global("collections", "OrderedDict");
        out.write(EMPTY_TUPLE);
        out.write(REDUCE);
        out.write(TUPLE);
        out.write(REDUCE);
    }

    private void quantizer(Quantization quantization) {
        out.write(MARK);
        if (quantization instanceof Quantization.PerTensor q) {
            global("torch", "per_tensor_affine");
            real(q.scale());
            integer(q.zeroPoint());
        } else if (quantization instanceof Quantization.PerChannel q) {
            global("torch", q.floatQParams() ? "per_channel_affine_float_qparams" : "per_channel_affine");
            value(ChannelParameters.scales(q));
            value(ChannelParameters.zeroPoints(q));
            integer(q.axis());
        }
        out.write(TUPLE);
    }

    private void storage(Storage storage) {
        Integer index = shared.get(storage);
        if (index != null) {
            get(index);
            return;
        }
        out.write(MARK);
        string("storage");
        global("torch", StorageTypes.nameOf(storage.dtype()));
        string(storages.keyOf(storage));
        string("cpu");
        integer(storage.length());
        out.write(TUPLE);
        out.write(BINPERSID);
        shared.put(storage, put());
    }

    private void integers(int[] values) {
        out.write(MARK);
        for (long value : Shape.toLongs(values)) {
            integer(value);
        }
        out.write(TUPLE);
    }

    private void integer(long value) {
        if (value >= 0 && value <= 0xFF) {
            out.write(BININT1);
            littleEndian(value, 1);
        } else if (value >= 0 && value <= 0xFFFF) {
            out.write(BININT2);
            littleEndian(value, 2);
        } else if (value == (int) value) {
            out.write(BININT);
            littleEndian(value, 4);
        } else {
            out.write(LONG1);
            out.write(8);
            littleEndian(value, 8);
        }
    }

    private void real(double value) {
        out.write(BINFLOAT);
        littleEndian(Long.reverseBytes(Double.doubleToRawLongBits(value)), 8);
    }

    private void string(String value) {
        Integer index = strings.get(value);
        if (index != null) {
            get(index);
            return;
        }
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        out.write(BINUNICODE);
        littleEndian(utf8.length, 4);
        out.write(utf8, 0, utf8.length);
        strings.put(value, put());
    }

    private void scriptGlobal(String className) {
        int dot = className.lastIndexOf('.');
        if (dot < 0 || !className.startsWith("__torch__")) {
            throw new ArchiveException("class: " + className + " (expected: a name under __torch__)");
        }
        global(className.substring(0, dot), className.substring(dot + 1));
    }

    private void global(String module, String name) {
        String key = module + "\n" + name + "\n";
        Integer index = globals.get(key);
        if (index != null) {
            get(index);
            return;
        }
        out.write(GLOBAL);
        byte[] utf8 = key.getBytes(StandardCharsets.UTF_8);
        out.write(utf8, 0, utf8.length);
        globals.put(key, put());
    }

    private int put() {
        int index = memoSize++;
        if (index <= 0xFF) {
            out.write(BINPUT);
            out.write(index);
        } else {
            out.write(LONG_BINPUT);
            littleEndian(index, 4);
        }
        return index;
    }

    private void get(int index) {
        if (index <= 0xFF) {
            out.write(BINGET);
            out.write(index);
        } else {
            out.write(LONG_BINGET);
            littleEndian(index, 4);
        }
    }

    private void littleEndian(long value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            out.write((int) (value >>> 8 * i));
        }
    }
}
