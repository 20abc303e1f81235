package org.torchnnapi.program.op;

import java.util.List;
import java.util.Random;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;

/** Runs an operation over bytes as a program of its own. */
final class ByteOps {
    static final ByteQuantization[] QUANTIZATIONS = {
        new ByteQuantization(Element.UINT8, 0.07f, 117),
        new ByteQuantization(Element.INT8, 0.013f, -9),
        new ByteQuantization(Element.UINT8, 1.5f, 0)
    };

    private ByteOps() {}

    static byte[] random(Random random, ValueType type) {
        byte[] bytes = new byte[type.count()];
        random.nextBytes(bytes);
        return bytes;
    }

    static byte[] run(Op op, ValueType type, byte[] in) {
        return (byte[]) Ops.run(op, List.of(type), in);
    }

    /** The number that a byte stands for, as a float. */
    static float real(ByteQuantization quantization, byte value) {
        return ((quantization.element().isSigned() ? value : value & 0xff) - quantization.zeroPoint())
                * quantization.scale();
    }

    /** The byte that stands for the nearest number, halves to even. */
    static byte nearest(ByteQuantization quantization, float value) {
        double steps = Math.rint((double) value / quantization.scale()) + quantization.zeroPoint();
        return (byte) Math.min(
                Math.max(steps, quantization.element().min()),
                quantization.element().max());
    }
}
