package org.torchnnapi.testkit.captured;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeParser;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Reads values of captured calls: a byte says the kind, and what follows it is little endian. */
final class CapturedValues {
    /** A value of a kind that has no written form, such as an object of a class. */
    record Opaque(String text) {}

    private static final int MAX_DEPTH = 100;
    private final ByteBuffer bytes;

    CapturedValues(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean hasMore() {
        return bytes.hasRemaining();
    }

    /** The byte that says what became of a call. */
    char status() {
        return (char) bytes.get();
    }

    /** What follows in a frame of its own length. */
    byte[] frame() throws IOException {
        byte[] frame = new byte[count(bytes.remaining() - Integer.BYTES)];
        bytes.get(frame);
        return frame;
    }

    /**
     * The next value.
     *
     * @param declared the type that whoever takes it declares, or null
     * @throws IOException if the bytes are no value
     */
    Object value(Type declared) throws IOException {
        return value(declared, 0);
    }

    private Object value(Type declared, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IOException(
                    "value: nested more than " + MAX_DEPTH + " levels deep (expected: a value of a call)");
        }
        Type wanted = declared instanceof Type.OptionalType optional ? optional.element() : declared;
        char kind = (char) bytes.get();
        return switch (kind) {
            case 'N' -> null;
            case '?' -> bytes.get() != 0;
            case 'I' -> integer(bytes.getLong(), wanted);
            case 'D' -> bytes.getDouble();
            case 'C' -> new Complex(bytes.getDouble(), bytes.getDouble());
            case 'S' -> text();
            case 'V' -> TorchDevice.parse(text());
            case 'O' -> new Opaque(text());
            case 'T' -> tensor();
            case 'L' -> {
                Type said = type(text());
                ScriptList list = new ScriptList(wanted instanceof Type.ListType type ? type.element() : said);
                for (int left = count(bytes.remaining()); left > 0; left--) {
                    list.items().add(value(list.elementType(), depth + 1));
                }
                yield list;
            }
            case 'U' -> {
                int size = count(bytes.remaining());
                Type.TupleType type = wanted instanceof Type.TupleType tuple
                                && tuple.elements().size() == size
                        ? tuple
                        : null;
                List<Object> items = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    items.add(value(type == null ? null : type.elements().get(i), depth + 1));
                }
                yield new ScriptTuple(items, type != null && type.name() != null ? type : null);
            }
            case 'M' -> {
                Type key = type(text());
                Type value = type(text());
                ScriptDict dict = wanted instanceof Type.DictType type
                        ? new ScriptDict(type.key(), type.value())
                        : new ScriptDict(key, value);
                for (int left = count(bytes.remaining()); left > 0; left--) {
                    Object name = value(dict.keyType(), depth + 1);
                    dict.items().put(name, value(dict.valueType(), depth + 1));
                }
                yield dict;
            }
            default ->
                throw new IOException("value: begins with '" + kind + "' (expected: one of N ? I D C S V O T L U M)");
        };
    }

    private static Object integer(long value, Type wanted) {
        return wanted == Type.Basic.FLOAT ? (Object) (double) value : (Object) value;
    }

    /** Types of the file's own classes are not told apart: a list of them says nothing that its elements do not. */
    private static Type type(String text) {
        return TypeParser.parse(text, name -> Type.Basic.ANY);
    }

    private int count(int most) throws IOException {
        int count = bytes.getInt();
        if (count < 0 || count > most) {
            throw new IOException("count: " + count + " (expected: 0 to " + most + ", the bytes there are)");
        }
        return count;
    }

    private String text() throws IOException {
        byte[] text = frame();
        StringBuilder out = new StringBuilder();
        // Lone surrogates have three bytes each, which the JDK's decoder does not take.
        for (int i = 0; i < text.length; ) {
            int first = text[i] & 0xff;
            int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
            int point = more == 0 ? first : first & (0x3f >> more);
            for (int k = 1; k <= more; k++) {
                point = point << 6 | text[i + k] & 0x3f;
            }
            out.appendCodePoint(point);
            i += more + 1;
        }
        return out.toString();
    }

    private Tensor tensor() throws IOException {
        DType dtype = DType.ofCode(bytes.get());
        byte format = bytes.get();
        int[] sizes = new int[bytes.get()];
        for (int d = 0; d < sizes.length; d++) {
            sizes[d] = Math.toIntExact(bytes.getLong());
        }
        Quantization quantization = dtype.isQuantized() ? quantization() : null;
        long length = bytes.getLong();
        long numel = Shape.numel(sizes);
        if (length != numel * dtype.bytes() || length > bytes.remaining()) {
            throw new IOException("tensor: " + length + " bytes for " + Arrays.toString(sizes) + " " + dtype.torchName()
                    + " (expected: " + numel * dtype.bytes() + ")");
        }
        byte[] data = new byte[(int) length];
        bytes.get(data);
        Tensor tensor = new Tensor(
                Storage.ofBytes(dtype, ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN)),
                0,
                sizes,
                Shape.contiguousStrides(sizes),
                quantization);
        return switch (format) {
            case 1 -> tensor.copy(MemoryFormat.CHANNELS_LAST);
            case 2 -> tensor.copy(MemoryFormat.CHANNELS_LAST_3D);
            default -> tensor;
        };
    }

    private Quantization quantization() {
        byte scheme = bytes.get();
        if (scheme == 0) {
            return new Quantization.PerTensor(bytes.getDouble(), Math.toIntExact(bytes.getLong()));
        }
        int axis = Math.toIntExact(bytes.getLong());
        int count = Math.toIntExact(bytes.getLong());
        double[] scales = new double[count];
        Arrays.setAll(scales, i -> bytes.getDouble());
        double[] zeroPoints = new double[count];
        Arrays.setAll(zeroPoints, i -> bytes.getDouble());
        return new Quantization.PerChannel(scales, zeroPoints, axis, scheme == 2);
    }
}
