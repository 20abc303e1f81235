package org.torchnnapi.torchscript.builtin;

import java.util.List;
import org.torchnnapi.torchscript.aten.OperatorFamily;

/** The table of this package's operators. */
public final class Builtins {
    public static final List<OperatorFamily> FAMILIES = List.of(new ScalarArithmetic(), new ScalarComparison(), new ScalarMath(),
        new ConversionOperators(), new StringOperators(), new ListOperators(), new DictOperators(), new PropertyOperators(),
        new ControlOperators());

    private Builtins() {
    }
}
