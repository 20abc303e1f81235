package org.torchnnapi.operators.builtin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/** {@code hash(value)} as PyTorch has it on Linux, where libstdc++ hashes bytes by Appleby's MurmurHash64A. */
final class Hashes {
    private static final long SEED = 0xc70f6907L;
    private static final long FACTOR = 0xc6a4a7935bd1e995L;
    private static final int SHIFT = 47;

    /** Kinds of devices by PyTorch's number of them (c10/core/DeviceType.h). */
    private static final List<String> DEVICES = List.of(
            "cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "ort", "xla", "vulkan", "metal", "xpu",
            "mps", "meta", "hpu", "ve", "lazy", "ipu");

    private Hashes() {}

    static long of(Object value) {
        if (value instanceof Long whole) {
            return whole;
        }
        if (value instanceof Boolean flag) {
            return flag ? 1 : 0;
        }
        if (value instanceof Double number) {
            return number == 0
                    ? 0
                    : murmur(ByteBuffer.allocate(Double.BYTES)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putDouble(number)
                            .array());
        }
        if (value instanceof String text) {
            return murmur(text.getBytes(StandardCharsets.UTF_8));
        }
        if (value instanceof TorchDevice device) {
            return (long) DEVICES.indexOf(device.type()) << 16 | device.index() & 0xff;
        }
        if (value instanceof ScriptTuple tuple) {
            return combined(tuple.items());
        }
        if (value instanceof ScriptList || value instanceof ScriptDict) {
            throw new IllegalArgumentException("unhashable type: " + (value instanceof ScriptList ? "List" : "Dict")
                    + " (expected: what may be a key)");
        }
        return value == null ? 0 : System.identityHashCode(value);
    }

    /** As Boost combines hashes. */
    private static long combined(List<Object> items) {
        long seed = 0;
        for (Object item : items) {
            seed ^= of(item) + 0x9e3779b9L + (seed << 6) + (seed >>> 2);
        }
        return seed;
    }

    private static long murmur(byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long hash = SEED ^ bytes.length * FACTOR;
        while (words.remaining() >= Long.BYTES) {
            hash = (hash ^ mixed(words.getLong() * FACTOR) * FACTOR) * FACTOR;
        }
        if (words.hasRemaining()) {
            long rest = 0;
            for (int i = 0; words.hasRemaining(); i += Byte.SIZE) {
                rest |= (words.get() & 0xffL) << i;
            }
            hash = (hash ^ rest) * FACTOR;
        }
        hash = mixed(hash) * FACTOR;
        return mixed(hash);
    }

    private static long mixed(long value) {
        return value ^ value >>> SHIFT;
    }
}
