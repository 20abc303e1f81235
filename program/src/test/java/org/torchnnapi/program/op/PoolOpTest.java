package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling.Kind;
import org.torchnnapi.kernels.Pooling.Window;
import org.torchnnapi.program.ValueType;

class PoolOpTest {
    private static final int BATCH = 2;
    static final Window[] WINDOWS = {
        window(3, 5, 4, 2, 2, 0),
        window(17, 7, 7, 3, 2, 1),
        window(16, 6, 9, 3, 1, 1),
        window(5, 4, 4, 4, 4, 0),
        // Ceil mode: the last windows begin inside the image and end behind it.
        new Window(4, 6, 6, 3, 3, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0),
        Window.adaptive(17, 7, 5, 3, 8)
    };

    private static Window window(int channels, int height, int width, int kernel, int stride, int pad) {
        return new Window(
                channels,
                height,
                width,
                (height + 2 * pad - kernel) / stride + 1,
                (width + 2 * pad - kernel) / stride + 1,
                kernel,
                kernel,
                stride,
                stride,
                1,
                1,
                pad,
                pad,
                pad,
                pad);
    }

    /** The elements that a window of one output element reads. */
    interface Elements {
        /** @param divisor by which an average divides their sum */
        void of(int out, int[] in, int divisor);
    }

    static void each(Window w, ImageLayout order, int batch, Kind kind, Elements elements) {
        Images from = new Images(order, batch, w.channels(), w.inH(), w.inW());
        Images to = new Images(order, batch, w.channels(), w.outH(), w.outW());
        for (int image = 0; image < batch; image++) {
            for (int channel = 0; channel < w.channels(); channel++) {
                for (int oy = 0; oy < w.outH(); oy++) {
                    for (int ox = 0; ox < w.outW(); ox++) {
                        int[] in = new int[w.kernelH() * w.kernelW()];
                        int inside = 0;
                        int padded = 0;
                        for (int tap = 0; tap < in.length; tap++) {
                            int top = w.adaptive() ? oy * w.inH() / w.outH() : oy * w.strideH() - w.padTop();
                            int left = w.adaptive() ? ox * w.inW() / w.outW() : ox * w.strideW() - w.padLeft();
                            int y = top + tap / w.kernelW();
                            int x = left + tap % w.kernelW();
                            if (w.adaptive()
                                    && (y * w.outH() >= (oy + 1) * w.inH() || x * w.outW() >= (ox + 1) * w.inW())) {
                                continue;
                            }
                            padded += y < w.inH() + w.padBottom() && x < w.inW() + w.padRight() ? 1 : 0;
                            if (y >= 0 && x >= 0 && y < w.inH() && x < w.inW()) {
                                in[inside++] = from.at(image, channel, y, x);
                            }
                        }
                        elements.of(
                                to.at(image, channel, oy, ox),
                                Arrays.copyOf(in, inside),
                                kind == Kind.AVERAGE_WITH_PADDING ? padded : inside);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void windows(Kind kind) {
        for (ImageLayout order : Images.ORDERS) {
            for (Window window : WINDOWS) {
                Images images = new Images(order, BATCH, window.channels(), window.inH(), window.inW());
                float[] in = (float[]) Ops.random(new Random(4), ValueType.floats(images.shape()));
                float[] expected = new float[BATCH * window.channels() * window.outH() * window.outW()];
                each(window, order, BATCH, kind, (out, read, divisor) -> {
                    double sum = 0;
                    float greatest = Float.NEGATIVE_INFINITY;
                    for (int at : read) {
                        sum += in[at];
                        greatest = Math.max(greatest, in[at]);
                    }
                    expected[out] = Clamp.RELU1.apply(kind == Kind.MAX ? greatest : (float) (sum / divisor));
                });
                PoolOp pool = new PoolOp(kind, window, order, Clamp.RELU1);
                Ops.assertNear(
                        expected,
                        (float[]) Ops.run(pool, List.of(ValueType.floats(images.shape())), in),
                        order + " " + window);
            }
        }
    }

    @Test
    void checksItsArguments() {
        PoolOp pool = new PoolOp(Kind.MAX, WINDOWS[0], ImageLayout.NCHW, Clamp.NONE);
        assertThrows(IllegalArgumentException.class, () -> pool.result(List.of(ValueType.floats(1, 5, 4, 3))));
        assertThrows(IllegalArgumentException.class, () -> pool.result(List.of(ValueType.ints(1, 3, 5, 4))));
    }
}
