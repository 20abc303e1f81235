package org.torchnnapi.torchscript.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.pickle.NibbleStorage;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledEnum;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/**
 * Modules for the lite interpreter as FlatBuffers (identifier {@code PTMF}, byte code version 9; the schema is
 * PyTorch's torch/csrc/jit/serialization/mobile_bytecode.fbs). They hold what a {@code .ptl} archive holds, and are
 * rewritten as one.
 */
final class FlatbufferModule {
    private static final byte[] IDENTIFIER = FlatbufferSchema.IDENTIFIER.getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_DEPTH = 100;

    private final FlatBuffer buffer;
    private final FlatBuffer.Table module;
    private final FlatBuffer.Vector values;
    private final FlatBuffer.Vector types;
    private final FlatBuffer.Vector storages;
    private final Map<Integer, Object> done = new HashMap<>();
    /** How many values one stands for wherever it is used again: what a list or tuple holds is written each time. */
    private final Map<Integer, Long> expanded = new HashMap<>();

    private long valuesMade;
    private final Map<String, Storage> storagesDone = new HashMap<>();

    private FlatbufferModule(FlatBuffer buffer) {
        this.buffer = buffer;
        module = buffer.root();
        values = module.vector(4, 4);
        storages = module.vector(6, 4);
        types = module.vector(7, 4);
    }

