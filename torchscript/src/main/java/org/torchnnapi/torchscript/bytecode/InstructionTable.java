package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/** What each instruction without jumps does to the stack, the registers and the graph. */
final class InstructionTable {
    private interface Action {
        void run(Instruction instruction);
    }

    /** Instructions that stand for one operator, with its overload and number of arguments; -1 where they say it. */
    private static final Map<String, BytecodeFunction.OperatorName> SHORT_FORMS = Map.ofEntries(
            form("RAISE_EXCEPTION", "prim::RaiseException", "", 2),
            form("__IS__", "aten::__is__", "", 2),
            form("__ISNOT__", "aten::__isnot__", "", 2),
            form("__NOT__", "aten::__not__", "", 1),
            form("DEVICE", "prim::device", "", 1),
            form("DTYPE", "prim::dtype", "", 1),
            form("DIM", "aten::dim", "", 1),
            form("IS_CUDA", "prim::is_cuda", "", 1),
            form("NUM_TO_TENSOR", "prim::NumToTensor", "Scalar", 1),
            form("FORMAT", "aten::format", "", -1),
            form("WARN", "aten::warn", "", 2));

    /** The instruction that stands for an operator. */
    private static final Map<String, String> SHORT_FORM_OF = new HashMap<>();

    static {
        SHORT_FORMS.forEach((op, operator) -> SHORT_FORM_OF.put(operator.name(), op));
    }

    /** What code before version 8 says by operators of such names. */
    private static final Map<String, String> NAMED = Map.of(
            Prim.TUPLE_INDEX, "TUPLE_INDEX",
            Prim.UNINITIALIZED, "UN_INITIALIZED",
            Prim.UNCHECKED_CAST, "UNCHECKED_CAST");

    /** How overloads for dictionaries name the type of the key. */
    private static final Map<Type, String> KEYS = Map.of(
            Type.Basic.STRING,
            "str",
            Type.Basic.INT,
            "int",
            Type.Basic.BOOL,
            "bool",
            Type.Basic.FLOAT,
            "float",
            Type.Basic.COMPLEX,
            "complex",
            Type.Basic.TENSOR,
            "Tensor");

    private final BytecodeLoader loader;
    private final BytecodeFunction function;
    private final BytecodeGraph machine;
    private final Map<String, Action> actions = new HashMap<>();

    InstructionTable(BytecodeLoader loader, BytecodeFunction function, BytecodeGraph machine) {
        this.loader = loader;
        this.function = function;
        this.machine = machine;
        memory();
        containers();
        objects();
        actions.put("OP", i -> operator(at(function.operators(), i.x(), "operator"), -1));
        actions.put("OPN", i -> operator(at(function.operators(), i.x(), "operator"), i.n()));
        SHORT_FORMS.forEach((op, name) -> actions.put(op, i -> operator(name, name.arguments() < 0 ? i.x() : -1)));
    }

    private static Map.Entry<String, BytecodeFunction.OperatorName> form(
            String op, String name, String overload, int arguments) {
        return Map.entry(op, new BytecodeFunction.OperatorName(name, overload, arguments));
    }

    /** The instruction that stands for an operator, or null. */
    static String shortForm(String operator) {
        return SHORT_FORM_OF.get(operator);
    }

    void run(Instruction instruction) {
        Action action = actions.get(instruction.op());
        if (action == null) {
            throw machine.error("opcode " + instruction.op(), "one that mobile PyTorch accepts");
        }
        action.run(instruction);
    }

    private void memory() {
        actions.put("LOAD", i -> machine.push(machine.load(i.x())));
        actions.put("MOVE", i -> machine.push(machine.load(i.x())));
        actions.put("STORE", i -> machine.store(i.x(), machine.pop()));
        actions.put("STOREN", i -> {
            List<Value> values = machine.pop(i.n());
            for (int k = 0; k < values.size(); k++) {
                machine.store(i.x() + k, values.get(k));
            }
        });
        actions.put("DROP", i -> machine.pop());
        actions.put("DROPR", i -> machine.clear(i.x()));
        actions.put("LOADC", i -> {
            Object value = at(function.constants(), i.x(), "constant");
            machine.push(machine.append(machine.graph().constant(value, RuntimeTypes.of(value)))
                    .output());
        });
    }

