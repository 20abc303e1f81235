package org.torchnnapi.operators.builtin;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/**
 * The table of this package's operators. Overloads are tried in this order, so those for complex numbers stand before
 * those for any number.
 */
public final class Builtins {
    public static final List<OperatorFamily> FAMILIES = List.of(
            new ComplexMath(),
            new ScalarArithmetic(),
            new ScalarComparison(),
            new ScalarMath(),
            new ConversionOperators(),
            new StringOperators(),
            new ListOperators(),
            new DictOperators(),
            new PropertyOperators(),
            new ControlOperators());

    private Builtins() {}
}
