package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling.Kind;
import org.torchnnapi.kernels.Pooling.Window;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedPoolOpTest {
    private static final int BATCH = 2;

    @ParameterizedTest
    @EnumSource
    void windows(Kind kind) {
        for (ImageLayout order : Images.ORDERS) {
            for (Window window : PoolOpTest.WINDOWS) {
                for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
                    for (Rounding rounding : Rounding.values()) {
                        check(kind, order, window, quantization, rounding, false);
                        check(kind, order, window, quantization, rounding, true);
                    }
                }
            }
        }
    }

    private static void check(
            Kind kind,
            ImageLayout order,
            Window window,
            ByteQuantization quantization,
            Rounding rounding,
            boolean aboveZero) {
        Images images = new Images(order, BATCH, window.channels(), window.inH(), window.inW());
        ValueType type = ValueType.bytes(quantization, images.shape());
        boolean signed = quantization.element().isSigned();
        int zero = quantization.zeroPoint();
        int low = quantization.element().min() + 20;
        int high = quantization.element().max() - 30;
        byte[] in = ByteOps.random(new Random(5), type);
        byte[] expected = new byte[BATCH * window.channels() * window.outH() * window.outW()];
        PoolOpTest.each(window, order, BATCH, kind, (out, read, divisor) -> {
            int sum = 0;
            int greatest = Integer.MIN_VALUE;
            for (int at : read) {
                int value = signed ? in[at] : in[at] & 0xff;
                sum += value;
                greatest = Math.max(greatest, value);
            }
            // Padding that counts is the zero point.
            sum += (divisor - read.length) * zero;
            int mean = aboveZero
                    ? rounding.quotient(sum - divisor * zero, divisor) + zero
                    : rounding.quotient(sum, divisor);
            expected[out] = (byte) Math.min(Math.max(kind == Kind.MAX ? greatest : mean, low), high);
        });
        QuantizedPoolOp pool = new QuantizedPoolOp(kind, window, order, rounding, aboveZero, low, high);
        assertArrayEquals(
                expected,
                ByteOps.run(pool, type, in),
                order + " " + window + " " + quantization + " " + rounding + " " + aboveZero);
    }

    @Test
    void checksItsArguments() {
        QuantizedPoolOp pool = new QuantizedPoolOp(
                Kind.MAX, PoolOpTest.WINDOWS[0], ImageLayout.NHWC, Rounding.HALF_AWAY, false, 0, 255);
        assertThrows(IllegalArgumentException.class, () -> pool.result(List.of(ValueType.floats(1, 5, 4, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> pool.result(List.of(ValueType.bytes(ByteOps.QUANTIZATIONS[0], 1, 3, 5, 4))));
    }
}