    private void containers() {
        actions.put(
                "LIST_CONSTRUCT",
                i -> value(Prim.LIST_CONSTRUCT, machine.pop(i.n()), container(i.x(), Type.ListType.class, "a list's")));
        actions.put(
                "DICT_CONSTRUCT",
                i -> value(Prim.DICT_CONSTRUCT, machine.pop(i.n()), container(i.x(), Type.DictType.class, "a dict's")));
        actions.put("NAMED_TUPLE_CONSTRUCT", i -> {
            Type type = container(i.x(), Type.TupleType.class, "a tuple's");
            if (type instanceof Type.TupleType tuple
                    && i.n() != tuple.elements().size()) {
                throw machine.error("a tuple of " + i.n(), tuple.elements().size() + " as in " + type.text());
            }
            value(Prim.TUPLE_CONSTRUCT, machine.pop(i.n()), type);
        });
        actions.put("TUPLE_CONSTRUCT", i -> {
            List<Value> parts = machine.pop(i.x());
            value(
                    Prim.TUPLE_CONSTRUCT,
                    parts,
                    Type.TupleType.of(parts.stream().map(Value::type).collect(Streams.toList())));
        });
        actions.put("TUPLE_INDEX", i -> {
            List<Value> inputs = machine.pop(2);
            value(Prim.TUPLE_INDEX, inputs, element(inputs.get(0).type(), inputs.get(1)));
        });
        actions.put("DICT_INDEX", i -> {
            List<Value> inputs = machine.pop(2);
            inputs.forEach(machine::push);
            String key = KEYS.getOrDefault(inputs.get(1).type(), "str");
            operator(new BytecodeFunction.OperatorName("aten::__getitem__", "Dict_" + key, 2), -1);
        });
        actions.put("TUPLE_SLICE", i -> {
            Node node = machine.graph().create(Prim.TUPLE_SLICE, machine.pop(1), Type.Basic.ANY_TUPLE);
            machine.push(machine.append(node.attribute("beg", (long) i.x()).attribute("end", (long) i.n()))
                    .output());
        });
        actions.put("LIST_UNPACK", i -> unpack(Prim.LIST_UNPACK, i.x()));
        actions.put("TO_LIST", i -> toList());
    }

    private void objects() {
        actions.put("GET_ATTR", i -> {
            Value object = machine.pop();
            ClassType.Attribute attribute = attribute(object, i.x());
            Node node = machine.graph()
                    .create(Prim.GET_ATTR, List.of(object), attribute == null ? Type.Basic.ANY : attribute.type());
            machine.push(machine.append(node.attribute("name", attribute == null ? null : attribute.name())
                            .attribute("slot", (long) i.x()))
                    .output());
        });
        actions.put("SET_ATTR", i -> {
            Value value = machine.pop();
            Value object = machine.pop();
            ClassType.Attribute attribute = attribute(object, i.x());
            Node node = machine.graph().create(Prim.SET_ATTR).addInput(object).addInput(value);
            machine.append(node.attribute("name", attribute == null ? null : attribute.name())
                    .attribute("slot", (long) i.x()));
        });
        actions.put(
                "CREATE_OBJECT",
                i -> value(Prim.CREATE_OBJECT, List.of(), typed(type(i.x()), ClassType.class, "a class's")));
        actions.put("INTERFACE_CALL", i -> {
            if (!(at(function.constants(), i.x(), "constant") instanceof String method) || i.n() < 1) {
                throw machine.error("a call without name or object", "a method name and at least one argument");
            }
            List<Value> arguments = machine.pop(i.n());
            Function known = arguments.get(0).type() instanceof ClassType owner ? owner.method(method) : null;
            Type result = known == null || known.schema().returns().size() != 1
                    ? Type.Basic.ANY
                    : known.schema().returns().get(0).type();
            Node node = machine.graph().create(Prim.CALL_METHOD, arguments, result);
            machine.push(machine.append(node.attribute("name", method)).output());
        });
        actions.put("ISINSTANCE", i -> {
            List<Type> types = new ArrayList<>();
            for (int k = 0; k < i.n(); k++) {
                types.add(type(i.x() + k));
            }
            Node node = machine.graph().create(Prim.IS_INSTANCE, machine.pop(1), Type.Basic.BOOL);
            machine.push(machine.append(node.attribute("types", types)).output());
        });
        actions.put("UN_INITIALIZED", i -> value(Prim.UNINITIALIZED, List.of(), Type.Basic.ANY));
        // To a type that byte code does not name; what takes the value next asks for one.
        actions.put("UNCHECKED_CAST", i -> {});
    }

    private void value(String kind, List<Value> inputs, Type type) {
        machine.push(machine.append(machine.graph().create(kind, inputs, type)).output());
    }

