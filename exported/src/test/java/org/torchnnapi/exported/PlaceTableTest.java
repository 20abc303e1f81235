package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.SourceRange;

/** Lines and modules of nodes, as programs tell them. */
class PlaceTableTest {
    @Test
    void theInnermostLineCounts() {
        assertEquals(
                new SourceRange.Python("/m/net.py", 42, "y = f(x)"),
                PlaceTable.line("  File \"a.py\", line 1, in g\n    g()\n  File \"/m/net.py\", line 42, in forward\n"
                        + "    y = f(x)\n"));
        assertNull(PlaceTable.line("no trace"));
        assertEquals(0, PlaceTable.line("File \"a\", line x").line());
    }

    @Test
    void theInnermostModuleCounts() {
        assertEquals("layers.0", PlaceTable.module("L__self__,,net.Net;layers.0,layers.0,net.Layer"));
        assertEquals("", PlaceTable.module(""));
        assertEquals("", PlaceTable.module("a,L['self'].x,net.Net"));
    }
}
