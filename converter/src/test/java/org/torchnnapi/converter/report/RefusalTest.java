package org.torchnnapi.converter.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.SourceRange;

class RefusalTest {
    private final Refusal refusal = new Refusal("aten::conv2d", new SourceRange("code/__torch__/net.py", 7, 123,
        (file, offset) -> new SourceRange.Python("net.py", 42)), List.of("float32[1, 3, 8, 8]"), "windows must not be dilated", "dilation [2, 2]", "1", "use a larger kernel");

    @Test
    void textNamesPlaceRuleAndWayOut() {
        assertEquals("aten::conv2d(float32[1, 3, 8, 8]) at net.py:42: windows must not be dilated: dilation [2, 2] (expected: 1); use a larger kernel",
            refusal.text());
    }

    @Test
    void mapHasPythonPosition() {
        assertEquals("net.py", refusal.toMap().get("file"));
        assertEquals(42, refusal.toMap().get("line"));
        assertEquals("1", refusal.toMap().get("expected"));
    }
}
