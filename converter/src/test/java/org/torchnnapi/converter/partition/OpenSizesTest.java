package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.DynamicShapeConversionTest.CONV;
import static org.torchnnapi.converter.partition.DynamicShapeConversionTest.byExample;
import static org.torchnnapi.converter.partition.DynamicShapeConversionTest.compare;
import static org.torchnnapi.converter.partition.DynamicShapeConversionTest.convert;
import static org.torchnnapi.converter.partition.DynamicShapeConversionTest.filter;
import static org.torchnnapi.converter.partition.DynamicShapeConversionTest.load;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** What follows from open sizes, found from the sizes that are tried, holds for others, far ones too. */
class OpenSizesTest {
    /** Behind five poolings a size changes once in 32 rows. */
    @Test
    void sizesBehindManyPoolingsFollow() {
        StringBuilder body = new StringBuilder("y = x");
        for (int i = 0; i < 5; i++) {
            body.append("\n    y = torch.max_pool2d(torch.silu(y), [2, 2], [2, 2], [0, 0], [1, 1], False)");
        }
        ScriptModule original = FreeUnderTest.module(
                filter(8, 3),
                "Tensor",
                body.toString(),
                "torch.conv2d(y, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)");
        ScriptModule converted = byExample(original, FreeUnderTest.random(1, 3, 64, 64), 1, 3, -1, -1);
        compare(original, converted, 1, 3, 64, 64);
        compare(original, converted, 1, 3, 70, 100);
        compare(original, converted, 1, 3, 160, 97);
    }

    /**
     * Of sizes that are near to one another both change at the first step, and at no other, behind four convolutions.
     */
    @Test
    void sizesThatChangeOnceAreToldApart() {
        StringBuilder body = new StringBuilder("y = x");
        for (int i = 0; i < 4; i++) {
            body.append("\n    y = torch.silu(torch.conv2d(y, CONSTANTS.c0, None, [2, 2], [1, 1], [1, 1], 1))");
        }
        ScriptModule original = FreeUnderTest.module(
                filter(4, 4),
                "Tensor",
                body.toString(),
                "torch.softmax(torch.transpose(torch.reshape(y, [1, 4, torch.mul(torch.size(y, 2), torch.size(y, "
                        + "3))]), 1, 2), 1)");
        ScriptModule converted = byExample(original, FreeUnderTest.random(1, 4, 64, 96), 1, 4, -1, -1);
        compare(original, converted, 1, 4, 96, 64);
        compare(original, converted, 1, 4, 130, 33);
    }

