package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.shape.SampleShapes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.passes.PointsTo;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What a walk does with calls of operators: runs those on what is known, does to containers what is done to them, and
 * leaves the others.
 */
public final class OperatorEvaluator {
    /** Results with more elements stay computed at run time, lest a small file become a huge one. */
    private static final long MAX_CONSTANT = 64L << 20;
    /** Elements of a view by strides that are looked for one by one. */
    private static final long MAX_VIEW = 1L << 24;

    private static final ScriptRuntime RUNTIME = ScriptRuntime.standard(CustomClasses.NONE);
    private static final int LOOK_BACK = 16;

    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final WideningState widening;
    private final SampleEvaluator samples;
    private final PackedSequenceDecomposition packedRuns;
    private final NestedTensorDecomposition nestedRuns;
    private final DynamicQuanta dynamicQuanta;
    private final QuantizedWrites quantizedWrites;
    private final MaskPropagation maskedRows;
    private final ElementNumbers elementNumbers;
    private final UnbackedDims openRows;
    private final SizedNumbers sizedNumbers;
    /** By what was picked. */
    private final Map<Value, Picked> picks = new IdentityHashMap<>();
    /** Who made memory that may be written to, and where. */
    private final Map<Storage, Maker> makers = new IdentityHashMap<>();

    private record Maker(Node site, Block home) {}

    /** Elements of a tensor that a mask picks. */
    private record Picked(AbstractValue from, AbstractValue mask) {}

    OperatorEvaluator(AbstractInterpreter interpreter, ResidualGraph residual, WideningState widening) {
        this.interpreter = interpreter;
        this.residual = residual;
        this.widening = widening;
        this.samples = new SampleEvaluator(residual);
        this.packedRuns = new PackedSequenceDecomposition(interpreter);
        this.nestedRuns = new NestedTensorDecomposition(interpreter);
        this.dynamicQuanta = new DynamicQuanta(interpreter);
        this.quantizedWrites = new QuantizedWrites(interpreter, this);
        this.sizedNumbers = new SizedNumbers(interpreter);
        this.elementNumbers = new ElementNumbers(interpreter, residual);
        this.maskedRows = new MaskPropagation(interpreter, residual, this, elementNumbers);
        this.openRows = new UnbackedDims(interpreter, residual, widening, maskedRows.rows());
    }

    UnbackedDims openRows() {
        return openRows;
    }

    /** What stands for a result of the graph; containers that are followed hold what stands for their items. */
    AbstractValue returned(AbstractValue result) {
        if (result instanceof Held held && held.container() instanceof ScriptList list) {
            list.items().replaceAll(item -> returned((AbstractValue) item));
        } else if (result instanceof Held held && held.container() instanceof ScriptDict dict) {
            dict.items().replaceAll((key, item) -> returned((AbstractValue) item));
        } else if (result instanceof Held held && held.container() instanceof ScriptTuple tuple) {
            Object items = Structures.map(tuple, item -> returned((AbstractValue) item));
            return new Held(items, held.type(), held.site(), held.home());
        }
        return maskedRows.returned(result);
    }

