package org.torchnnapi.execution.tracing;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.ProgramMemory;
import org.torchnnapi.execution.interp.Sources;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.ScriptObject;

/** A module of a few lines for tests, with an interpreter and a specialiser. */
public final class Methods {
    private final ScriptObject object;
    private final Interpreter interpreter = new Interpreter(OperatorRegistry.withBuiltins()::overloads, name -> null);
    private final Specialiser specialiser;

    /**
     * @param members the lines of the class {@code M}, indented by two
     * @param constants what {@code CONSTANTS.c0} and so on are
     */
    public Methods(String members, Object... constants) {
        String source = "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n" + members;
        CodeLoader loader = new CodeLoader(
                Sources.archive(Map.of("code/__torch__/m.py", source), constants), OperatorRegistry.withBuiltins());
        ClassType type = (ClassType) loader.type("__torch__.m.M");
        object = new ScriptObject(type);
        specialiser = new Specialiser(interpreter, object);
    }

    /** A method {@code forward} that takes {@code x}, {@code y}.. and has these lines. */
    public static Methods forward(int tensors, List<String> lines, Object... constants) {
        StringBuilder signature = new StringBuilder("  def forward(self: __torch__.m.M");
        for (int i = 0; i < tensors; i++) {
            signature.append(",\n    ").append("xyz".charAt(i)).append(": Tensor");
        }
        return new Methods(signature + ") -> Any:\n    " + String.join("\n    ", lines) + "\n", constants);
    }

    public ScriptObject object() {
        return object;
    }

    public Object interpret(String method, Object... arguments) {
        return interpreter.run(function(method), fitted(method, arguments), null);
    }

    /** As a module does: first asks whether the call is like the one before. */
    public Object specialise(String method, Object... arguments) {
        Specialiser.Latest like = latest(method, arguments);
        return like != null
                ? specialiser.run(like, Arrays.asList(arguments))
                : specialiser.run(function(method), fitted(method, arguments));
    }

    /** See {@link Specialiser#latest}. */
    Specialiser.Latest latest(String method, Object... arguments) {
        return specialiser.latest(method, Arrays.asList(arguments));
    }

    /** See {@link Specialiser#keptArguments}. */
    boolean keptArguments(String method, Object... arguments) {
        return specialiser.keptArguments(function(method), fitted(method, arguments));
    }

    /** See {@link Specialiser#memory}. */
    ProgramMemory memory() {
        return specialiser.memory();
    }

    /** How often a method was compiled as a whole. */
    int compilations() {
        return specialiser.compilations();
    }

    /** How it ran, see {@link Specialiser#describe}. */
    public List<String> description() {
        return specialiser.describe();
    }

    private Function function(String method) {
        Function function = object.type().method(method);
        GraphVerifier.verify(function.graph());
        return function;
    }

    private Object[] fitted(String method, Object[] arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = object;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Interpreter.fit(function(method), Arrays.asList(all), Map.of());
    }
}
