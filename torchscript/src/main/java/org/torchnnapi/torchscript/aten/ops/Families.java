package org.torchnnapi.torchscript.aten.ops;

import java.util.List;
import org.torchnnapi.torchscript.aten.OperatorFamily;

/** The one list of all families of tensor operators; a new family adds its line. */
public final class Families {
    public static final List<OperatorFamily> TENSOR_OPERATORS = List.of();

    private Families() {
    }
}
