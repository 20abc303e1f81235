package org.torchnnapi.torchscript;

import java.util.List;
import java.util.function.Function;
import org.torchnnapi.torchscript.aten.Operator;
import org.torchnnapi.torchscript.aten.OperatorRegistry;
import org.torchnnapi.torchscript.aten.packed.PackedClasses;
import org.torchnnapi.torchscript.value.CustomClasses;

/**
 * What modules are loaded into.
 *
 * @param operators     the overloads of an operator kind such as {@code aten::add}, none for an unknown one
 * @param customClasses the custom classes that modules may use
 * @param specialises   whether methods are compiled for the types of their arguments; otherwise the interpreter runs every operator
 */
public record ScriptRuntime(Function<String, List<Operator>> operators, CustomClasses customClasses, boolean specialises) {
    /** All operators and packed classes there are, and these custom classes. */
    public static ScriptRuntime standard(CustomClasses customClasses) {
        return new ScriptRuntime(OperatorRegistry.withBuiltins()::overloads, CustomClasses.of(PackedClasses.ALL).with(customClasses), true);
    }

    /** The same without {@link #specialises}. */
    public ScriptRuntime interpreting() {
        return new ScriptRuntime(operators, customClasses, false);
    }
}
