package org.torchnnapi.testkit.torch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.WholeFile;

/** NumPy's .npy files (format 1 and 2, little endian, C order). */
public final class Npy {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final Pattern DESCRIPTION = Pattern.compile("'descr':\\s*'([^']*)'");
    private static final Pattern ORDER = Pattern.compile("'fortran_order':\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape':\\s*\\(([0-9,\\s]*+)\\)");
    /** As many as NumPy itself takes. */
    private static final int MAX_DIMENSIONS = 64;

    private static final Map<String, DType> TYPES = Map.ofEntries(
            Map.entry("|u1", DType.UINT8),
            Map.entry("|i1", DType.INT8),
            Map.entry("|b1", DType.BOOL),
            Map.entry("<i2", DType.INT16),
            Map.entry("<i4", DType.INT32),
            Map.entry("<i8", DType.INT64),
            Map.entry("<f2", DType.FLOAT16),
            Map.entry("<f4", DType.FLOAT32),
            Map.entry("<f8", DType.FLOAT64),
            Map.entry("<c8", DType.COMPLEX64),
            Map.entry("<c16", DType.COMPLEX128));

    private Npy() {}

    /** @throws IllegalArgumentException if the file is damaged or of an element type without a tensor type */
    public static Tensor read(Path file) throws IOException {
        return read(file, null);
    }

    /**
     * Reads a file whose elements are the representation of another type of the same size, such as uint16 for bfloat16.
     *
     * @param dtype the tensor's type, or null for the file's own
     */
    public static Tensor read(Path file, DType dtype) throws IOException {
        return read(file.toString(), Files.readAllBytes(file), dtype);
    }

    /**
     * An array that is in memory.
     *
     * @param file what messages call it
     * @param dtype the tensor's type, or null for the array's own
     * @throws IllegalArgumentException as {@link #read(Path)} does
     */
    public static Tensor read(String file, byte[] content, DType dtype) {
        ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < 12 || !Buffers.slice(bytes, 0, 6).equals(ByteBuffer.wrap(MAGIC))) {
            throw new IllegalArgumentException(file + ": no NumPy header (expected: a .npy file)");
        }
        boolean wide = bytes.get(6) > 1;
        int start = wide ? 12 : 10;
        int length = wide ? bytes.getInt(8) : bytes.getShort(8) & 0xFFFF;
        if (length < 0 || length > bytes.limit() - start) {
            throw new IllegalArgumentException(file + ": header of " + length + " bytes (expected: within the file)");
        }
        String header = StandardCharsets.ISO_8859_1
                .decode(Buffers.slice(bytes, start, length))
                .toString();
        String description = group(DESCRIPTION, "'descr': '<f4'", header, file);
        if (group(ORDER, "'fortran_order': False", header, file).equals("True")) {
            throw new IllegalArgumentException(
                    file + ": Fortran order (expected: C order; save np.ascontiguousarray(a))");
        }
        DType type = dtype != null ? dtype : TYPES.get(description);
        if (type == null) {
            throw new IllegalArgumentException(file + ": element type " + Strings.shown(description)
                    + " (expected: one of " + new TreeSet<>(TYPES.keySet()) + ")");
        }
        String dimensions = Strings.strip(group(SHAPE, "'shape': (2, 3)", header, file));
        int[] sizes = sizes(dimensions, file);
        ByteBuffer data = Buffers.slice(bytes, start + length, bytes.limit() - start - length);
        if (data.remaining() != bytes(sizes, type, file)) {
            throw new IllegalArgumentException(file + ": " + data.remaining() + " bytes of data (expected: "
                    + Arrays.toString(sizes) + " of " + type.bytes() + " bytes)");
        }
        return new Tensor(Storage.ofBytes(type, data), 0, sizes, Shape.contiguousStrides(sizes), null);
    }

    /** Writes a tensor's elements in logical order; quantized ones as their integers, bfloat16 as uint16. */
    public static void write(Path file, Tensor tensor) throws IOException {
        String type = switch (tensor.dtype()) {
            case QUINT8 -> "|u1";
            case QINT8 -> "|i1";
            case QINT32 -> "<i4";
            case BFLOAT16 -> "<u2";
            default ->
                TYPES.entrySet().stream()
                        .filter(e -> e.getValue() == tensor.dtype())
                        .findFirst()
                        .orElseThrow()
                        .getKey();
        };
        String shape =
                Arrays.stream(tensor.sizes()).mapToObj(size -> size + ",").collect(Collectors.joining(" ", "(", ")"));
        String header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
        int padded = (header.length() + 1 + 10 + 63) / 64 * 64 - 10;
        header += " ".repeat(padded - header.length() - 1) + "\n";
        ByteBuffer data = tensor.copy(MemoryFormat.CONTIGUOUS).storage().toBytes();
        ByteBuffer out = ByteBuffer.allocate(10 + padded + data.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        out.put(MAGIC)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) padded)
                .put(header.getBytes(StandardCharsets.ISO_8859_1))
                .put(data);
        WholeFile.write(file, stream -> stream.write(out.array()));
    }

    private static int[] sizes(String dimensions, String file) {
        int[] sizes = new int[MAX_DIMENSIONS];
        int count = 0;
        int end;
        for (int from = 0; from < dimensions.length(); from = end + 1) {
            if (count == MAX_DIMENSIONS) {
                throw new IllegalArgumentException(
                        file + ": more dimensions (expected: at most " + MAX_DIMENSIONS + ")");
            }
            int comma = dimensions.indexOf(',', from);
            end = comma < 0 ? dimensions.length() : comma;
            sizes[count++] = size(Strings.strip(dimensions.substring(from, end)), file);
        }
        return Arrays.copyOf(sizes, count);
    }

    private static int size(String text, String file) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    file + ": size " + Strings.shown(text) + " (expected: at most " + Integer.MAX_VALUE + ")", e);
        }
    }

    private static long bytes(int[] sizes, DType type, String file) {
        try {
            return Math.multiplyExact(Shape.numel(sizes), type.bytes());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    file + ": shape " + Arrays.toString(sizes) + " (expected: as many elements as the file has)", e);
        }
    }

    private static String group(Pattern pattern, String example, String header, String file) {
        Matcher matcher = pattern.matcher(header);
        if (!matcher.find()) {
            throw new IllegalArgumentException(file + ": header \"" + Strings.shown(Strings.strip(header))
                    + "\" (expected: a part like " + example + ")");
        }
        return matcher.group(1);
    }
}
