package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The value tree of a {@code bytecode.pkl}: a module's methods for the lite interpreter, without calls of each other.
 */
public final class BytecodeWriter {
    /** From this version on operators are called with as many arguments as the file says. */
    private static final int COUNTED_ARGUMENTS = 6;

    private final int version;
    private final java.util.function.Function<Object, Object> values;
    private final BytecodeProblems problems;
    private java.util.function.Function<Node, Function> decompositions = node -> null;
    private final BytecodeDebug debug;

    /**
     * @param values makes value trees of constants
     * @param debug collects the lines of what is written
     */
    public BytecodeWriter(LiteForm form, java.util.function.Function<Object, Object> values, BytecodeDebug debug) {
        version = form.version();
        this.values = values;
        this.debug = debug;
        problems = new BytecodeProblems(form.target());
    }

    /** @param found what a node's operator is made of, or null; asked where the target lacks the operator */
    public BytecodeWriter decompositions(java.util.function.Function<Node, Function> found) {
        decompositions = found;
        return this;
    }

    /**
     * @param module whose methods are written
     * @param classes of all objects in it: their {@code __setstate__} is written too, and what is called of them by
     *     interface
     * @throws BytecodeException if something has no byte code of that version or the target lacks an operator; the
     *     message names all of these
     */
    public Object tree(ClassType module, Collection<ClassType> classes) {
        Map<String, Object> written = new LinkedHashMap<>();
        module.methods().stream()
                .filter(method -> !module.isHook(method.name()))
                .forEach(method -> write(method, written));
        for (ClassType type : classes) {
            if (type.method("__getstate__") != null && type.method("__setstate__") != null) {
                write(type.method("__setstate__"), written);
            }
        }
        int known;
        do {
            known = written.size();
            new LinkedHashMap<>(problems.called())
                    .forEach((called, names) -> classes.forEach(type -> implementations(type, called, names, written)));
        } while (written.size() > known);
        problems.report();
        List<Object> all = new ArrayList<>();
        all.add((long) version);
        all.addAll(written.values());
        return new ScriptTuple(all, null);
    }

    private void implementations(ClassType type, ClassType called, Set<String> names, Map<String, Object> written) {
        boolean has = type.kind() != ClassType.Kind.CUSTOM
                && type.kind() != ClassType.Kind.INTERFACE
                && TypeRelations.isSubtype(type, called);
        if (has) {
            List.copyOf(names).forEach(name -> write(type.method(name), written));
        }
    }

    private void write(Function method, Map<String, Object> written) {
        if (method != null && method.hasBody() && !written.containsKey(method.qualifiedName())) {
            written.put(method.qualifiedName(), null);
            WrittenFunction function = BytecodeEmitter.emit(method, version, problems, decompositions);
            debug.add(function);
            written.put(method.qualifiedName(), tree(function));
        }
    }

    private Object tree(WrittenFunction written) {
        BytecodeFunction function = written.function();
        List<Object> code = new ArrayList<>();
        function.code().forEach(i -> code.add(ScriptTuple.of(i.op(), (long) i.x(), (long) i.n())));
        List<Object> operators = new ArrayList<>();
        for (BytecodeFunction.OperatorName name : function.operators()) {
            operators.add(
                    version < COUNTED_ARGUMENTS
                            ? ScriptTuple.of(name.name(), name.overload())
                            : ScriptTuple.of(name.name(), name.overload(), (long) name.arguments()));
        }
        List<Object> constants = new ArrayList<>();
        function.constants().forEach(value -> constants.add(values.apply(value)));
        List<Object> types = new ArrayList<>();
        for (Type type : function.types()) {
            if (version == LiteForm.FLATBUFFER_VERSION
                    && type instanceof Type.TupleType tuple
                    && tuple.name() != null) {
                problems.add(tuple.name(), null, "named tuples have no place in a flat buffer");
            }
            types.add(LiteTypes.text(type));
        }
        ScriptTuple body = ScriptTuple.of(
                pair("instructions", code),
                pair("operators", operators),
                pair("constants", constants),
                pair("types", types),
                ScriptTuple.of("register_size", (long) written.registers()));
        return ScriptTuple.of(
                function.name(),
                body,
                ScriptTuple.of(
                        arguments("arguments", function.schema().arguments()),
                        arguments("returns", function.schema().returns())));
    }

    private ScriptTuple arguments(String key, List<FunctionSchema.Argument> arguments) {
        List<Object> all = new ArrayList<>();
        for (FunctionSchema.Argument argument : arguments) {
            all.add(ScriptTuple.of(
                    ScriptTuple.of("name", argument.name()),
                    ScriptTuple.of("type", LiteTypes.plainText(argument.type())),
                    ScriptTuple.of("default_value", values.apply(argument.defaultValue()))));
        }
        return pair(key, all);
    }

    private static ScriptTuple pair(String key, List<Object> items) {
        return ScriptTuple.of(key, new ScriptTuple(items, null));
    }
}
