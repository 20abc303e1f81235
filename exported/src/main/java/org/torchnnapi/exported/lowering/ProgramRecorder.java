package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.exported.ElementTypes;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.NumberOperand;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Records one run of a method on an example as calls of operators on tensors. What follows from sizes is as in the
 * example; what follows from elements, of which another call has others, is noted as a problem. Confined to one thread.
 */
final class ProgramRecorder implements OperatorHook {
    private static final int MAX_CALLS = 50_000;
    private static final String COPY = "aten::copy_";
    static final FunctionSchema.Argument SELF = FunctionSchema.Argument.of("self", Type.Basic.TENSOR);
    /** What says nothing of elements, or nothing to the program. */
    private static final Set<String> SILENT = new HashSet<>(Arrays.asList(
            "aten::__is__",
            "aten::__isnot__",
            "aten::set_grad_enabled",
            "aten::warn",
            "prim::AddStatValue",
            "prim::Print",
            "profiler::_record_function_enter",
            "profiler::_record_function_enter_new",
            "profiler::_record_function_exit"));

    /** What paths of constants begin with that no module has. */
    private static final String LIFTED = "lifted_tensor_";

    private final NamedTensors attributes;
    private final List<RecordedCall> calls = new ArrayList<>();
    private final List<GraphTensor> constants = new ArrayList<>();
    private final Map<Tensor, GraphTensor> names = new IdentityHashMap<>();
    private final Map<Tensor, Integer> writesBefore = new IdentityHashMap<>();
    private final CallDependence dependence;
    private final Map<String, String> problems;
    /** Of the graph that this one is part of; null for the program. */
    private final ProgramRecorder outer;
    /** This graph's own tensors in the place of the outer one's. */
    private final Map<GraphTensor, GraphTensor> operands;
    /** Containers that were made in this graph. */
    private final Set<Object> made = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Decisions decisions;
    private final ControlFlowCalls control = new ControlFlowCalls(this);
    /** Whether what is called is part of a composite, whose operands are what they are. */
    private int inside;

    private final RealForms forms = new RealForms(this);
    private final NumberFacts facts;
    private final UnbackedNumbers unbacked;

    /** @param changing tensors of the module that a call changes */
    ProgramRecorder(NamedTensors attributes, Set<Tensor> changing, UnbackedNumbers unbacked) {
        this.attributes = attributes;
        this.dependence = new CallDependence();
        this.problems = new LinkedHashMap<>();
        this.outer = null;
        this.operands = Map.of();
        this.decisions = new Decisions();
        this.facts = new NumberFacts();
        this.unbacked = unbacked;
        changing.forEach(dependence::vary);
    }

    /**
     * Of a graph that a call of the program takes.
     *
     * @param operands is added to: this graph's own tensors in the place of those outside that it uses
     */
    ProgramRecorder(ProgramRecorder outer, Map<GraphTensor, GraphTensor> operands) {
        this.attributes = outer.attributes;
        this.dependence = outer.dependence;
        this.problems = outer.problems;
        this.outer = outer;
        this.operands = operands;
        this.decisions = outer.decisions;
        this.facts = outer.facts;
        this.unbacked = outer.unbacked;
    }

    NumberFacts facts() {
        return facts;
    }

    /** Numbers that elements decide. */
    UnbackedNumbers unbacked() {
        return unbacked;
    }

    /** Calls of the program so far. */
    private int position() {
        return outer == null ? calls.size() : outer.position();
    }

    Decisions decisions() {
        return decisions;
    }

    CallDependence dependence() {
        return dependence;
    }

    Map<String, String> classNames() {
        return attributes.classNames();
    }

    /** A tensor that the caller gives. */
    GraphTensor argument(String path, Tensor tensor) {
        GraphTensor named = GraphTensor.of(GraphTensor.Origin.ARGUMENT, path, tensor);
        names.put(tensor, named);
        dependence.vary(tensor);
        return named;
    }

    List<RecordedCall> calls() {
        return calls;
    }

    /** Constants of the code, and what was computed of nothing that varies. */
    List<GraphTensor> constants() {
        return constants;
    }