    void visit(Node node) {
        Operator operator = operator(node.schema()).orElse(null);
        List<AbstractValue> inputs = node.inputs().stream().map(interpreter::of).collect(Streams.toList());
        if (operator != null
                && (packedRuns.visit(node, inputs)
                        || nestedRuns.visit(node, inputs)
                        || dynamicQuanta.visit(node, inputs)
                        || quantizedWrites.visit(node, inputs))) {
            return;
        }
        if (operator == null || moves(node, inputs) && move(node, inputs, operator)) {
            if (operator == null) {
                open(node, inputs);
                interpreter.residualize(node);
            }
            return;
        }
        if (comparesIdentity(node)
                && inputs.get(1) instanceof Known none
                && none.value() == null
                && isSomething(inputs.get(0))) {
            interpreter.define(node.output(), new Known(node.is("aten::__isnot__")));
            return;
        }
        if (node.is("aten::index_put") && masked(node, inputs)
                || !widening.isOpen(node) && (maskedRows.answers(node, inputs) || maskedRows.putBack(node, inputs))) {
            openRows.follow(node, inputs, operator);
            return;
        }
        if (!widening.isOpen(node)
                && (sizedNumbers.answers(node, inputs, operator)
                        || openRows.answers(node, inputs, operator)
                        || elementNumbers.visit(node, inputs))) {
            return;
        }
        notePicked(node, inputs);
        noteBounds(node, inputs);
        Object[] arguments = inputs.stream().map(SampleEvaluator::concrete).toArray();
        boolean unknown = SampleEvaluator.areUnknown(arguments);
        // Whether gradients are recorded is asked for speed only: it is as it is now.
        boolean constant = inputs.stream().allMatch(OperatorEvaluator::isKnown)
                && (!Effects.isRandom(node) || OperatorTrait.READS_STATE.of(node));
        boolean mutates = node.schema().isMutating();
        boolean folds = !unknown
                && !widening.isOpen(node)
                && node.attribute(Node.STAYS) == null
                && (constant || (readsGeometry(node) || readsDenseStrides(node, inputs)) && !mutates)
                && (!Effects.hasSideEffects(node) || mutates);
        // What an image that is still to be left open goes through is not worth computing.
        boolean again = widening.hasChanged() && SampleShapes.isProduct(node.schema());
        if (folds && (again || mutates && !mayWrite(node, inputs) || SampleEvaluator.isHuge(node, arguments))) {
            folds = false;
        }
        if (folds) {
            if (fold(node, inputs, operator, arguments)) {
                return;
            }
        } else {
            open(node, inputs);
        }
        if (!unknown && !widening.isOpen(node) && strided(node, inputs, arguments)) {
            return;
        }
        Object[] results = unknown
                ? samples.standIn(node, inputs, operator, arguments)
                : samples.of(node, inputs, operator, arguments);
        if (!unknown && isGiven(node, inputs, arguments, results)) {
            interpreter.define(node.output(), inputs.get(0));
            return;
        }
        interpreter.residualize(node, results);
        maskedRows.follow(node, inputs, operator);
        openRows.follow(node, inputs, operator);
    }

    /**
     * Whether the result is the first argument itself, as of a conversion to the type that it has, whatever the layout
     * in memory: a tensor of these sizes and this type.
     */
    private static boolean isGiven(Node node, List<AbstractValue> inputs, Object[] arguments, Object[] results) {
        return results != null
                && results.length == 1
                && inputs.get(0) instanceof Open
                && results[0] instanceof Tensor tensor
                && tensor == arguments[0]
                && node.input(0).type() == Type.Basic.TENSOR
                && !node.schema().isMutating()
                && node.schema().indexOf("memory_format") < 0
                && !OperatorTrait.TRAINS.of(node)
                && PointsTo.mayShare(node, node.output());
    }

    /** Makes the node anew with another argument in a place. */
    void residualize(Node node, List<AbstractValue> inputs, int at, AbstractValue other) {
        List<AbstractValue> all = new ArrayList<>(inputs);
        all.set(at, other);
        residualize(node, all);
    }

    /** Makes the node anew for other arguments. */
    void residualize(Node node, List<AbstractValue> inputs) {
        Operator operator = operator(node.schema()).get();
        Object[] results = samples.of(node, inputs, operator, SampleEvaluator.arguments(inputs));
        Node made = residual.copy(node, inputs.stream().map(residual::value).collect(Streams.toList()));
        for (int i = 0; i < node.outputs().size(); i++) {
            interpreter.define(node.output(i), interpreter.open(made.output(i), results == null ? null : results[i]));
        }
    }