    /** An attribute by its number; those that no object in the data has yet are made up, as mobile PyTorch does. */
    private ClassType.Attribute attribute(Value object, int slot) {
        if (!(object.type() instanceof ClassType owner) || owner.kind() == ClassType.Kind.CUSTOM) {
            return null;
        }
        if (slot < 0 || slot > 1 << 16) {
            throw machine.error("attribute " + slot, "0 to " + (1 << 16));
        }
        while (owner.attributes().size() <= slot) {
            owner.addAttribute(
                    new ClassType.Attribute("_slot_" + owner.attributes().size(), Type.Basic.ANY, false, false));
        }
        return owner.attributes().get(slot);
    }

    private static Type element(Type type, Value index) {
        return type instanceof Type.TupleType tuple
                        && index.definition() != null
                        && index.definition().attribute("value") instanceof Long at
                        && at >= 0
                        && at < tuple.elements().size()
                ? tuple.elements().get((int) (long) at)
                : Type.Basic.ANY;
    }

    private void unpack(String kind, int count) {
        if (count < 0 || count > function.code().size() + 1000) {
            throw machine.error(count + " parts", "a count that the code can use");
        }
        Node node = machine.graph().create(kind).addInput(machine.pop());
        Type type = node.input(0).type();
        machine.append(node);
        for (int k = 0; k < count; k++) {
            machine.push(node.addOutput(
                    type instanceof Type.TupleType tuple && k < tuple.elements().size()
                            ? tuple.elements().get(k)
                            : type instanceof Type.ListType list ? list.element() : Type.Basic.ANY));
        }
    }

    /** {@code tensor.tolist()}: number of dimensions and element type are constants on the stack. */
    private void toList() {
        List<Value> inputs = machine.pop(3);
        List<Type> scalars = InstructionEmitter.SCALARS;
        long dims = constant(inputs.get(1));
        long scalar = constant(inputs.get(2));
        if (dims < 0 || dims > 64 || scalar < 0 || scalar >= scalars.size()) {
            throw machine.error("a list of " + dims + " dimensions and element type " + scalar, "0 to 64, and 0 to 3");
        }
        Type type = scalars.get((int) scalar);
        for (int k = 0; k < dims; k++) {
            type = Type.list(type);
        }
        value(Prim.TO_LIST, List.of(inputs.get(0)), type);
    }

    private long constant(Value value) {
        if (value.definition() != null && value.definition().attribute("value") instanceof Long number) {
            return number;
        }
        throw machine.error("a value", "an int constant");
    }

    /** @param count of arguments on the stack, or -1 for what the operator table or the schema says */
    private void operator(BytecodeFunction.OperatorName name, int count) {
        if (name.name().equals(Prim.TUPLE_UNPACK)) {
            Instruction next = machine.next();
            unpack(Prim.TUPLE_UNPACK, next != null && next.op().equals("STOREN") ? next.n() : 1);
            return;
        }
        String instruction = NAMED.get(name.name());
        if (instruction != null) {
            actions.get(instruction).run(new Instruction(instruction, 0, 0));
            return;
        }
        Function upgrader = loader.upgrader(name.name(), name.overload());
        if (upgrader != null) {
            int given = count >= 0
                    ? count
                    : name.arguments() >= 0
                            ? name.arguments()
                            : upgrader.schema().arguments().size();
            List<Value> inputs = complete(
                    upgrader.schema(),
                    machine.pop(Math.min(given, upgrader.schema().arguments().size())));
            cast(upgrader.schema(), inputs);
            Node call = machine.graph()
                    .create(
                            Prim.CALL_FUNCTION,
                            inputs,
                            upgrader.schema().returns().get(0).type());
            machine.push(machine.append(call.attribute("function", upgrader)).output());
            return;
        }
        FunctionSchema schema = loader.overloads(name.name()).stream()
                .filter(s -> s.overload().equals(name.overload()))
                .findFirst()
                .orElse(null);
        int told = count >= 0 ? count : name.arguments();
        if (schema == null) {
            schema = loader.derived(name.name(), name.overload(), told);
        }
        if (schema != null && !schema.isVararg() && told > schema.arguments().size()) {
            schema = extended(schema, told);
        }
        Node node = machine.graph().create(name.name());
        if (schema == null) {
            unknown(node, name, told);
            return;
        }
        int given = told >= 0 ? told : schema.arguments().size();
        List<Value> inputs = schema.isVararg() ? machine.pop(given) : complete(schema, machine.pop(given));
        cast(schema, inputs);
        inputs.forEach(node::addInput);
        Map<String, Type> variables = new HashMap<>();
        for (int i = 0; i < schema.arguments().size() && i < inputs.size(); i++) {
            TypeRelations.bind(schema.arguments().get(i).type(), inputs.get(i).type(), variables);
        }
        machine.append(node.schema(schema));
        if (OperatorTrait.TAKES_NUMBERS.of(schema)) {
            node.attribute(Node.AS_WRITTEN, true);
        }
        for (FunctionSchema.Argument result : schema.returns()) {
            machine.push(node.addOutput(TypeRelations.substitute(result.type(), variables)));
        }
    }