    /** What keeps the run from being written, by operator, with its first place and the rule. */
    Map<String, String> problems() {
        if (wroteOutside()) {
            problems.putIfAbsent("a constant of the code", ": it is written to");
        }
        return problems;
    }

    void problem(String what, SourceRange place, String rule) {
        problems.putIfAbsent(what, (place.file() == null ? "" : " at " + place) + ": " + rule);
    }

    @Override
    public void acts(Node node) {
        if (outer != null && node.is("prim::SetAttr")) {
            problem(node.kind() + " of " + node.attribute("name"), node.range(), ControlFlowCalls.LASTING);
        }
        if (!node.is("prim::CallMethod")) {
            return;
        }
        String type = node.input(0).type().text();
        if (type.endsWith("._nnapi.Compilation")) {
            throw new UnwritableProgramException(type + " at " + node.range()
                    + ": a part that runs on NNAPI, which programs of torch.export have not (expected: the model that "
                    + "it was converted from)");
        }
        problem(type + "." + node.attribute("name"), node.range(), "a method that is not written in TorchScript");
    }

    @Override
    public Object[] branch(Node node, Part then, Part otherwise) {
        return control.branch(node, then, otherwise);
    }

    @Override
    public Object[] loop(Node node, long rounds, long left, Object[] carried, Part round) {
        if (rounds == 0 && left < Long.MAX_VALUE) {
            facts.fixed(left, position(), node.range());
        }
        return control.loop(node, rounds, left, carried, round);
    }

    @Override
    public void made(Node node, Object value) {
        made.add(value);
        if (node.is("prim::tolist")) {
            problem(node.kind(), node.range(), "elements of a tensor as numbers, which are others in another call");
        }
    }