    /**
     * Two sizes of a table are the same for some of the sizes that are tried: then equal nodes are one there, and two
     * elsewhere.
     */
    @Test
    void partsOfOneTableAreApart() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(4, 3, 3, 3), FreeUnderTest.random(4, 200)),
                "Tensor",
                CONV.replace("[2, 2]", "[4, 4]"),
                "h = torch.slice(CONSTANTS.c1, 1, 0, torch.size(y, 2))",
                "w = torch.slice(CONSTANTS.c1, 1, 0, torch.size(y, 3))",
                "torch.add(torch.add(torch.silu(y), torch.unsqueeze(h, -1)), torch.unsqueeze(w, 1))");
        ScriptModule converted = byExample(original, FreeUnderTest.random(1, 3, 32, 36), 1, 3, -1, -1);
        compare(original, converted, 1, 3, 40, 40);
        compare(original, converted, 1, 3, 100, 36);
    }

    /** Traced models compute with sizes in tensors. */
    @Test
    void numbersInTensorsAreKnown() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(16, 16), Tensor.of(new long[] {4})),
                "Tensor",
                "n = ops.prim.NumToTensor(torch.size(x, 1))",
                "parts = torch.floor_divide(ops.prim.NumToTensor(torch.size(x, 2)), CONSTANTS.c1)",
                "q = torch.matmul(x, CONSTANTS.c0)",
                "h = torch.reshape(q, [1, int(n), 4, int(parts)])",
                "s = torch.softmax(torch.permute(h, [0, 2, 1, 3]), -1)",
                "torch.matmul(torch.reshape(s, [4, int(torch.mul(n, CONSTANTS.c1)), 1]), torch.reshape(x, [1, 1, "
                        + "int(torch.mul(n, ops.prim.NumToTensor(torch.size(x, 2))))]))");
        Conversion conversion = convert(original, 1, -1, 16);
        ScriptModule converted = load(conversion);
        assertEquals(1, conversion.models().size(), conversion.report().text());
        assertFalse(
                conversion.report().text().contains("NumToTensor"),
                conversion.report().text());
        compare(original, converted, 1, 7, 16);
        compare(original, converted, 1, 50, 16);
    }

    /**
     * Loops with as many turns as a size says; the weights are so small that rounding does not grow from turn to turn.
     */
    @Test
    void loopsOverSizesStay() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(16, 16)),
                "Tensor",
                "w = torch.mul(CONSTANTS.c0, 0.2)",
                "y = torch.tanh(torch.matmul(x, w))",
                "h = torch.zeros([1, 16])",
                "for i in range(torch.size(x, 1)):\n      h = torch.tanh(torch.add(torch.matmul(h, w), "
                        + "torch.select(y, 1, i)))",
                "torch.matmul(h, w)");
        Conversion conversion = convert(original, 1, -1, 16);
        ScriptModule converted = load(conversion);
        assertFalse(conversion.models().isEmpty(), conversion.report().text());
        compare(original, converted, 1, 3, 16);
        compare(original, converted, 1, 40, 16);
    }

    /**
     * PyTorch's TorchScript has no view of elements as those of another type, by which the bits of real numbers were
     * had.
     */
    @Test
    void realNumbersAreWrittenByTheirParts() {
        ScriptModule original = FreeUnderTest.module(
                filter(4, 3),
                "Tensor",
                CONV,
                "n = torch.mul(torch.size(y, 2), torch.size(y, 3))",
                "torch.mul(torch.silu(torch.div(torch.sum(y, [2, 3], True), torch.sub(n, 1))), torch.div(-1., "
                        + "float(torch.size(y, 2))))");
        Conversion conversion = convert(original, 1, 3, -1, -1);
        ScriptModule converted = load(conversion);
        assertEquals(1, conversion.models().size(), conversion.report().text());
        compare(original, converted, 1, 3, 20, 31);
        compare(original, converted, 1, 3, 65, 8);
        String code = String.join(
                "\n", TorchScriptArchive.of(conversion.toBytes()).sources().values());
        assertTrue(code.contains("torch.frexp(") && !code.contains("torch.view("), code);
    }

    /** Signals are filled up to whole windows, and transforms back divided by how windows overlap. */
    @Test
    void sizesInStepsFollow() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(6, 1, 8)),
                "Tensor",
                "n = torch.size(x, 2)",
                "p = torch.sub(torch.mul(torch.add(torch.floordiv(torch.sub(n, 1), 8), 1), 8), n)",
                "y = torch.pad(x, [0, p], \"constant\", 0.)",
                "torch.silu(torch.conv1d(y, CONSTANTS.c0, None, [8], [0], [1], 1))");
        ScriptModule converted = byExample(original, FreeUnderTest.random(1, 1, 200), 1, 1, -1);
        compare(original, converted, 1, 1, 200);
        compare(original, converted, 1, 1, 333);
    }

    @Test
    void overlapsOfWindowsFollow() {
        ScriptModule original = FreeUnderTest.module(
                List.of(Tensor.of(new float[] {.1f, .5f, .9f, 1, 1, .9f, .5f, .1f}, 8)),
                "Tensor",
                "s = torch.stft(x, 8, 4, 8, CONSTANTS.c0, False, True, True)",
                "m = torch.sigmoid(torch.abs(s))",
                "torch.tanh(torch.istft(torch.mul(s, m), 8, 4, 8, CONSTANTS.c0, False, False, True, torch.size(x, "
                        + "1), False))");
        Conversion conversion = convert(original, 1, -1);
        ScriptModule converted = load(conversion);
        assertFalse(conversion.models().isEmpty(), conversion.report().text());
        compare(original, converted, 1, 64);
        compare(original, converted, 1, 204);
    }

    /** Each of two halves of the sizes is a size of its own, and their product that of a result. */
    @Test
    void partsOfProductsFollow() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(3, 3, 3, 3), FreeUnderTest.random(3, 3)),
                "Tensor",
                CONV,
                "h = torch.size(y, 2)",
                "w = torch.size(y, 3)",
                "z = torch.transpose(torch.reshape(torch.permute(torch.reshape(torch.silu(y), "
                        + "[torch.floordiv(torch.mul(h, 3), 2), 2, "
                        + "torch.floordiv(w, 2), 2]), [0, 2, 1, 3]), "
                        + "[1, 3, torch.floordiv(torch.mul(h, w), 4), 4]), 1, 3)",
                "torch.silu(torch.matmul(torch.softmax(z, -1), CONSTANTS.c1))");
        Conversion conversion = convert(original, 1, 3, -1, -1);
        ScriptModule converted = load(conversion);
        assertEquals(1, conversion.models().size(), conversion.report().text());
        compare(original, converted, 1, 3, 16, 32);
        compare(original, converted, 1, 3, 52, 8);
    }
}