    /**
     * A later PyTorch may have given an overload more arguments at its end, which is an overload of its own here; null
     * if none has so many.
     */
    private FunctionSchema extended(FunctionSchema schema, int arguments) {
        for (FunctionSchema other : loader.overloads(schema.name())) {
            boolean begins = other.arguments().size() >= arguments;
            for (int i = 0; begins && i < schema.arguments().size(); i++) {
                begins = other.arguments()
                        .get(i)
                        .name()
                        .equals(schema.arguments().get(i).name());
            }
            if (begins) {
                return other;
            }
        }
        return null;
    }

    /**
     * Byte code has no casts and fewer types than source: an input that may be more than the operator takes gets one.
     */
    private void cast(FunctionSchema schema, List<Value> inputs) {
        for (int i = 0; i < inputs.size() && i < schema.arguments().size(); i++) {
            Type formal = schema.arguments().get(i).type();
            Type actual = inputs.get(i).type();
            if (!TypeRelations.hasVariables(formal) && !TypeRelations.isSubtype(actual, formal)) {
                inputs.set(
                        i,
                        machine.append(machine.graph().create(Prim.UNCHECKED_CAST, List.of(inputs.get(i)), formal))
                                .output());
            }
        }
    }

    /** Adds the defaults that calls leave out; arguments that receive results come last also then. */
    private List<Value> complete(FunctionSchema schema, List<Value> given) {
        int size = schema.arguments().size();
        int out = 0;
        while (out < size && receives(schema.arguments().get(size - 1 - out))) {
            out++;
        }
        int plain = given.size() == size ? size : Math.max(0, given.size() - out);
        List<Value> inputs = new ArrayList<>(given.subList(0, plain));
        for (int i = plain; i < size - (given.size() - plain); i++) {
            FunctionSchema.Argument argument = schema.arguments().get(i);
            if (!argument.hasDefault()) {
                throw machine.error(schema.fullName() + " without " + argument.name(), schema.toString());
            }
            inputs.add(machine.append(
                            machine.graph().constant(argument.defaultValue(), RuntimeTypes.of(argument.defaultValue())))
                    .output());
        }
        inputs.addAll(given.subList(plain, given.size()));
        return inputs;
    }

    /**
     * Whether a call gives it a tensor for the result: functions in the place of operators have no marks, but the name.
     */
    private static boolean receives(FunctionSchema.Argument argument) {
        return argument.keywordOnly() && argument.mutated() || argument.name().equals("out") && !argument.hasDefault();
    }

    private void unknown(Node node, BytecodeFunction.OperatorName name, int count) {
        String fullName = name.overload().isEmpty() ? name.name() : name.name() + "." + name.overload();
        // Nodes of those kinds are the IR's own, with attributes and blocks that an operator has not.
        if (count < 0 || name.name().startsWith("prim::")) {
            throw machine.error("unknown operator " + fullName, "an operator this runtime has");
        }
        machine.pop(count).forEach(node::addInput);
        machine.unknown(fullName);
        machine.append(node.attribute("unresolved", "unknown operator " + fullName));
        machine.push(node.addOutput(Type.Basic.TENSOR));
    }

    private Type type(int index) {
        return at(function.types(), index, "type");
    }

    /** Any where the file does not say what it holds, as of named tuples that are written by name alone. */
    private Type container(int index, Class<? extends Type> kind, String what) {
        Type type = type(index);
        return type == Type.Basic.ANY ? type : typed(type, kind, what);
    }

    private Type typed(Type type, Class<? extends Type> kind, String what) {
        if (!kind.isInstance(type)) {
            throw machine.error("type " + type.text(), what);
        }
        return type;
    }

    private <T> T at(List<T> list, int index, String what) {
        if (index < 0 || index >= list.size()) {
            throw machine.error(what + " " + index, "one of " + list.size());
        }
        return list.get(index);
    }
}
