package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/** Models that would run for ever, or whose graphs are very long, end in a refusal and leave the thread as it was. */
@Timeout(120)
class ConversionBudgetTest {
    private static final Tensor X = random(1, 32, 32, 32);
    /** Bounded, lest the loop end at NaN. */
    private static final String CONV = "torch.sigmoid(torch.conv2d(%s, CONSTANTS.c0, None, [1, 1], [1, 1]))";

    private static Conversion convert(ScriptModule module, Target target) {
        return Converter.convert(
                module,
                ConversionOptions.defaults()
                        .withExample(List.of(X))
                        .withCheckLimit(Duration.ofSeconds(2))
                        .withTarget(target),
                FreeUnderTest.RUNTIME);
    }

    private static void requireOutOfTime(Conversion conversion) {
        assertFalse(conversion.succeeded());
        assertEquals(
                "the self-check must end in time",
                conversion.refusals().get(0).rule(),
                conversion.report().text());
        assertTrue(
                conversion.report().text().contains("2.0 s"),
                conversion.report().text());
        assertFalse(Thread.currentThread().isInterrupted());
    }

    @Test
    void aLoopThatElementsEndIsCheckedForATime() {
        ScriptModule module = FreeUnderTest.module(
                List.of(random(32, 32, 3, 3)),
                "Tensor",
                "y = " + String.format(CONV, "x"),
                "go = True",
                "while go:",
                "  y = " + String.format(CONV, "y"),
                "  go = bool(torch.gt(torch.sum(y), -1.))",
                "y");
        requireOutOfTime(convert(module, null));
    }

    @Test
    void aLoopOfManyTurnsIsCheckedForATimeOnNnapiToo() {
        ScriptModule module = FreeUnderTest.module(
                List.of(), "Tensor", "y = x", "for i in range(1000000000):", "  y = torch.add(y, 1)", "y");
        requireOutOfTime(convert(module, Target.DEFAULT.withOwnRuntime(true)));
    }

    @Test
    void chainsOfThousandsOfOperatorsAreLookedThroughWithoutRecursion() {
        ScriptModule module = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "y = x",
                "for i in range(3000):",
                "  for j in range(3000):",
                "    for k in range(3000):",
                "      y = torch.add(y, 1)",
                "y");
        assertFalse(convert(module, null).succeeded());
    }

    /** Of regions only the shapes count until the check. */
    @ParameterizedTest
    @ValueSource(strings = {"CONSTANTS.c0", "torch.add(CONSTANTS.c0, torch.mul(torch.sum(x), 0.))"})
    void binsOfManySamplesAreCheckedForATime(String regions) {
        ScriptModule module = FreeUnderTest.module(
                List.of(Tensor.of(new float[] {0, 0, 0, 5, 5}, 1, 5)),
                "Tensor",
                "y = " + CONV.replace("%s", "x").replace("CONSTANTS.c0", "torch.ones([32, 32, 3, 3])"),
                "ops.torchvision.roi_align(y, " + regions + ", 1., 7, 7, 1000000, False)");
        requireOutOfTime(convert(module, null));
        requireOutOfTime(convert(module, Target.DEFAULT.withOwnRuntime(true)));
    }

    @Test
    void theLimitIsATime() {
        ConversionOptions options = ConversionOptions.defaults();
        assertEquals(
                "check limit: PT0S (expected: a positive time)",
                assertThrows(IllegalArgumentException.class, () -> options.withCheckLimit(Duration.ZERO))
                        .getMessage());
        assertEquals(
                Duration.ofSeconds(7),
                options.withCheckLimit(Duration.ofSeconds(7)).withRelaxed(true).checkLimit());
    }
}
