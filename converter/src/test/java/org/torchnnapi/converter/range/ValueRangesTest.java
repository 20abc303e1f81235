package org.torchnnapi.converter.range;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptException;

/** Whole numbers of 64 bits go to NNAPI where they fit its 32. */
class ValueRangesTest {
    private static final Tensor SMALL = Tensor.of(new long[] {0, 1, 2, 3, 4, 5}, 6);
    private static final Tensor LARGE = Tensor.of(new long[] {1L << 31, 3_000_000_000L, -1, 7, 5, 1L << 40}, 6);
    private static final Tensor TABLE = FreeUnderTest.random(1000, 8);

    private static Conversion conversion(Tensor example, String result, String... body) {
        return Converter.convert(
                FreeUnderTest.module(List.of(TABLE), result, body),
                ConversionOptions.defaults()
                        .withExample(List.of(example))
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
    }

    private static ScriptModule converted(Conversion conversion) {
        assertTrue(conversion.succeeded(), conversion.report().text());
        return ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch.to(torch.mul(x, x), 6)",
                "torch.add(x, 2147483647)",
                "torch.sum(x)",
                "torch.div(x, torch.sub(x, 3), rounding_mode=\"trunc\")",
                "torch.remainder(7, x)",
                "torch.to(torch.mul(torch.to(x, 6), 1e6), 4)",
                "torch.bitwise_left_shift(x, x)"
            })
    void whatMayLeaveItsBitsStaysTorchScript(String expression) {
        assertFalse(conversion(SMALL, "Tensor", expression).succeeded(), expression);
    }

    @Test
    void hashedRowsArePickedByNnapiAndHashedBeside() {
        String[] body = {
            "h = torch.remainder(torch.add(torch.mul(x, 1000003), 12345), 1000)",
            "torch.matmul(torch.embedding(CONSTANTS.c0, h), torch.t(CONSTANTS.c0))"
        };
        Conversion conversion = conversion(SMALL, "Tensor", body);
        ScriptModule original = FreeUnderTest.module(List.of(TABLE), "Tensor", body);
        FreeUnderTest.compare(original, conversion, LARGE);
        assertFalse(
                conversion.report().text().contains("checks their bounds"),
                conversion.report().text());
    }

    @Test
    void argumentsThatEnterAreChecked() {
        Conversion conversion = conversion(SMALL, "Tensor", "torch.embedding(CONSTANTS.c0, x)");
        assertTrue(
                conversion.report().text().contains("argument x: -2147483647 to 2147483647"),
                conversion.report().text());
        ScriptModule converted = converted(conversion);
        ScriptException refused = assertThrows(ScriptException.class, () -> converted.call("forward", LARGE));
        assertTrue(refused.getMessage().contains("argument x has other numbers"), refused.getMessage());
    }

    @Test
    void argumentsAreSmallerWhereMoreWouldLeaveOnTheWayToRealNumbers() {
        Conversion conversion = conversion(SMALL, "Tensor", "torch.to(torch.add(torch.mul(x, 6), 1), 6)");
        assertTrue(
                conversion.report().text().contains("argument x: -16777216 to 16777216"),
                conversion.report().text());
    }

    @Test
    void examplesBeyondAreTakenAtTheirWord() {
        Conversion conversion = conversion(LARGE, "Tensor", "torch.unsqueeze(x, 0)");
        assertFalse(conversion.succeeded(), conversion.report().text());
    }

    @Test
    void loopsAreFollowedAsFarAsTheyAreCounted() {
        String[] body = {
            "i = torch.argmax(x)",
            "for k in range(5):",
            "  i = torch.add(i, 1)",
            "torch.index_select(CONSTANTS.c0, 0, torch.reshape(i, [1]))"
        };
        converted(conversion(SMALL, "Tensor", body));
    }

    @Test
    void numbersAroundWholeOnesAreThoseThatWereAskedFor() {
        Conversion conversion = conversion(SMALL, "Tensor", "torch.constant_pad_nd(x, [3, 1], 4)");
        Object made = converted(conversion).call("forward", SMALL);
        assertEquals(
                List.of(4L, 4L, 4L, 0L, 1L, 2L, 3L, 4L, 5L, 4L),
                Arrays.stream(Structures.tensors(List.of(made)).get(0).toLongArray())
                        .boxed()
                        .toList());
    }
}
