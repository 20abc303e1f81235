package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptEnum;

/** What instructions of a function refer to by number. */
final class BytecodeTables {
    private final String function;
    private final BytecodeProblems problems;
    private final List<BytecodeFunction.OperatorName> operators = new ArrayList<>();
    private final List<Object> constants = new ArrayList<>();
    private final Map<Object, Integer> constantNumbers = new HashMap<>();
    private final List<Type> types = new ArrayList<>();

    BytecodeTables(String function, BytecodeProblems problems) {
        this.function = function;
        this.problems = problems;
    }

    List<BytecodeFunction.OperatorName> operators() {
        return operators;
    }

    List<Object> constants() {
        return constants;
    }

    List<Type> types() {
        return types;
    }

    void refuse(Node node, String reason) {
        problems.add(node.kind(), node.range(), reason);
    }

    int operator(String name, String overload, int arguments) {
        BytecodeFunction.OperatorName wanted = new BytecodeFunction.OperatorName(name, overload, arguments);
        int known = operators.indexOf(wanted);
        if (known < 0) {
            operators.add(wanted);
            known = operators.size() - 1;
        }
        return known;
    }

    /** The operator of a node, if the target has it. */
    int operator(Node node, int arguments) {
        return operator(node.schema().name(), problems.overload(node), arguments);
    }

    int constant(Object value) {
        if (value instanceof ScriptEnum member) {
            problems.add("enum " + member.type().name(), null, "enums have no byte code");
        }
        boolean plain = value == null
                || value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof String;
        Object key = plain
                ? List.of(value == null ? "" : value.getClass(), value == null ? "" : value)
                : new Identity(value);
        return constantNumbers.computeIfAbsent(key, k -> {
            constants.add(value);
            return constants.size() - 1;
        });
    }

    private static final class Identity {
        private final Object value;

        Identity(Object value) {
            this.value = value;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Identity identity && identity.value == value;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(value);
        }
    }

    int type(Type type) {
        int known = types.indexOf(type);
        return known >= 0 ? known : types(List.of(type));
    }

    /** Types one after the other; the number of the first. */
    int types(List<Type> all) {
        int first = types.size();
        types.addAll(all);
        return first;
    }

    /** The name of a method that is found by the object at run time. */
    int method(Node call) {
        String name = (String) call.attribute("name");
        if (call.input(0).type() instanceof ClassType type) {
            problems.called(type, name);
        } else {
            refuse(call, function + " calls " + name + " of what may be anything");
        }
        return constant(name);
    }
}
