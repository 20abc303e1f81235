package org.torchnnapi.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/** Inputs of ones, as {@code speed_benchmark_torch} makes them from its flags. */
final class BenchInputs {
    private static final long MAX_ELEMENTS = 1L << 30;

    private BenchInputs() {}

    /** Whether any flag says what the inputs are, rightly or not. */
    static boolean areDescribed(BenchFlags flags) {
        return flags.bool("no_inputs")
                || flags.integer("use_bundled_input") >= 0
                || !flags.string("input_dims").isEmpty()
                || !flags.string("input_type").isEmpty();
    }

    /** @throws CommandFailure in speed_benchmark_torch's words where the flags do not describe inputs */
    static List<Object> create(BenchFlags flags) {
        if (flags.bool("no_inputs") || flags.integer("use_bundled_input") >= 0) {
            return List.of();
        }
        require(!flags.string("input_dims").isEmpty(), "Input dims must be specified.");
        require(!flags.string("input_type").isEmpty(), "Input type must be specified.");
        List<String> dims = split(flags.string("input_dims"), ";");
        List<String> types = split(flags.string("input_type"), ";");
        List<String> formats = split(flags.string("input_memory_format"), ";");
        require(dims.size() == types.size(), "Input dims and type should have the same number of items.");
        // The single default format stands for all inputs.
        if (formats.size() == 1 && dims.size() > 1) {
            formats = Collections.nCopies(dims.size(), formats.get(0));
        }
        require(dims.size() == formats.size(), "Input dims and format should have the same number of items.");
        List<Object> inputs = new ArrayList<>();
        for (int i = 0; i < dims.size(); i++) {
            inputs.add(ones(sizes(dims.get(i)), type(types.get(i)), formats.get(i)));
        }
        if (flags.integer("pytext_len") > 0) {
            inputs.add(Tensor.of(new long[] {flags.integer("pytext_len")}, 1));
        }
        return inputs;
    }

    private static Tensor ones(int[] sizes, DType type, String format) {
        MemoryFormat memoryFormat = switch (format) {
            case "channels_last" -> {
                require(sizes.length == 4, "channels_last memory format only available on 4D tensors!");
                yield MemoryFormat.CHANNELS_LAST;
            }
            case "contiguous_format" -> MemoryFormat.CONTIGUOUS;
            default -> throw new CommandFailure("Unsupported input memory format: " + format);
        };
        long count = Shape.numel(sizes);
        require(
                count <= MAX_ELEMENTS,
                "input_dims: " + Arrays.toString(sizes) + " (expected: at most " + MAX_ELEMENTS + " elements)");
        Tensor tensor = Tensor.empty(type, memoryFormat, sizes);
        Object array = tensor.storage().array();
        if (array instanceof float[] a) {
            Arrays.fill(a, 1);
        } else if (array instanceof byte[] a) {
            Arrays.fill(a, (byte) 1);
        } else {
            Arrays.fill((long[]) array, 1);
        }
        return tensor;
    }

    private static int[] sizes(String text) {
        List<String> parts = split(text, ",");
        int[] sizes = new int[parts.size()];
        for (int i = 0; i < sizes.length; i++) {
            try {
                sizes[i] = Integer.parseInt(Strings.strip(parts.get(i)));
            } catch (NumberFormatException e) {
                throw new CommandFailure(
                        "input_dims: " + text + " (expected: comma separated whole numbers, such as 1,3,224,224)", e);
            }
            require(sizes[i] >= 0, "input_dims: " + text + " (expected: dimensions >= 0)");
        }
        return sizes;
    }

    private static DType type(String text) {
        return switch (text) {
            case "float", "float32" -> DType.FLOAT32;
            case "uint8_t", "uint8" -> DType.UINT8;
            case "int64" -> DType.INT64;
            default -> throw new CommandFailure("Unsupported input type: " + text);
        };
    }

    private static List<String> split(String text, String separator) {
        return Arrays.stream(text.split(separator))
                .filter(piece -> !piece.isEmpty())
                .collect(Streams.toList());
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new CommandFailure(message);
        }
    }
}
