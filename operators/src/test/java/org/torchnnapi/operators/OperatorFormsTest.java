package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorFormsTest {
    private static boolean showsAll(String view) {
        return OperatorForms.showsAll(OperatorRegistry.withBuiltins().find(view).schema());
    }

    @Test
    void viewsThatMoveDimensionsShowAllAndPartsDoNot() {
        for (String view : List.of("aten::permute", "aten::transpose.int", "aten::t", "aten::movedim.int")) {
            assertEquals(true, showsAll(view), view);
        }
        for (String view : List.of("aten::slice.Tensor", "aten::select.int", "aten::narrow", "aten::relu")) {
            assertEquals(false, showsAll(view), view);
        }
    }
}