    /**
     * Elements that a mask picks, put where the same mask picks them, as in {@code x[m] = y[m]}: how many they are
     * depends on the mask, but a choice between both tensors says the same.
     *
     * @return whether it was that
     */
    private boolean masked(Node node, List<AbstractValue> inputs) {
        Picked picked = picks.remove(node.input(2));
        boolean same = picked != null
                && onlyItem(inputs.get(1)) == picked.mask()
                && !isTrue(inputs.get(3))
                && !interpreter.isWritten(node.input(0));
        if (!same
                || !(AbstractInterpreter.sample(picked.mask()) instanceof Tensor choice)
                || !(AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor into)
                || !(AbstractInterpreter.sample(picked.from()) instanceof Tensor from)
                || !Arrays.equals(from.sizes(), into.sizes())
                || from.dtype() != into.dtype()) {
            return false;
        }
        Value condition = residual.value(picked.mask());
        int[] sizes = choice.sizes();
        for (int d = choice.rank(); d < into.rank(); d++) {
            condition = residual.unsqueeze(condition, -1);
            sizes = Arrays.copyOf(sizes, d + 1);
            sizes[d] = 1;
            interpreter.open(condition, Tensor.zeros(DType.BOOL, sizes));
        }
        Value made = residual.where(condition, picked.from(), inputs.get(0));
        interpreter.define(node.output(), interpreter.open(made, into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** Notes what a mask picks of a tensor that nothing writes to. */
    private void notePicked(Node node, List<AbstractValue> inputs) {
        AbstractValue mask = node.is("aten::index") ? onlyItem(inputs.get(1)) : null;
        if (mask != null
                && AbstractInterpreter.sample(mask) instanceof Tensor choice
                && choice.dtype() == DType.BOOL
                && !interpreter.isWritten(node.input(0))) {
            picks.put(node.output(), new Picked(inputs.get(0), mask));
        }
    }

    /** Notes where a slice of a tensor, which ends at the tensor's own end at the latest, begins and ends. */
    private void noteBounds(Node node, List<AbstractValue> inputs) {
        int end = node.schema().indexOf("end");
        int dim = node.schema().indexOf("dim");
        if (end > 0
                && dim > 0
                && AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor of
                && inputs.get(dim) instanceof Known known
                && known.value() instanceof Long dimension
                && of.rank() > 0) {
            int size = of.size((int) (dimension < 0 ? dimension + of.rank() : dimension));
            interpreter.decisions().bounded(node, inputs.get(node.schema().indexOf("start")), size);
            interpreter.decisions().bounded(node, inputs.get(end), size);
        }
    }

    private static AbstractValue onlyItem(AbstractValue list) {
        return list instanceof Held held && held.container() instanceof ScriptList items && items.size() == 1
                ? (AbstractValue) items.get(0)
                : null;
    }

    private static boolean isTrue(AbstractValue known) {
        return !(known instanceof Known constant) || Boolean.TRUE.equals(constant.value());
    }

    /**
     * A view by strides of a tensor of which all elements that it meets are part: they are picked by number.
     *
     * @return whether it was one
     */
    private boolean strided(Node node, List<AbstractValue> inputs, Object... arguments) {
        boolean known = node.is("aten::as_strided")
                && !interpreter.isWritten(node.input(0))
                && !interpreter.isWritten(node.output())
                && inputs.get(0) instanceof Open
                && arguments[0] instanceof Tensor in
                && in.quantization() == null
                && inputs.stream().skip(1).allMatch(OperatorEvaluator::isKnown);
        if (!known) {
            return false;
        }
        Tensor in = (Tensor) arguments[0];
        int[] sizes = Shape.toInts(((ScriptList) arguments[1]).toLongs());
        int[] strides = Shape.toInts(((ScriptList) arguments[2]).toLongs());
        int offset = arguments[3] == null ? in.offset() : Math.toIntExact((Long) arguments[3]);
        boolean huge = Math.max(in.numel(), Shape.numel(sizes)) > MAX_VIEW;
        StridedViewFacts view = huge ? null : StridedViewFacts.of(in, sizes, strides, offset);
        if (view == null) {
            return false;
        }
        interpreter.define(
                node.output(),
                interpreter.open(
                        view.picked(interpreter, residual, residual.value(inputs.get(0)), in.dtype()),
                        in.asStrided(sizes, strides, offset).copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** Runs the operator here. */
    private boolean fold(Node node, List<AbstractValue> inputs, Operator operator, Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (Effects.writes(node, i) && arguments[i] instanceof Tensor tensor) {
                residual.keep(tensor.storage());
            }
        }
        Object[] results = SampleEvaluator.results(node, operator.kernel().call(arguments));
        for (Object result : results) {
            if (result instanceof Tensor tensor && tensor.numel() > MAX_CONSTANT) {
                return false;
            }
        }
        for (int i = 0; i < arguments.length; i++) {
            if (Effects.writes(node, i)
                    && inputs.get(i) instanceof Held held
                    && arguments[i] instanceof ScriptList list) {
                List<Object> items = ((ScriptList) held.container()).items();
                items.clear();
                list.items()
                        .forEach(item -> items.add(interpreter.containers().followed(item, list.elementType(), node)));
            }
        }
        inputs.forEach(this::noteShapes);
        for (int i = 0; i < node.outputs().size(); i++) {
            Object result = results[i];
            widening.folded(node, result);
            if (result instanceof Tensor tensor
                    && Arrays.stream(arguments)
                            .noneMatch(argument -> argument instanceof Tensor t && t.storage() == tensor.storage())) {
                makers.putIfAbsent(tensor.storage(), new Maker(node, residual.current()));
            }
            int same = Arrays.asList(arguments).indexOf(result);
            boolean returned = result instanceof ScriptList && same >= 0 && arguments[same] == result;
            AbstractValue known = returned
                    ? inputs.get(same)
                    : interpreter.containers().followed(result, node.output(i).type(), node);
            interpreter.decisions().computed(node, inputs, known);
            interpreter.define(node.output(i), known);
        }
        return true;
    }

    /** Something follows from the shapes of an argument's tensors. */
    private void noteShapes(AbstractValue argument) {
        if (argument instanceof Open open) {
            interpreter.sources().add(open.value());
        } else if (argument instanceof Held held && !(held.container() instanceof AbstractValue.Instance)) {
            ResidualGraph.items(held.container()).forEach(this::noteShapes);
        }
    }

    private static boolean moves(Node node, List<AbstractValue> inputs) {
        return OperatorTrait.MOVES_ITEMS.of(node) && inputs.stream().anyMatch(Held.class::isInstance);
    }

    /** Does to followed containers what the operator does. */
    private boolean move(Node node, List<AbstractValue> inputs, Operator operator) {
        Object[] arguments = new Object[inputs.size()];
        List<FunctionSchema.Argument> formal = node.schema().arguments();
        for (int i = 0; i < arguments.length; i++) {
            AbstractValue input = inputs.get(i);
            if (formal.get(i).type() instanceof Type.Variable) {
                arguments[i] = input;
            } else if (input instanceof Held held && !(held.container() instanceof ScriptTuple)) {
                if (widening.isOpen(node)) {
                    return false;
                }
                arguments[i] = node.is("aten::dict") ? pairs(held.container()) : held.container();
                if (arguments[i] == null) {
                    return false;
                }
                if (Effects.writes(node, i) && held.home() != residual.current()) {
                    widening.site(held.site());
                }
            } else if (input instanceof Known known) {
                arguments[i] = known.value();
            } else {
                return false;
            }
        }
        Object[] results = SampleEvaluator.results(node, operator.kernel().call(arguments));
        for (int i = 0; i < node.outputs().size(); i++) {
            Object result = results[i];
            AbstractValue same = inputs.stream()
                    .filter(input -> input instanceof Held held && held.container() == result)
                    .findFirst()
                    .orElse(null);
            AbstractValue known = same != null
                    ? same
                    : interpreter.containers().followed(result, node.output(i).type(), node);
            if (known instanceof Known && known != result) {
                interpreter.decisions().computed(node, inputs, known);
            }
            interpreter.define(node.output(i), known);
        }
        return true;
    }

    /**
     * A list of pairs as {@code aten::dict} takes it, or a dict itself; null for another or where keys are not known.
     */
    private static Object pairs(Object container) {
        if (!(container instanceof ScriptList list)) {
            return container;
        }
        ScriptList pairs = new ScriptList(list.elementType());
        for (Object item : list.items()) {
            if (!(item instanceof Held held
                    && held.container() instanceof ScriptTuple pair
                    && pair.size() == 2
                    && pair.get(0) instanceof Known key)) {
                return null;
            }
            pairs.items().add(ScriptTuple.of(key.value(), pair.get(1)));
        }
        return pairs;
    }

    /** Whether a value is not None, by its type. */
    private static boolean isSomething(AbstractValue known) {
        return known instanceof Held
                || known instanceof Open open
                        && (open.value().type() == Type.Basic.TENSOR
                                || open.value().type() instanceof Type.ListType
                                || open.value().type() instanceof Type.DictType
                                || open.value().type() instanceof Type.TupleType);
    }

    private static boolean isKnown(AbstractValue known) {
        if (!(known instanceof Held held)) {
            return known instanceof Known;
        }
        return held.container() instanceof ScriptDict dict
                ? dict.items().values().stream().allMatch(item -> isKnown((AbstractValue) item))
                : (held.container() instanceof ScriptList || held.container() instanceof ScriptTuple)
                        && ResidualGraph.items(held.container()).stream().allMatch(OperatorEvaluator::isKnown);
    }

    /** Whether what is written to was made here, where every run comes by as this walk does. */
    private boolean mayWrite(Node node, List<AbstractValue> inputs) {
        for (int i = 0; i < inputs.size(); i++) {
            if (Effects.writes(node, i)) {
                boolean ours = inputs.get(i) instanceof Known known
                                && known.value() instanceof Tensor tensor
                                && makers.containsKey(tensor.storage())
                                && makers.get(tensor.storage()).home() == residual.current()
                        || inputs.get(i) instanceof Held held && held.home() == residual.current();
                if (!ours) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Leaves open from the beginning what the node, which is left, writes to. */
    private void open(Node node, List<AbstractValue> inputs) {
        for (int i = 0; i < inputs.size(); i++) {
            if (!Effects.writes(node, i)) {
                continue;
            }
            if (inputs.get(i) instanceof Known known) {
                leaveOpen(known);
            } else if (node.input(i).type() != Type.Basic.TENSOR) {
                // What is put into a container that stays is read from there under another name.
                inputs.forEach(interpreter::escape);
            }
        }
    }

    /** A tensor, if it is one, is written to when the model runs: whoever makes it makes it in every run. */
    void leaveOpen(AbstractValue written) {
        if (written instanceof Known known && known.value() instanceof Tensor tensor) {
            Maker maker = makers.get(tensor.storage());
            if (maker != null) {
                widening.site(maker.site());
            } else if (known.origin() != null) {
                widening.site(known.origin());
            }
        }
    }

    public static Optional<Operator> operator(FunctionSchema schema) {
        return RUNTIME.operators().apply(schema.name()).stream()
                .filter(o -> o.schema().overload().equals(schema.overload())
                        && o.schema().arguments().size() == schema.arguments().size())
                .findFirst();
    }

    /**
     * Strides follow from the shape where PyTorch lays out elements in no other way, whatever layout the inputs have.
     */
    private static boolean readsDenseStrides(Node node, List<AbstractValue> inputs) {
        return node.is("aten::stride")
                && inputs.get(0) instanceof Open open
                && open.sample() instanceof Tensor tensor
                && tensor.isContiguous()
                && isDense(open.value(), LOOK_BACK);
    }

    private static boolean isDense(Value value, int depth) {
        Node node = value.definition();
        if (node == null || depth == 0) {
            return false;
        }
        if (OperatorTrait.KEEPS_ORDER.of(node)) {
            return isDense(node.input(0), depth - 1);
        }
        return switch (node.kind()) {
            case "aten::addmm" -> true;
            case "aten::contiguous" ->
                node.inputs().size() < 2
                        || Literals.of(node.input(1))
                                .map(Literals.Literal::value)
                                .filter(format -> format.equals(0L))
                                .isPresent();
            default -> OperatorTrait.MULTIPLIES_MATRICES.of(node);
        };
    }

    /** Whether the result follows from types and shapes, as that of a test for None does where tensors are none. */
    private static boolean readsGeometry(Node node) {
        return OperatorTrait.READS_GEOMETRY.of(node) || comparesIdentity(node);
    }

    private static boolean comparesIdentity(Node node) {
        return node.is("aten::__is__") || node.is("aten::__isnot__");
    }
}
