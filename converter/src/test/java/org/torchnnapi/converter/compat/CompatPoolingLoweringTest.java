package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;

class CompatPoolingLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void maxPoolNamesPaddingStrideAndKernelWidthFirst() {
        g.lowersTo(
                g.op(
                        "aten::max_pool2d",
                        g.floats(1, 2, 9, 8),
                        new int[] {3, 2},
                        new int[] {2, 1},
                        new int[] {1, 0},
                        new int[] {1, 1},
                        false),
                "MAX_POOL_2D[float32[1, 2, 9, 8], 0, 0, 1, 1, 1, 2, 2, 3, 0, true] -> float32[1, 2, 5, 7]");
    }

    @Test
    void strideDefaultsToTheKernel() {
        g.lowersTo(
                g.op(
                        "aten::max_pool2d",
                        g.nhwc(1, 2, 6, 6),
                        new int[] {2},
                        new int[] {},
                        new int[] {0},
                        new int[] {1},
                        false),
                "MAX_POOL_2D[float32[1, 2, 6, 6] NHWC, 0, 0, 0, 0, 2, 2, 2, 2, 0, false] -> float32[1, 2, 3, 3] NHWC");
    }

    @Test
    void ceilModeBecomesPaddingAtTheEnd() {
        g.lowersTo(
                g.op(
                        "aten::max_pool2d",
                        g.floats(1, 1, 6, 7),
                        new int[] {3, 3},
                        new int[] {2, 2},
                        new int[] {0, 0},
                        new int[] {1, 1},
                        true),
                "MAX_POOL_2D[float32[1, 1, 6, 7], 0, 0, 0, 1, 2, 2, 3, 3, 0, true] -> float32[1, 1, 3, 3]");
    }

    @Test
    void ceilModeDropsWindowsThatStartInThePadding() {
        // 3 + 2 * 1 - 2 = 3; windows of stride 2 start at -1, 1, 3, but 3 lies behind the input: PyTorch counts 2.
        g.lowersTo(
                g.op(
                        "aten::max_pool2d",
                        g.floats(1, 1, 3, 3),
                        new int[] {2, 2},
                        new int[] {2, 2},
                        new int[] {1, 1},
                        new int[] {1, 1},
                        true),
                "MAX_POOL_2D[float32[1, 1, 3, 3], 1, 1, 1, 1, 2, 2, 2, 2, 0, true] -> float32[1, 1, 2, 2]");
    }

    @Test
    void averageThatCountsPaddingIsTakenOverAPaddedMap() {
        g.lowersTo(
                g.op(
                        "aten::avg_pool2d",
                        g.nhwc(1, 2, 4, 4),
                        new int[] {3, 3},
                        new int[] {1, 1},
                        new int[] {1, 1},
                        false,
                        true,
                        null),
                "PAD[float32[1, 2, 4, 4] NHWC, [0, 0, 1, 1, 1, 1, 0, 0]] -> float32[1, 2, 6, 6] NHWC",
                "AVERAGE_POOL_2D[float32[1, 2, 6, 6] NHWC, 0, 0, 0, 0, 1, 1, 3, 3, 0, false] -> float32[1, 2, 4, 4] "
                        + "NHWC");
    }

    @Test
    void averageThatSkipsPaddingIsNnapisOwn() {
        g.lowersTo(
                g.op(
                        "aten::avg_pool2d",
                        g.floats(1, 2, 4, 4),
                        new int[] {3, 3},
                        new int[] {1, 1},
                        new int[] {1, 1},
                        false,
                        false,
                        null),
                "AVERAGE_POOL_2D[float32[1, 2, 4, 4], 1, 1, 1, 1, 1, 1, 3, 3, 0, true] -> float32[1, 2, 4, 4]");
    }

    @Test
    void flexibleSizesAreComputed() {
        LoweredModel model = g.model(g.op(
                "aten::avg_pool2d",
                g.input(InputSpec.quantized(0.5, 1, 0, 2, 0, 8)),
                new int[] {2, 2},
                new int[] {2, 2},
                new int[] {0, 0},
                false,
                true,
                null));
        List<String> lines = PythonShapeText.lines(model.model().shapes());
        assertEquals("s_5_0 = s_2_0", lines.get(2));
        assertEquals("s_5_2 = (s_2_2 - 2 + 0 + 0) // 2 + 1", lines.get(3));
        assertEquals(
                "torch.quantize_per_tensor(torch.zeros(1), scale=0.5, zero_point=1, "
                        + "dtype=torch.quint8).expand((s_5_0,2,s_5_2,4,)).contiguous(),",
                lines.get(5));
    }

    @Test
    void adaptiveGoesToOnePixelOnly() {
        g.lowersTo(
                g.op("aten::adaptive_avg_pool2d", g.floats(1, 2, 5, 4), new int[] {1, 1}),
                "AVERAGE_POOL_2D[float32[1, 2, 5, 4], 0, 0, 0, 0, 1, 1, 4, 5, 0, true] -> float32[1, 2, 1, 1]");
        GraphUnderTest other = new GraphUnderTest();
        other.isRefused(other.op("aten::adaptive_avg_pool2d", other.floats(1, 2, 6, 6), new int[] {2, 2}), "(1, 1)");
    }

    @Test
    void refusesDilationDivisorsAndWindowsThatDoNotFit() {
        g.isRefused(
                g.op(
                        "aten::max_pool2d",
                        g.floats(1, 1, 6, 6),
                        new int[] {2, 2},
                        new int[] {2, 2},
                        new int[] {0, 0},
                        new int[] {2, 2},
                        false),
                "dilat");
        GraphUnderTest divisor = new GraphUnderTest();
        divisor.isRefused(
                divisor.op(
                        "aten::avg_pool2d",
                        divisor.floats(1, 1, 6, 6),
                        new int[] {2, 2},
                        new int[] {2, 2},
                        new int[] {0, 0},
                        false,
                        true,
                        3),
                "divisor");
        GraphUnderTest large = new GraphUnderTest();
        large.isRefused(
                large.op(
                        "aten::max_pool2d",
                        large.floats(1, 1, 2, 2),
                        new int[] {3, 3},
                        new int[] {1, 1},
                        new int[] {0, 0},
                        new int[] {1, 1},
                        false),
                "fit");
        GraphUnderTest zero = new GraphUnderTest();
        zero.isRefused(
                zero.op(
                        "aten::max_pool2d",
                        zero.floats(1, 1, 2, 2),
                        new int[] {2, 2},
                        new int[] {0, 0},
                        new int[] {0, 0},
                        new int[] {1, 1},
                        false),
                "stride");
    }
}
