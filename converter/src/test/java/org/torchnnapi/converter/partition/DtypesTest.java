package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Numbers of dtypes that NNAPI lacks, in and out and between. */
class DtypesTest {
    private static final Tensor BYTES =
            Tensor.of(DType.UINT8, new byte[] {0, 1, 100, (byte) 200, (byte) 255, 7}, 1, 2, 3);

    @Test
    void bytesArePictures() {
        whole(BYTES, List.of(), "torch.div(torch.to(torch.permute(x, [0, 2, 1]), 6), 255)");
        whole(BYTES, List.of(), "torch.div(x, 255)");
        whole(BYTES, List.of(), "torch.to(torch.mul(torch.to(x, 6), 0.5), 0)");
    }

    @Test
    void shortWholeNumbersBeginAnew() {
        whole(BYTES, List.of(), "torch.add(x, x)");
        whole(BYTES, List.of(), "torch.to(torch.sub(torch.mul(x, x), 9), 6)");
        whole(BYTES, List.of(), "torch.to(torch.to(torch.mul(torch.to(x, 4), 3), 0), 6)");
        whole(BYTES, List.of(), "torch.to(torch.to(torch.mul(torch.to(x, 4), 3), 1), 6)");
        Tensor small = Tensor.of(DType.INT8, new byte[] {0, 1, 100, -100, 127, -128}, 6);
        whole(small, List.of(), "torch.to(torch.add(x, x), 6)");
        whole(small, List.of(), "torch.mul(x, 3)");
        Tensor middle = Tensor.of(DType.INT16, new short[] {0, 1, 30000, -30000, 32767, -32768}, 6);
        whole(middle, List.of(), "torch.to(torch.add(x, x), 6)");
        whole(middle, List.of(), "torch.sub(x, 1)");
    }

    @Test
    void doublesAndHalvesAreReckonedInFloat() {
        Tensor doubles = Tensor.of(DType.FLOAT64, new double[] {0.1, -2.5, 3.25, 1e-3, 7, -0.5}, 2, 3);
        whole(
                doubles,
                List.of(Tensor.of(DType.FLOAT64, new double[] {1, 2, 3, 4, 5, 6}, 2, 3)),
                "torch.linear(torch.tanh(x), CONSTANTS.c0)");
        whole(doubles, List.of(), "torch.to(torch.mul(x, 0.5), 6)");
        whole(random(2, 3), List.of(), "torch.to(torch.exp(torch.to(x, 7)), 6)");
        whole(random(2, 3), List.of(Tensor.of(DType.FLOAT64, new double[] {1, 2, 3}, 3)), "torch.mul(x, CONSTANTS.c0)");
    }

    @Test
    void wholeNumbersBeyondInt32AreRealInRealArithmetic() {
        whole(
                random(3),
                List.of(Tensor.of(new long[] {10_000_000_000L, 2, -10_000_000_000L}, 3)),
                "torch.min(CONSTANTS.c0, x)");
    }

    @Test
    void wholeNumbersAreRanked() {
        Tensor numbers = Tensor.of(new long[] {5, -3, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 77}, 2, 3);
        whole(numbers, List.of(), "values, places = torch.sort(x, 1, False)", "values");
        whole(numbers, List.of(), "torch.argsort(x, 1, True)");
        whole(numbers, List.of(), "values, places = torch.topk(x, 2, 0)", "values");
    }

    @Test
    void numbersAreTrueOrFalse() {
        whole(random(2, 3), List.of(), "torch.to(torch.logical_and(torch.to(x, 4), torch.relu(x)), 6)");
        whole(random(2, 3), List.of(), "torch.to(torch.logical_not(torch.relu(x)), 6)");
        whole(random(2, 3), List.of(), "torch.to(torch.logical_xor(torch.to(x, 4), torch.gt(x, 0.)), 6)");
    }

    @Test
    void quantizedTensorsGoThroughRealNumbers() {
        String in = "q = torch.quantize_per_tensor(x, 0.05, 120, 13)";
        Tensor image = random(1, 2, 4, 5);
        // Means of two neighbours may be rounded either way.
        Conversion resized = Converter.convert(
                FreeUnderTest.module(
                        List.of(), "Tensor", in, "torch.dequantize(torch.upsample_bilinear2d(q, [7, 9], False, None))"),
                ConversionOptions.defaults().withExample(List.of(image)),
                FreeUnderTest.RUNTIME);
        assertTrue(resized.succeeded(), resized.report().text());
        assertEquals(List.of(), resized.refusals());
        whole(image, List.of(), in, "values, places = torch.topk(q, 2, -1)", "torch.dequantize(values)");
        whole(image, List.of(), in, "torch.to(torch.int_repr(q), 6)");
    }
}
