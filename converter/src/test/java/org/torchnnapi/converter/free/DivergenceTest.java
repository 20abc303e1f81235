package org.torchnnapi.converter.free;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;

class DivergenceTest {
    private static final Tensor INPUT = FreeUnderTest.random(2, 2048);
    private static final String NORM = "_0 = torch.layer_norm(x, [2048], None, None, 1e-05, False)";
    private static final String SINE = "torch.sin(torch.mul(_0, 100000000.))";

    private static Conversion checked(ScriptModule original) {
        return Converter.convert(original, ConversionOptions.defaults().withExample(List.of(INPUT)), FreeUnderTest.RUNTIME);
    }

    private static Divergence find(ScriptModule original) {
        FreeOptions options = new FreeOptions(SegmentCost.DEFAULT, Target.DEFAULT, false, 2, false, Set.of(), false);
        return Divergence.find(Passes.prepare(original.object(), "forward", Set.of()), original, "forward", List.of(INPUT), options, FreeUnderTest.RUNTIME,
            SelfCheck.Bound.REAL);
    }

    @Test
    void roundingThatTheModelMakesLargerIsToldAndNoFailure() {
        Conversion conversion = checked(FreeUnderTest.module(List.of(), "Tensor", NORM, SINE));
        assertTrue(conversion.succeeded(), conversion.report().text());
        String notes = String.join("; ", conversion.report().notes());
        assertTrue(notes.contains("as the original's own do where its inputs change by their last bits"), notes);
        assertTrue(notes.contains("1 NNAPI part"), notes);
    }

    @Test
    void steadyModelsPassWithoutALookInside() {
        Conversion conversion = checked(FreeUnderTest.module(List.of(), "Tensor", NORM, "torch.relu(_0)"));
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertFalse(String.join("; ", conversion.report().notes()).contains("the results differ"));
    }

    @Test
    void eachOperationAndTheRestAreRightOnTheOriginalsValues() {
        Divergence found = find(FreeUnderTest.module(List.of(), "Tensor", NORM, SINE));
        assertNull(found.node(), found.text());
        assertNull(found.rest());
        assertEquals("1 NNAPI part, and in those where rounding grows each of 3 operations,", found.text());
    }
}