    /** Whether the bytes say that they are such a module. */
    static boolean isFlatbuffer(ByteBuffer bytes) {
        if (bytes.remaining() < 12) {
            return false;
        }
        for (int i = 0; i < IDENTIFIER.length; i++) {
            if (bytes.get(bytes.position() + 4 + i) != IDENTIFIER[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * The same module as a zip archive with byte code.
     *
     * @throws ArchiveException if the FlatBuffer is damaged
     */
    static byte[] toArchive(ByteBuffer bytes, ReadBudget budget) {
        try {
            return new FlatbufferModule(new FlatBuffer(bytes, budget)).archive();
        } catch (IndexOutOfBoundsException e) {
            throw new ArchiveException(
                    "flatbuffer: " + e.getMessage() + " (expected: offsets inside the file's " + bytes.remaining()
                            + " bytes)",
                    e);
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new ArchiveException("flatbuffer: " + e.getMessage(), e);
        }
    }

    private byte[] archive() {
        long version = module.integer(0, 0);
        int operators = module.integer(10, TorchScriptArchive.MAX_VERSION);
        ArchiveWriter writer = new ArchiveWriter(
                "module",
                Math.max(TorchScriptArchive.MIN_VERSION, Math.min(TorchScriptArchive.MAX_VERSION, operators)));
        FlatBuffer.Vector extra = module.vector(1, 4);
        for (int i = 0; i < extra.size(); i++) {
            writer.extra(extra.table(i).string(0), extra.table(i).bytes(1));
        }
        writer.data(value(module.integer(3, 0), 0));
        List<Object> bytecode = new ArrayList<>();
        bytecode.add(version);
        for (int i = 0; i < values.size(); i++) {
            if (values.table(i).unsignedByte(0) == FlatbufferSchema.FUNCTION) {
                bytecode.add(function(values.table(i).required(1)));
            }
        }
        writer.bytecode(new ScriptTuple(bytecode, null));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writer.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** A value by its number; one that is used twice is one object. */
    private Object value(int index, int depth) {
        if (depth > MAX_DEPTH) {
            throw new ArchiveException(
                    "flatbuffer: values nested deeper than " + MAX_DEPTH + " (expected: at most that)");
        }
        if (done.containsKey(index)) {
            make(expanded.get(index));
            return done.get(index);
        }
        long before = valuesMade;
        make(1);
        FlatBuffer.Table holder = values.table(index);
        int kind = holder.unsignedByte(0);
        Object value = switch (kind) {
            case FlatbufferSchema.NONE -> null;
            case FlatbufferSchema.INT -> holder.struct(1, 8).getLong(0);
            case FlatbufferSchema.BOOL -> holder.struct(1, 1).get(0) != 0;
            case FlatbufferSchema.DOUBLE -> holder.struct(1, 8).getDouble(0);
            case FlatbufferSchema.COMPLEX ->
                new Complex(
                        holder.struct(1, 16).getDouble(0), holder.struct(1, 16).getDouble(8));
            case FlatbufferSchema.TENSOR -> tensor(holder.required(1), 0);
            case FlatbufferSchema.STRING -> holder.required(1).string(0);
            case FlatbufferSchema.DEVICE -> TorchDevice.parse(holder.required(1).string(0));
            case FlatbufferSchema.FUNCTION -> null;
            default -> container(kind, holder.required(1), depth);
        };
        done.put(index, value);
        expanded.put(index, value instanceof PickledObject ? 1 : valuesMade - before);
        return value;
    }

    private void make(long count) {
        buffer.charge(count);
        valuesMade += count;
    }

    private Object container(int kind, FlatBuffer.Table table, int depth) {
        return switch (kind) {
            case FlatbufferSchema.LIST ->
                new PickledList(annotation(table.string(1)), items(table.vector(0, 4), depth));
            case FlatbufferSchema.TUPLE -> new ScriptTuple(items(table.vector(0, 4), depth), null);
            case FlatbufferSchema.DICT -> {
                PickledDict dict = new PickledDict(annotation(table.string(2)));
                List<Object> keys = items(table.vector(0, 4), depth);
                List<Object> entries = items(table.vector(1, 4), depth);
                for (int i = 0; i < Math.min(keys.size(), entries.size()); i++) {
                    dict.put(keys.get(i), entries.get(i));
                }
                yield dict;
            }
            case FlatbufferSchema.OBJECT -> object(table, depth);
            case FlatbufferSchema.INT_LIST -> numbers("List[int]", table.vector(0, 8));
            case FlatbufferSchema.DOUBLE_LIST -> numbers("List[float]", table.vector(0, 8));
            case FlatbufferSchema.BOOL_LIST -> numbers("List[bool]", table.vector(0, 1));
            case FlatbufferSchema.ENUM -> new PickledEnum(table.string(0), value(table.integer(1, 0), depth + 1));
            default -> throw new ArchiveException("flatbuffer: value of kind " + kind + " (expected: 0 to 16)");
        };
    }

    private static String annotation(String text) {
        return text.isEmpty() ? null : text;
    }

    private List<Object> items(FlatBuffer.Vector indexes, int depth) {
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < indexes.size(); i++) {
            items.add(value(indexes.integer(i), depth + 1));
        }
        return items;
    }

    private static PickledList numbers(String type, FlatBuffer.Vector vector) {
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < vector.size(); i++) {
            ByteBuffer element = vector.struct(i);
            items.add(
                    switch (type) {
                        case "List[int]" -> element.getLong(0);
                        case "List[float]" -> (Object) element.getDouble(0);
                        default -> element.get(0) != 0;
                    });
        }
        return new PickledList(type, items);
    }

    private PickledObject object(FlatBuffer.Table table, int depth) {
        FlatBuffer.Table type = types.table(table.integer(0, 0));
        String name = type.string(0);
        int kind = type.unsignedByte(1);
        if (kind != FlatbufferSchema.CLASS_WITH_FIELD) {
            String qualified = kind == FlatbufferSchema.CUSTOM_CLASS && !name.startsWith("__torch__.")
                    ? "__torch__." + name
                    : name;
            return new PickledObject(qualified, value(table.integer(1, 0), depth + 1));
        }
        FlatBuffer.Vector names = type.vector(2, 4);
        List<Object> attributes = items(table.vector(2, 4), depth);
        PickledDict state = new PickledDict(null);
        for (int i = 0; i < Math.min(names.size(), attributes.size()); i++) {
            state.put(names.string(i), attributes.get(i));
        }
        return new PickledObject(name, state);
    }

    private Tensor tensor(FlatBuffer.Table table, int depth) {
        DType dtype = DType.ofCode(table.unsignedByte(1));
        int storageIndex = table.integer(0, 0);
        Storage storage = storagesDone.computeIfAbsent(
                storageIndex + " " + dtype,
                key -> Storage.ofBytes(
                        dtype, storages.table(storageIndex).vector(0, 1).all()));
        FlatBuffer.Table quantized = table.table(6);
        Quantization quantization = quantized == null || depth > 0 ? null : quantization(quantized);
        int[] sizes = table.vector(3, 4).integers();
        int[] strides = table.vector(4, 4).integers();
        Storage elements =
                dtype == DType.QUINT4X2 ? NibbleStorage.unpack(storage, table.integer(2, 0), sizes, strides) : storage;
        return new Tensor(elements, table.integer(2, 0), sizes, strides, quantization)
                .requiresGrad(table.unsignedByte(5) != 0);
    }

    private Quantization quantization(FlatBuffer.Table table) {
        int scheme = table.unsignedByte(0);
        if (scheme == FlatbufferSchema.PER_TENSOR) {
            return new Quantization.PerTensor(table.real(1), table.integer(2, 0));
        }
        if (scheme != FlatbufferSchema.PER_CHANNEL && scheme != FlatbufferSchema.PER_CHANNEL_FLOAT) {
            throw new ArchiveException("flatbuffer: quantization scheme " + scheme + " (expected: 0, 1 or 4)");
        }
        return new Quantization.PerChannel(
                reals(tensor(table.required(3), 1)),
                reals(tensor(table.required(4), 1)),
                table.integer(5, 0),
                scheme == FlatbufferSchema.PER_CHANNEL_FLOAT);
    }

    private double[] reals(Tensor tensor) {
        buffer.charge(tensor.numel());
        double[] all = new double[Shape.arrayLength("quantization parameters", tensor.numel())];
        for (int i = 0; i < all.length; i++) {
            all[i] = tensor.getDouble(i);
        }
        return all;
    }

    /** A function in the form {@code bytecode.pkl} has. */
    private ScriptTuple function(FlatBuffer.Table table) {
        List<Object> instructions = new ArrayList<>();
        FlatBuffer.Vector code = table.vector(1, 8);
        for (int i = 0; i < code.size(); i++) {
            ByteBuffer instruction = code.struct(i);
            int op = Byte.toUnsignedInt(instruction.get(0));
            String opcode = FlatbufferSchema.opcode(op);
            if (opcode == null) {
                throw new ArchiveException(
                        "flatbuffer: opcode " + op + " (expected: 0 to " + (FlatbufferSchema.opcodes() - 1) + ")");
            }
            instructions.add(ScriptTuple.of(
                    opcode, (long) instruction.getInt(4), (long) Short.toUnsignedInt(instruction.getShort(2))));
        }
        List<Object> operators = new ArrayList<>();
        FlatBuffer.Vector names = table.vector(2, 4);
        for (int i = 0; i < names.size(); i++) {
            FlatBuffer.Table name = names.table(i);
            operators.add(ScriptTuple.of(name.string(0), name.string(1), (long) name.integer(2, -1)));
        }
        List<Object> annotations = new ArrayList<>();
        FlatBuffer.Vector texts = table.vector(4, 4);
        for (int i = 0; i < texts.size(); i++) {
            annotations.add(texts.string(i));
        }
        ScriptTuple body = ScriptTuple.of(
                pair("instructions", tuple(instructions)),
                pair("operators", tuple(operators)),
                pair("constants", tuple(items(table.vector(3, 4), 0))),
                pair("types", tuple(annotations)),
                pair("register_size", (long) table.integer(5, 0)));
        FlatBuffer.Table schema = table.table(6);
        if (schema == null) {
            throw new ArchiveException("flatbuffer: function " + table.string(0) + " without schema (expected: one)");
        }
        return ScriptTuple.of(
                table.string(0),
                body,
                ScriptTuple.of(
                        pair("arguments", arguments(schema.vector(0, 4))),
                        pair("returns", arguments(schema.vector(1, 4)))));
    }

    private ScriptTuple arguments(FlatBuffer.Vector vector) {
        List<Object> arguments = new ArrayList<>();
        for (int i = 0; i < vector.size(); i++) {
            FlatBuffer.Table argument = vector.table(i);
            arguments.add(ScriptTuple.of(
                    pair("name", argument.string(0)),
                    pair("type", argument.string(1)),
                    pair("default_value", value(argument.integer(2, 0), 0))));
        }
        return tuple(arguments);
    }

    private static ScriptTuple pair(String key, Object value) {
        return ScriptTuple.of(key, value);
    }

    private static ScriptTuple tuple(List<Object> items) {
        return new ScriptTuple(items, null);
    }
}
