package org.torchnnapi.execution;

import java.util.List;
import java.util.function.Function;
import org.torchnnapi.operators.DerivedForms;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.packed.PackedClasses;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.value.CustomClasses;

/**
 * What modules are loaded into.
 *
 * @param operators the overloads of an operator kind such as {@code aten::add}, none for an unknown one
 * @param customClasses the custom classes that modules may use
 * @param specialises whether methods are compiled for the types of their arguments; otherwise the interpreter runs
 *     every operator
 */
public record ScriptRuntime(
        Function<String, List<Operator>> operators, CustomClasses customClasses, boolean specialises) {
    /** All operators and packed classes there are, and these custom classes. */
    public static ScriptRuntime standard(CustomClasses customClasses) {
        return new ScriptRuntime(
                OperatorRegistry.withBuiltins()::overloads,
                CustomClasses.of(PackedClasses.ALL).with(customClasses),
                true);
    }

    /** What reading code and passes ask about the operators. */
    public OperatorFacts facts() {
        return new OperatorFacts() {
            @Override
            public List<FunctionSchema> schemas(String kind) {
                return operators.apply(kind).stream().map(Operator::schema).collect(Streams.toList());
            }

            @Override
            public List<FunctionSchema> derived(String kind) {
                return DerivedForms.of(kind, operators).stream()
                        .map(Operator::schema)
                        .collect(Streams.toList());
            }

            @Override
            public FunctionSchema derived(String kind, String overload, int given) {
                return DerivedForms.named(DerivedForms.of(kind, operators), overload, given);
            }
        };
    }

    /** The same without {@link #specialises}. */
    public ScriptRuntime interpreting() {
        return new ScriptRuntime(operators, customClasses, false);
    }
}
