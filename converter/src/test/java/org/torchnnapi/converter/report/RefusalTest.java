package org.torchnnapi.converter.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.SourceRange;

class RefusalTest {
    private final Refusal refusal = new Refusal(
            "aten::conv2d",
            new SourceRange(
                    "code/__torch__/net.py",
                    7,
                    123,
                    (file, offset) -> new SourceRange.Python("net.py", 42, "y = pool(x)")),
            List.of("float32[1, 3, 8, 8]"),
            "windows must not be dilated",
            "dilation [2, 2]",
            "1",
            "use a larger kernel");

    @Test
    void whatFailedSaysOnceWhatItExpected() {
        assertEquals(
                "model: the model must run: sizes: 3 (expected: at most 2 (two)); give others",
                Refusal.ofModel(
                                "the model must run",
                                "sizes: 3 (expected: at most 2 (two))",
                                "a model that runs",
                                "give others")
                        .text());
        assertEquals(
                "model: the model must run: no value (odd) (expected: a model that runs)",
                Refusal.ofModel("the model must run", "no value (odd)", "a model that runs", "")
                        .text());
        assertEquals(
                "model: the model must run: null (expected: a model that runs)",
                Refusal.ofModel("the model must run", null, "a model that runs", "")
                        .text());
    }

    @Test
    void textNamesPlaceRuleAndWayOut() {
        assertEquals(
                "aten::conv2d(float32[1, 3, 8, 8]) at net.py:42: windows must not be dilated: dilation [2, 2] "
                        + "(expected: 1); use a larger kernel",
                refusal.text());
    }

    @Test
    void mapHasPythonPosition() {
        assertEquals("net.py", refusal.toMap().get("file"));
        assertEquals(42, refusal.toMap().get("line"));
        assertEquals("1", refusal.toMap().get("expected"));
    }

    @Test
    void refusalsOfOneOperatorByOneRuleAreToldOnce() {
        List<Refusal> refusals = new ArrayList<>();
        for (int line = 1; line <= 6; line++) {
            refusals.add(new Refusal(
                    "aten::conv2d", new SourceRange("net.py", line), List.of("x" + line), "no dilation", "2", "1", ""));
        }
        refusals.add(
                new Refusal("aten::silu", new SourceRange("net.py", 9), List.of(), "no operation", "silu", "relu", ""));
        ConversionReport report = ConversionReport.refused(refusals, List.of());
        assertEquals(
                "not converted: 2 reasons\n"
                        + "  1. aten::conv2d(x1) at net.py:1: no dilation: 2 (expected: 1); 6 places, also net.py:2, "
                        + "net.py:3, net.py:4, ..\n"
                        + "  2. aten::silu at net.py:9: no operation: silu (expected: relu)",
                report.text());
        assertEquals(8, report.fullText().lines().count());
        assertEquals(7, ((List<?>) report.toMap().get("refusals")).size());
    }
}
