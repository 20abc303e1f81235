package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.report.Reason;

class LoweringPlanTest {
    private static final Reason REASON = new Reason("products are of matrices", "rank 1", "rank 2");

    @Test
    void nothingIsMadeBeforeThePlanIsCarriedOut() {
        List<String> made = new ArrayList<>();
        NodeLoweringTable table = new NodeLoweringTable();
        table.put("aten::relu", (node, context) -> made.add("operation"));
        LoweringPlan plan = table.all().get("aten::relu").plan(null, null);
        assertNull(plan.refusal());
        assertEquals(List.of(), made);
        plan.emit();
        assertEquals(List.of("operation"), made);
    }

    @Test
    void aRefusedPlanMakesNothing() {
        LoweringPlan plan = LoweringPlan.unless(REASON, () -> {});
        assertSame(REASON, plan.refusal());
        IllegalStateException e = assertThrows(IllegalStateException.class, plan::emit);
        assertEquals("rank 1 (expected: rank 2)", e.getMessage());
    }

    @Test
    void aPlanThatNothingRefusesIsItself() {
        LoweringPlan plan = () -> {};
        assertSame(plan, LoweringPlan.unless(null, plan));
    }
}