    @Override
    public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
        if (outer != null && changesOther(node, arguments)) {
            problem(node.kind(), node.range(), ControlFlowCalls.LASTING);
        }
        boolean decides = decisions.takes(this, node, arguments);
        Object[] given = arguments.clone();
        Object result = decides ? decisions.call(this, node, kernel, arguments) : record(node, kernel, arguments);
        if (!decides) {
            result = NumberFacts.compares(node, given) ? unbacked.answered((Boolean) result) : result;
            facts.called(node, given, result, position());
        }
        if (TreeSpec.isContainer(result)) {
            made.add(result);
        }
        return result;
    }

    /** Whether an operator changes a list or dictionary that was not made in this graph. */
    private boolean changesOther(Node node, Object[] given) {
        FunctionSchema schema = node.schema();
        boolean changes = false;
        for (int i = 0; schema != null && i < schema.arguments().size(); i++) {
            changes |=
                    schema.arguments().get(i).mutated() && TreeSpec.isContainer(given[i]) && !made.contains(given[i]);
        }
        return changes;
    }

    private Object record(Node node, OperatorKernel kernel, Object[] arguments) {
        if (calls.size() > MAX_CALLS) {
            throw new UnwritableProgramException("operators: more than " + MAX_CALLS
                    + " in one call of forward (expected: a loop that runs less often, as programs have none)");
        }
        FunctionSchema schema = node.schema();
        Object[] given = arguments.clone();
        boolean varies = CallDependence.any(given, this::varies);
        boolean sized = CallDependence.any(given, dependence::isSized);
        if (outer == null && varies && OperatorTrait.ITEM.of(node) && given[0] instanceof Tensor tensor) {
            Object element = kernel.call(arguments);
            if (element instanceof Long number) {
                return unbacked.read(this, node, tensor, number);
            }
        }
        if (schema != null && RealForms.concerns(schema, given)) {
            if (sized) {
                unbacked.take();
            }
            return forms.call(node, kernel, given);
        }
        Operator functional = schema == null ? null : OutForms.functional(schema);
        if (functional != null) {
            return OutForms.into(this, node, functional, given);
        }
        String target = schema == null ? null : TodaysOperators.target(schema);
        if (target == null) {
            return other(node, kernel, arguments, varies, sized);
        }
        boolean counts = schema.returns().stream().noneMatch(result -> TodaysOperators.isTensor(result.type()));
        if (counts && !schema.returns().isEmpty()) {
            Object result = kernel.call(arguments);
            number(node, varies, sized);
            return result;
        }
        Number number = inside == 0 ? NumberOperand.of(node) : null;
        if (number != null) {
            given[1] = number;
        }
        List<Object> taken = new ArrayList<>();
        for (Object argument : given) {
            taken.add(taken(argument));
        }
        boolean trains = OperatorTrait.TRAINS.of(node);
        int writes = trains ? writes(given) : 0;
        Object result = kernel.call(arguments);
        boolean opens = CallDependence.opens(node, given, varies)
                || sized && outer == null && unbacked.endsWithin(node, given, facts, position());
        UnbackedNumbers.Opened opened = opens && outer == null ? unbacked.opened(node, given, result) : null;
        if (opened != null) {
            result = opened.value();
        } else if (opens) {
            unbacked.hide();
        }
        boolean lasts = schema.isMutating()
                || OperatorTrait.ACTING.of(node)
                || trains && writes(given) != writes
                || schema.returns().isEmpty();
        RecordedCall call = new RecordedCall(target, schema.arguments(), taken, node.range(), lasts);
        calls.add(call);
        boolean random = OperatorTrait.RANDOM.of(node) || trains;
        boolean fixed = OperatorTrait.READS_GEOMETRY.of(node) && !sized;
        dependence.called(node, given, result, (varies || random) && !fixed, sized || opens);
        call.results(results(node, schema, given, result, sized));
        if (opened != null) {
            unbacked.called(opened, call, named(opened.tensor()));
        }
        if (CallDependence.any(new Object[] {result}, tensor -> tensor.dtype().isQuantized())) {
            problem(schema.fullName(), node.range(), "a quantized tensor of nothing that is quantized");
        }
        return result;
    }

    /** Calls an operator as part of what a node does. */
    Object run(Node at, Operator operator, Object[] arguments) {
        Node node = new Graph()
                .create(operator.schema().name())
                .schema(operator.schema())
                .range(at.range());
        return insideOf(() -> call(node, operator.kernel(), arguments));
    }

    private static int writes(Object[] given) {
        int sum = 0;
        for (Object argument : given) {
            sum += argument instanceof Tensor tensor ? tensor.storage().writes() : 0;
        }
        return sum;
    }

    private List<Object> results(Node node, FunctionSchema schema, Object[] given, Object result, boolean sized) {
        List<Object> made = new ArrayList<>();
        int count = schema.returns().size();
        for (int i = 0; i < count; i++) {
            Object value = count == 1 ? result : ((Object[]) result)[i];
            if (value instanceof ScriptList list) {
                // As many as there are in another list follow from that.
                boolean follows = Arrays.stream(given)
                        .anyMatch(other -> other instanceof ScriptList from
                                && from.items().size() == list.items().size());
                if (sized && !follows && !unbacked.isHidden()) {
                    unbacked.take();
                } else if (sized && !follows) {
                    problem(
                            node.kind(),
                            node.range(),
                            "as many tensors as elements say, of which a program has a number");
                }
                List<Object> items = new ArrayList<>();
                list.items().forEach(item -> items.add(result(item)));
                made.add(items);
            } else {
                if (value != null && !(value instanceof Tensor)) {
                    problem(node.kind(), node.range(), "it gives a number beside tensors, which follows from elements");
                }
                made.add(result(value));
            }
        }
        return made;
    }

    GraphTensor result(Object value) {
        if (!(value instanceof Tensor tensor)) {
            return null;
        }
        GraphTensor named = GraphTensor.of(GraphTensor.Origin.RESULT, "", tensor);
        names.put(tensor, named);
        return named;
    }

    /** An argument as a program has it now; what is written to is called otherwise from then on. */
    private Object taken(Object argument) {
        if (argument instanceof Tensor tensor) {
            return named(tensor);
        }
        if (argument instanceof ScriptList list) {
            List<Object> items = new ArrayList<>();
            list.items().forEach(item -> items.add(taken(item)));
            return items;
        }
        return argument;
    }

    /** What the program calls a tensor now; one that nothing made is a constant. */
    GraphTensor named(Tensor tensor) {
        GraphTensor known = names.get(tensor);
        if (known == null && outer != null) {
            known = operand(outer.named(tensor), tensor);
            names.put(tensor, known);
            writesBefore.put(tensor, tensor.storage().writes());
        } else if (known == null) {
            known = attributes.find(tensor);
            if (known == null) {
                known = constant(tensor);
                writesBefore.put(tensor, tensor.storage().writes());
            }
            if (ElementTypes.number(GraphTensor.plain(tensor.dtype())) == 0) {
                throw new UnwritableProgramException(
                        "tensor: of " + tensor.dtype().torchName() + " (expected: elements that programs have)");
            }
            names.put(tensor, known);
        }
        return known;
    }

    private GraphTensor operand(GraphTensor outside, Tensor tensor) {
        return operands.computeIfAbsent(outside, key -> GraphTensor.of(GraphTensor.Origin.ARGUMENT, "", tensor));
    }

    /** A tensor that a loop carries, or is given for that. */
    GraphTensor carried(Tensor tensor) {
        GraphTensor named = argument("", tensor);
        writesBefore.put(tensor, tensor.storage().writes());
        return named;
    }

    /** Whether a tensor of the graph outside was written to; of the program, a constant. */
    boolean wroteOutside() {
        return writesBefore.entrySet().stream()
                .anyMatch(entry -> entry.getKey().storage().writes() != entry.getValue());
    }

    /** Tensors of outside that this graph uses. */
    Set<Tensor> outside() {
        return writesBefore.keySet();
    }

    /** An operator that programs do not have: what it is made of, or what it moves about, or a number. */
    private Object other(Node node, OperatorKernel kernel, Object[] arguments, boolean varies, boolean sized) {
        Operator operator = OperatorCalls.composite(node);
        boolean writes = CallDependence.writesTensors(node, arguments);
        if (operator != null && (varies || writes)) {
            return insideOf(() -> GraphEvaluator.call(operator.decomposition(), arguments, this::call));
        }
        if (writes) {
            return written(node, kernel, arguments);
        }
        if (SILENT.contains(node.kind()) && node.outputs().isEmpty()) {
            return null;
        }
        Object[] given = arguments.clone();
        Object result = kernel.call(arguments);
        if (OperatorTrait.MOVES_ITEMS.of(node) || SILENT.contains(node.kind())) {
            return result;
        }
        if (OperatorTrait.ACTING.of(node) && !node.is("aten::wait")) {
            problem(node.kind(), node.range(), "it acts on more than tensors");
            return result;
        }
        boolean tensors = CallDependence.any(new Object[] {result}, tensor -> true);
        if (!tensors) {
            number(node, varies, sized);
        } else if (varies && CallDependence.any(new Object[] {result}, tensor -> !names.containsKey(tensor))) {
            converted(node, given, result);
        } else if (!varies && result instanceof Tensor tensor && !names.containsKey(tensor)) {
            fresh(node, tensor);
        }
        return result;
    }

    /** TorchScript's own forms of what fills a tensor in place. */
    private Object written(Node node, OperatorKernel kernel, Object[] given) {
        if (node.is(COPY) && given.length == 2) {
            return given[1] instanceof Tensor
                    ? OperatorCalls.run(this, node, COPY, given[0], given[1], false)
                    : OperatorCalls.run(this, node, "aten::fill_.Scalar", given);
        }
        problem(node.schema().fullName(), node.range(), "no operator of PyTorch today");
        return kernel.call(given);
    }

    /** A tensor made of numbers, such as {@code torch.tensor(3)}: a new one in each call. */
    private void fresh(Node node, Tensor tensor) {
        GraphTensor constant = constant(tensor.copy(MemoryFormat.CONTIGUOUS));
        add("aten.clone.default", List.of(SELF), List.of(constant), node.range(), tensor);
    }

    /** A tensor that the program has with it, under the name that this graph has for it. */
    private GraphTensor constant(Tensor tensor) {
        if (outer != null) {
            return operand(outer.constant(tensor), tensor);
        }
        GraphTensor constant = GraphTensor.lifted(attributes.unused(LIFTED + constants.size()), tensor);
        constants.add(constant);
        return constant;
    }

    /** TorchScript's own forms of what moves a tensor to another device or type. */
    private void converted(Node node, Object[] given, Object result) {
        boolean moves = node.kind().equals("aten::to")
                || node.kind().equals("aten::cpu")
                || node.kind().equals("aten::cuda")
                || node.kind().equals("prim::data")
                || node.kind().equals("aten::as_tensor");
        if (moves && given[0] instanceof Tensor && result instanceof Tensor tensor) {
            dependence.called(node, given, result, true, CallDependence.any(given, dependence::isSized));
            add(
                    "aten.to.dtype",
                    List.of(SELF, FunctionSchema.Argument.of("dtype", Type.Basic.INT)),
                    Arrays.asList(taken(given[0]), (long) tensor.dtype().code()),
                    node.range(),
                    tensor);
            return;
        }
        String name = node.schema() == null ? node.kind() : node.schema().fullName();
        problem(name, node.range(), "no operator of PyTorch today");
        unknown(result);
    }

    private void number(Node node, boolean varies, boolean sized) {
        boolean geometry = OperatorTrait.READS_GEOMETRY.of(node) || OperatorTrait.READS_SIZES.of(node);
        boolean ofType = node.kind().startsWith("prim::")
                || node.is("aten::dim")
                || node.is("aten::is_floating_point")
                || node.is("aten::is_complex");
        if (geometry && sized && !ofType && !unbacked.isHidden()) {
            unbacked.take();
        } else if (geometry && sized && !ofType) {
            problem(node.kind(), node.range(), "a size that follows from elements, which are others in another call");
        } else if (!geometry && varies && !OperatorTrait.MOVES_ITEMS.of(node)) {
            problem(node.kind(), node.range(), "a number that follows from elements, which are others in another call");
        }
    }

    /** Calls what gives no tensor. */
    Object counted(Node node, OperatorKernel kernel, Object[] given) {
        Object result = kernel.call(given);
        number(node, CallDependence.any(given, this::varies), CallDependence.any(given, dependence::isSized));
        return result;
    }

    /** Whether another call may have other elements there. */
    boolean varies(Tensor tensor) {
        return dependence.varies(tensor);
    }

    /** Records part of a composite. */
    Object insideOf(Supplier<Object> work) {
        inside++;
        try {
            return work.get();
        } finally {
            inside--;
        }
    }

    /** Records a call that gave a tensor, which varies as another does. */
    void emit(
            String target,
            List<FunctionSchema.Argument> formals,
            List<Object> arguments,
            Node node,
            Tensor result,
            Tensor source) {
        dependence.follow(source, result);
        add(target, formals, arguments, node.range(), result);
    }

    /** Adds a call that takes graphs. */
    void add(RecordedCall call, List<GraphTensor> results) {
        calls.add(call);
        call.results(new ArrayList<>(results));
    }

    private GraphTensor add(
            String target,
            List<FunctionSchema.Argument> formals,
            List<Object> arguments,
            SourceRange place,
            Tensor result) {
        RecordedCall call = new RecordedCall(target, formals, arguments, place, false);
        calls.add(call);
        GraphTensor named = result(result);
        call.results(List.of(named));
        return named;
    }

    /** Gives a tensor the name of another with the same elements. */
    void same(Tensor known, Tensor other) {
        names.put(other, named(known));
        dependence.follow(known, other);
    }

    /** Leaves a tensor without a name, so that it is a constant where it is used. */
    void unnamed(Tensor tensor) {
        names.remove(tensor);
    }

    /** Names tensors of which the program can say nothing. */
    void unknown(Object value) {
        CallDependence.any(new Object[] {value}, tensor -> {
            dependence.vary(tensor);
            result(tensor);
            return false;
        });
    }

    /** Visits the tensors beside one that show its memory. */
    void othersOf(Tensor tensor, Consumer<Tensor> visitor) {
        for (Tensor other : new ArrayList<>(names.keySet())) {
            if (other != tensor && dependence.root(other) == dependence.root(tensor)) {
                visitor.accept(other);
            }
        }
    }

    /** Adds a copy of a tensor. */
    GraphTensor copied(Tensor tensor) {
        return add("aten.clone.default", List.of(SELF), List.of(named(tensor)), SourceRange.NONE, tensor);
    }
}
