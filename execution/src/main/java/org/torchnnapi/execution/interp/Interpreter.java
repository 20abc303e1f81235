package org.torchnnapi.execution.interp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Runs functions and methods. Graphs are compiled when first run and must not change afterwards. Safe for use by
 * several threads as far as the objects and tensors they run on are.
 */
public final class Interpreter {
    private final NodeCompiler nodes;
    private final java.util.function.Function<String, CustomClass> customClasses;
    private final Map<Graph, InstructionList> graphs = new ConcurrentHashMap<>();
    private final Map<Function, InstructionList> programs = new ConcurrentHashMap<>();
    private final Map<Function, Boolean> keeping = new ConcurrentHashMap<>();

    /**
     * @param operators the overloads of an operator kind, none for an unknown one
     * @param customClasses the class of a qualified name, or null
     */
    public Interpreter(
            java.util.function.Function<String, List<Operator>> operators,
            java.util.function.Function<String, CustomClass> customClasses) {
        nodes = new NodeCompiler(operators);
        this.customClasses = customClasses;
    }

    /** Whether nodes of a kind run that is no operator, for example {@code prim::TupleIndex}. */
    public static boolean hasNode(String kind) {
        return new NodeCompiler(name -> List.of()).hasOwn(kind);
    }

    /**
     * Runs a function; a method takes its object as first argument.
     *
     * @param keywords arguments by name
     * @return the result; null is None
     * @throws IllegalArgumentException if the arguments do not fit the schema
     * @throws ScriptException if the program raises, an operator fails, calls nest too deep or the thread is
     *     interrupted
     * @throws org.torchnnapi.torchscript.source.SourceException if the source of a function that is called is broken
     */
    public Object run(Function function, List<?> arguments, Map<String, ?> keywords) {
        return run(function, fit(function, arguments, keywords), null);
    }

    /**
     * Runs a function on arguments that {@link #fit} gave.
     *
     * @param hook called in place of every operator, or null
     * @see #run(Function, List, Map)
     */
    public Object run(Function function, Object[] fitted, OperatorHook hook) {
        return run(function, fitted, hook, null);
    }

    /**
     * Runs a function on arguments that {@link #fit} gave, its regions by a runner as far as that does them.
     *
     * @see #run(Function, List, Map)
     */
    public Object runRegions(Function function, Object[] fitted, RegionRunner runner) {
        return run(function, fitted, null, runner);
    }

    /** Where the regions of the functions that ran end, in no order. */
    public List<RegionBreak> breaks() {
        return graphs.values().stream()
                .flatMap(program -> program.regions().breaks().stream())
                .collect(Streams.toList());
    }

    private Object run(Function function, Object[] fitted, OperatorHook hook, RegionRunner runner) {
        InstructionList program = program(function);
        Object[] slots = program.newSlots();
        System.arraycopy(fitted, 0, slots, 0, fitted.length);
        try {
            return program.run(slots, new InterpretedRun(this, hook, runner));
        } catch (StackOverflowError e) {
            throw new ScriptException(
                    "RecursionError",
                    "call of " + function.qualifiedName()
                            + ": the thread's stack is full (expected: a larger stack or fewer nested calls)");
        }
    }

    public Object run(Function function, Object... arguments) {
        return run(function, Arrays.asList(arguments), Map.of());
    }

    /**
     * Runs a method.
     *
     * @throws IllegalArgumentException if there is no such method or the arguments do not fit
     */
    public Object call(ScriptObject object, String method, Object... arguments) {
        List<Object> all = new ArrayList<>();
        all.add(object);
        Collections.addAll(all, arguments);
        return run(method(object.type(), method), all, Map.of());
    }

    /** Ends a run whose thread is interrupted; for work that takes long. */
    public static void checkInterrupt() {
        InterpretedRun.checkInterrupt();
    }

    /** Runs a graph on its inputs; several results come as {@code Object[]}. */
    public Object run(Graph graph, Object... inputs) {
        InstructionList program = graphs.computeIfAbsent(graph, g -> Compiler.compile(g, nodes));
        if (inputs.length != program.parameters()) {
            throw new IllegalArgumentException(
                    "inputs: " + inputs.length + " (expected: " + program.parameters() + ")");
        }
        Object[] slots = program.newSlots();
        System.arraycopy(inputs, 0, slots, 0, inputs.length);
        return program.run(slots, new InterpretedRun(this, null, null));
    }

    /**
     * Whether a function that was called, or one that it calls, may look at memory beside the elements of a tensor
     * ({@link org.torchnnapi.torchscript.ir.OperatorTrait#READS_MEMORY}).
     */
    public boolean readsMemory() {
        return nodes.readsMemory();
    }

