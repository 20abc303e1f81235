package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.passes.PassesUnderTest.kinds;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.passes.DropoutRemoval;

class DropoutRemovalTest {
    @Test
    void goesOutsideTraining() {
        assertEquals(
                List.of("aten::neg"), kinds(DropoutRemoval::run, "return torch.neg(torch.dropout(x, 0.5, False))"));
    }

    @Test
    void staysInTraining() {
        assertEquals(
                List.of("aten::dropout", "aten::neg"),
                kinds(DropoutRemoval::run, "return torch.neg(torch.dropout(x, 0.5, True))"));
    }
}
