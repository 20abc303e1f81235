package org.torchnnapi.execution.interp;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.builtin.Builtins;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.ScriptList;

/** Runs a few lines of TorchScript for tests. */
public final class Scripts {
    private static final OperatorRegistry REGISTRY = new OperatorRegistry().add(Builtins.FAMILIES);

    private Scripts() {}

    public static java.util.function.Function<String, List<Operator>> operators() {
        return REGISTRY::overloads;
    }

    public static Interpreter interpreter() {
        return new Interpreter(operators(), name -> null);
    }

    public static OperatorFacts facts() {
        return REGISTRY;
    }

    /** What is known of some operators. */
    public static OperatorFacts facts(java.util.function.Function<String, List<Operator>> operators) {
        return kind -> operators.apply(kind).stream().map(Operator::schema).toList();
    }

    /** One file, {@code code/__torch__/m.py}; constant 0 is the list [1, 2]. */
    public static CodeLoader loader(String text) {
        return new CodeLoader(Sources.archive(Map.of("code/__torch__/m.py", text), ScriptList.ofInts(1, 2)), REGISTRY);
    }

    /** The result of {@code f} in a file. */
    public static Object call(String text, Object... arguments) {
        Function f = loader(text).function("__torch__.m.f");
        GraphVerifier.verify(f.graph());
        return interpreter().run(f, Arrays.asList(arguments), Map.of());
    }

    /** The result of a function with that signature and body. */
    public static Object run(String signature, List<String> body, Object... arguments) {
        return call(Sources.function(signature, body.toArray(String[]::new)), arguments);
    }

    /** The value of an expression of that type. */
    public static Object eval(String type, String expression) {
        return run("() -> " + type, List.of("return " + expression));
    }
}