    InstructionList program(Function function) {
        if (!function.hasBody()) {
            throw new IllegalArgumentException(
                    "function: " + function.qualifiedName() + " (expected: one with a body)");
        }
        InstructionList known = programs.get(function);
        if (known == null) {
            Graph graph = function.representative().graph();
            known = graphs.computeIfAbsent(graph, g -> Compiler.compile(g, nodes))
                    .of(function);
            programs.put(function, known);
        }
        return known;
    }

    InstructionList program(ClassType type, String method) {
        return program(method(type, method));
    }

    /**
     * Whether anything but a method's result may refer to the memory of its arguments, without the object, after a
     * call; conservative.
     */
    public boolean mayKeepArguments(Function method) {
        Boolean known = keeping.get(method);
        if (known == null) {
            known = false;
            for (int i = 1; i < method.schema().arguments().size() && !known; i++) {
                known = Escapes.ofParameter(method, i, customClasses);
            }
            keeping.put(method, known);
        }
        return known;
    }

    /** What may refer to a value's memory after its graph has run; conservative. */
    Escapes.Fate fate(Value value) {
        return Escapes.ofValue(value, customClasses);
    }

    /** Null if this runtime has no class of that name. */
    public CustomClass customClassOrNull(String name) {
        return customClasses.apply(name);
    }

    CustomClass customClass(String name) {
        CustomClass found = customClassOrNull(name);
        if (found == null) {
            throw new IllegalArgumentException("class: " + name + " (expected: a custom class this runtime has)");
        }
        return found;
    }

    private static Function method(ClassType type, String name) {
        Function method = type.method(name);
        if (method == null) {
            throw new IllegalArgumentException("method: " + name + " (expected: a method of " + type.name()
                    + ", one of " + type.methods().stream().map(Function::name).collect(Streams.toList()) + ")");
        }
        return method;
    }

    /**
     * Arguments of a call in the order of the function's schema, defaults filled in.
     *
     * @throws IllegalArgumentException if they do not fit the schema
     */
    public static Object[] fit(Function function, List<?> arguments, Map<String, ?> keywords) {
        FunctionSchema schema = function.schema();
        List<FunctionSchema.Argument> formals = schema.arguments();
        if (arguments.size() > formals.size()) {
            // Callers do not give the object that a method is of.
            boolean isMethod = !formals.isEmpty()
                    && formals.get(0).type() instanceof ClassType type
                    && type.method(function.name()) == function;
            int own = isMethod ? 1 : 0;
            throw new IllegalArgumentException(function.name() + "() arguments: " + (arguments.size() - own)
                    + " (expected: at most " + (formals.size() - own) + ", " + schema + ")");
        }
        Object[] fitted = new Object[formals.size()];
        for (int i = 0; i < fitted.length; i++) {
            FunctionSchema.Argument formal = formals.get(i);
            Object value;
            if (i < arguments.size()) {
                value = arguments.get(i);
            } else if (keywords.containsKey(formal.name())) {
                value = keywords.get(formal.name());
            } else if (formal.hasDefault()) {
                value = formal.defaultValue();
            } else {
                throw new IllegalArgumentException(function.name() + "() argument " + formal.name()
                        + ": missing (expected: a " + formal.type().text() + ", " + schema + ")");
            }
            if (!accepts(value, formal.type())) {
                throw new IllegalArgumentException(function.name() + "() argument " + formal.name() + ": a "
                        + RuntimeTypes.of(value).text() + " (expected: "
                        + formal.type().text() + ", " + schema + ")");
            }
            fitted[i] = value;
        }
        for (String keyword : keywords.keySet()) {
            int index = schema.indexOf(keyword);
            if (index < arguments.size()) {
                throw new IllegalArgumentException(function.name() + "() argument " + keyword + ": "
                        + (index < 0 ? "unknown" : "given twice") + " (expected: arguments of " + schema + ")");
            }
        }
        return fitted;
    }

    /** Lists and dicts from outside may be declared with a narrower or wider element type than the schema's. */
    private static boolean accepts(Object value, Type type) {
        if (RuntimeTypes.isInstance(value, type)) {
            return true;
        }
        if (type instanceof Type.OptionalType optional) {
            return accepts(value, optional.element());
        }
        if (value instanceof ScriptList list && type instanceof Type.ListType wanted) {
            return list.items().stream().allMatch(item -> accepts(item, wanted.element()));
        }
        if (value instanceof ScriptDict dict && type instanceof Type.DictType wanted) {
            return dict.items().entrySet().stream()
                    .allMatch(e -> accepts(e.getKey(), wanted.key()) && accepts(e.getValue(), wanted.value()));
        }
        if (value instanceof ScriptTuple tuple
                && type instanceof Type.TupleType wanted
                && tuple.size() == wanted.elements().size()) {
            for (int i = 0; i < tuple.size(); i++) {
                if (!accepts(tuple.get(i), wanted.elements().get(i))) {
                    return false;
                }
            }
            return true;
        }
        return false;
    }
}
