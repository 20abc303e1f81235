package org.torchnnapi.converter.free.specialise;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.torchnnapi.converter.free.specialise.Abstract.Held;
import org.torchnnapi.converter.free.specialise.Abstract.Known;
import org.torchnnapi.converter.free.specialise.Abstract.Open;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.Operator;
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
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** What a walk does with calls of operators: runs those on what is known, does to containers what is done to them, and leaves the others. */
public final class Calls {
    /** Results with more elements stay computed at run time, lest a small file become a huge one. */
    private static final long MAX_CONSTANT = 64L << 20;
    /** Elements of a view by strides that are looked for one by one. */
    private static final long MAX_VIEW = 1L << 24;
    private static final ScriptRuntime RUNTIME = ScriptRuntime.standard(CustomClasses.NONE);
    private static final int LOOK_BACK = 16;

    private final Walk walk;
    private final Residue residue;
    private final Openings openings;
    private final SampleCalls samples;
    private final PackedRuns packedRuns;
    private final NestedRuns nestedRuns;
    private final DynamicQuanta dynamicQuanta;
    private final MaskedRows maskedRows;
    private final ElementNumbers elementNumbers;
    private final OpenRows openRows;
    private final SizedNumbers sizedNumbers;
    /** By what was picked. */
    private final Map<Value, Picked> picks = new IdentityHashMap<>();
    /** Who made memory that may be written to, and where. */
    private final Map<Storage, Maker> makers = new IdentityHashMap<>();

    private record Maker(Node site, Block home) {
    }

    /** Elements of a tensor that a mask picks. */
    private record Picked(Abstract from, Abstract mask) {
    }

    Calls(Walk walk, Residue residue, Openings openings) {
        this.walk = walk;
        this.residue = residue;
        this.openings = openings;
        this.samples = new SampleCalls(residue);
        this.packedRuns = new PackedRuns(walk);
        this.nestedRuns = new NestedRuns(walk);
        this.dynamicQuanta = new DynamicQuanta(walk);
        this.sizedNumbers = new SizedNumbers(walk);
        this.elementNumbers = new ElementNumbers(walk, residue);
        this.maskedRows = new MaskedRows(walk, residue, this, elementNumbers);
        this.openRows = new OpenRows(walk, residue, openings, maskedRows.rows());
    }

    OpenRows openRows() {
        return openRows;
    }

    /** What stands for a result of the graph; containers that are followed hold what stands for their items. */
    Abstract returned(Abstract result) {
        if (result instanceof Held held && held.container() instanceof ScriptList list) {
            list.items().replaceAll(item -> returned((Abstract) item));
        } else if (result instanceof Held held && held.container() instanceof ScriptDict dict) {
            dict.items().replaceAll((key, item) -> returned((Abstract) item));
        } else if (result instanceof Held held && held.container() instanceof ScriptTuple tuple) {
            List<Object> items = tuple.items().stream().map(item -> (Object) returned((Abstract) item)).collect(Streams.toList());
            return new Held(new ScriptTuple(items, tuple.type()), held.type(), held.site(), held.home());
        }
        return maskedRows.returned(result);
    }

    void visit(Node node) {
        Operator operator = operator(node.schema()).orElse(null);
        List<Abstract> inputs = node.inputs().stream().map(walk::of).collect(Streams.toList());
        if (operator != null && (packedRuns.visit(node, inputs) || nestedRuns.visit(node, inputs) || dynamicQuanta.visit(node, inputs))) {
            return;
        }
        if (operator == null || moves(node, inputs) && move(node, inputs, operator)) {
            if (operator == null) {
                open(node, inputs);
                walk.leave(node);
            }
            return;
        }
        if ((node.is("aten::__is__") || node.is("aten::__isnot__")) && inputs.get(1) instanceof Known none && none.value() == null && isSomething(inputs.get(0))) {
            walk.define(node.output(), new Known(node.is("aten::__isnot__")));
            return;
        }
        if (node.is("aten::index_put") && masked(node, inputs) || !openings.isOpen(node) && (maskedRows.answers(node, inputs) || maskedRows.putBack(node, inputs))) {
            openRows.follow(node, inputs, operator);
            return;
        }
        if (!openings.isOpen(node) && (sizedNumbers.answers(node, inputs, operator) || openRows.answers(node, inputs, operator) || elementNumbers.visit(node, inputs))) {
            return;
        }
        notePicked(node, inputs);
        Object[] arguments = inputs.stream().map(SampleCalls::concrete).toArray();
        boolean unknown = SampleCalls.areUnknown(arguments);
        // Whether gradients are recorded is asked for speed only: it is as it is now.
        boolean constant = inputs.stream().allMatch(Calls::isKnown) && (!Effects.isRandom(node) || OperatorTrait.READS_STATE.of(node));
        boolean mutates = node.schema().isMutating();
        boolean folds = !unknown && !openings.isOpen(node) && node.attribute(Node.STAYS) == null && (constant || (readsGeometry(node) || readsDenseStrides(node, inputs)) && !mutates) && (!Effects.hasSideEffects(node) || mutates);
        // What an image that is still to be left open goes through is not worth computing.
        boolean again = openings.hasChanged() && SampleShapes.isProduct(node);
        if (folds && (again || mutates && !mayWrite(node, inputs) || SampleCalls.isHuge(node, arguments))) {
            folds = false;
        }
        if (folds) {
            if (fold(node, inputs, operator, arguments)) {
                return;
            }
        } else {
            open(node, inputs);
        }
        if (!unknown && !openings.isOpen(node) && strided(node, inputs, arguments)) {
            return;
        }
        walk.leave(node, unknown ? samples.standIn(node, inputs, operator, arguments) : samples.of(node, inputs, operator, arguments));
        maskedRows.follow(node, inputs, operator);
        openRows.follow(node, inputs, operator);
    }

    /** Makes the node anew for other arguments. */
    void leave(Node node, List<Abstract> inputs) {
        Operator operator = operator(node.schema()).get();
        Object[] results = samples.of(node, inputs, operator, SampleCalls.arguments(inputs));
        Node made = residue.copy(node, inputs.stream().map(residue::value).collect(Streams.toList()));
        for (int i = 0; i < node.outputs().size(); i++) {
            walk.define(node.output(i), walk.open(made.output(i), results == null ? null : results[i]));
        }
    }

    /**
     * Elements that a mask picks, put where the same mask picks them, as in {@code x[m] = y[m]}: how many they are depends on the mask, but a
     * choice between both tensors says the same.
     *
     * @return whether it was that
     */
    private boolean masked(Node node, List<Abstract> inputs) {
        Picked picked = picks.remove(node.input(2));
        boolean same = picked != null && onlyItem(inputs.get(1)) == picked.mask() && !isTrue(inputs.get(3)) && !walk.isWritten(node.input(0));
        if (!same || !(Walk.sample(picked.mask()) instanceof Tensor choice) || !(Walk.sample(inputs.get(0)) instanceof Tensor into)
            || !(Walk.sample(picked.from()) instanceof Tensor from) || !Arrays.equals(from.sizes(), into.sizes()) || from.dtype() != into.dtype()) {
            return false;
        }
        Value condition = residue.value(picked.mask());
        int[] sizes = choice.sizes();
        for (int d = choice.rank(); d < into.rank(); d++) {
            condition = residue.call("aten::unsqueeze", Type.Basic.TENSOR, condition, residue.constant(-1L, null));
            sizes = Arrays.copyOf(sizes, d + 1);
            sizes[d] = 1;
            walk.open(condition, Tensor.zeros(DType.BOOL, sizes));
        }
        Value made = residue.call("aten::where.self", Type.Basic.TENSOR, condition, residue.value(picked.from()), residue.value(inputs.get(0)));
        walk.define(node.output(), walk.open(made, into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** Notes what a mask picks of a tensor that nothing writes to. */
    private void notePicked(Node node, List<Abstract> inputs) {
        Abstract mask = node.is("aten::index") ? onlyItem(inputs.get(1)) : null;
        if (mask != null && Walk.sample(mask) instanceof Tensor choice && choice.dtype() == DType.BOOL && !walk.isWritten(node.input(0))) {
            picks.put(node.output(), new Picked(inputs.get(0), mask));
        }
    }

    private static Abstract onlyItem(Abstract list) {
        return list instanceof Held held && held.container() instanceof ScriptList items && items.size() == 1 ? (Abstract) items.get(0) : null;
    }

    private static boolean isTrue(Abstract known) {
        return !(known instanceof Known constant) || Boolean.TRUE.equals(constant.value());
    }

    /**
     * A view by strides of a tensor of which all elements that it meets are part: they are picked by number.
     *
     * @return whether it was one
     */
    private boolean strided(Node node, List<Abstract> inputs, Object... arguments) {
        boolean known = node.is("aten::as_strided") && !walk.isWritten(node.input(0)) && !walk.isWritten(node.output()) && inputs.get(0) instanceof Open
            && arguments[0] instanceof Tensor in && in.quantization() == null && inputs.stream().skip(1).allMatch(Calls::isKnown);
        if (!known) {
            return false;
        }
        Tensor in = (Tensor) arguments[0];
        int[] sizes = Shape.toInts(((ScriptList) arguments[1]).toLongs());
        int[] strides = Shape.toInts(((ScriptList) arguments[2]).toLongs());
        int offset = arguments[3] == null ? in.offset() : Math.toIntExact((Long) arguments[3]);
        boolean huge = Math.max(in.numel(), Shape.numel(sizes)) > MAX_VIEW;
        StridedView view = huge ? null : StridedView.of(in, sizes, strides, offset);
        if (view == null) {
            return false;
        }
        walk.define(node.output(), walk.open(view.picked(walk, residue, residue.value(inputs.get(0)), in.dtype()), in.asStrided(sizes, strides, offset).copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** Runs the operator here. */
    private boolean fold(Node node, List<Abstract> inputs, Operator operator, Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (Effects.writes(node, i) && arguments[i] instanceof Tensor tensor) {
                residue.keep(tensor.storage());
            }
        }
        Object[] results = SampleCalls.results(node, operator.kernel().call(arguments));
        for (Object result : results) {
            if (result instanceof Tensor tensor && tensor.numel() > MAX_CONSTANT) {
                return false;
            }
        }
        for (int i = 0; i < arguments.length; i++) {
            if (Effects.writes(node, i) && inputs.get(i) instanceof Held held && arguments[i] instanceof ScriptList list) {
                List<Object> items = ((ScriptList) held.container()).items();
                items.clear();
                list.items().forEach(item -> items.add(walk.containers().followed(item, list.elementType(), node)));
            }
        }
        inputs.forEach(this::noteShapes);
        for (int i = 0; i < node.outputs().size(); i++) {
            Object result = results[i];
            openings.folded(node, result);
            if (result instanceof Tensor tensor && Arrays.stream(arguments).noneMatch(argument -> argument instanceof Tensor t && t.storage() == tensor.storage())) {
                makers.putIfAbsent(tensor.storage(), new Maker(node, residue.current()));
            }
            int same = Arrays.asList(arguments).indexOf(result);
            boolean returned = result instanceof ScriptList && same >= 0 && arguments[same] == result;
            walk.define(node.output(i), returned ? inputs.get(same) : walk.containers().followed(result, node.output(i).type(), node));
        }
        return true;
    }

    /** Something follows from the shapes of an argument's tensors. */
    private void noteShapes(Abstract argument) {
        if (argument instanceof Open open) {
            walk.sources().add(open.value());
        } else if (argument instanceof Held held && !(held.container() instanceof Abstract.Instance)) {
            Residue.items(held.container()).forEach(this::noteShapes);
        }
    }

    private static boolean moves(Node node, List<Abstract> inputs) {
        return OperatorTrait.MOVES_ITEMS.of(node) && inputs.stream().anyMatch(Held.class::isInstance);
    }

    /** Does to followed containers what the operator does. */
    private boolean move(Node node, List<Abstract> inputs, Operator operator) {
        Object[] arguments = new Object[inputs.size()];
        List<FunctionSchema.Argument> formal = node.schema().arguments();
        for (int i = 0; i < arguments.length; i++) {
            Abstract input = inputs.get(i);
            if (formal.get(i).type() instanceof Type.Variable) {
                arguments[i] = input;
            } else if (input instanceof Held held && !(held.container() instanceof ScriptTuple)) {
                if (openings.isOpen(node)) {
                    return false;
                }
                arguments[i] = node.is("aten::dict") ? pairs(held.container()) : held.container();
                if (arguments[i] == null) {
                    return false;
                }
                if (Effects.writes(node, i) && held.home() != residue.current()) {
                    openings.site(held.site());
                }
            } else if (input instanceof Known known) {
                arguments[i] = known.value();
            } else {
                return false;
            }
        }
        Object[] results = SampleCalls.results(node, operator.kernel().call(arguments));
        for (int i = 0; i < node.outputs().size(); i++) {
            Object result = results[i];
            Abstract same = inputs.stream().filter(input -> input instanceof Held held && held.container() == result).findFirst().orElse(null);
            walk.define(node.output(i), same != null ? same : walk.containers().followed(result, node.output(i).type(), node));
        }
        return true;
    }

    /** A list of pairs as {@code aten::dict} takes it, or a dict itself; null for another or where keys are not known. */
    private static Object pairs(Object container) {
        if (!(container instanceof ScriptList list)) {
            return container;
        }
        ScriptList pairs = new ScriptList(list.elementType());
        for (Object item : list.items()) {
            if (!(item instanceof Held held && held.container() instanceof ScriptTuple pair && pair.size() == 2 && pair.get(0) instanceof Known key)) {
                return null;
            }
            pairs.items().add(ScriptTuple.of(key.value(), pair.get(1)));
        }
        return pairs;
    }

    /** Whether a value is not None, by its type. */
    private static boolean isSomething(Abstract known) {
        return known instanceof Held || known instanceof Open open && (open.value().type() == Type.Basic.TENSOR || open.value().type() instanceof Type.ListType
            || open.value().type() instanceof Type.DictType || open.value().type() instanceof Type.TupleType);
    }

    private static boolean isKnown(Abstract known) {
        if (!(known instanceof Held held)) {
            return known instanceof Known;
        }
        return held.container() instanceof ScriptDict dict ? dict.items().values().stream().allMatch(item -> isKnown((Abstract) item))
            : (held.container() instanceof ScriptList || held.container() instanceof ScriptTuple) && Residue.items(held.container()).stream().allMatch(Calls::isKnown);
    }

    /** Whether what is written to was made here, where every run comes by as this walk does. */
    private boolean mayWrite(Node node, List<Abstract> inputs) {
        for (int i = 0; i < inputs.size(); i++) {
            if (Effects.writes(node, i)) {
                boolean ours = inputs.get(i) instanceof Known known && known.value() instanceof Tensor tensor && makers.containsKey(tensor.storage())
                    && makers.get(tensor.storage()).home() == residue.current() || inputs.get(i) instanceof Held held && held.home() == residue.current();
                if (!ours) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Leaves open from the beginning what the node, which is left, writes to. */
    private void open(Node node, List<Abstract> inputs) {
        for (int i = 0; i < inputs.size(); i++) {
            if (!Effects.writes(node, i)) {
                continue;
            }
            if (inputs.get(i) instanceof Known known && known.value() instanceof Tensor tensor) {
                Maker maker = makers.get(tensor.storage());
                if (maker != null) {
                    openings.site(maker.site());
                } else if (known.origin() != null) {
                    openings.site(known.origin());
                }
            } else if (node.input(i).type() != Type.Basic.TENSOR) {
                // What is put into a container that stays is read from there under another name.
                inputs.forEach(walk::escape);
            }
        }
    }

    static Optional<Operator> operator(FunctionSchema schema) {
        return RUNTIME.operators().apply(schema.name()).stream()
            .filter(o -> o.schema().overload().equals(schema.overload()) && o.schema().arguments().size() == schema.arguments().size())
            .findFirst();
    }

    /** Strides follow from the shape where PyTorch lays out elements in no other way, whatever layout the inputs have. */
    private static boolean readsDenseStrides(Node node, List<Abstract> inputs) {
        return node.is("aten::stride") && inputs.get(0) instanceof Open open && open.sample() instanceof Tensor tensor && tensor.isContiguous() && isDense(open.value(), LOOK_BACK);
    }

    private static boolean isDense(Value value, int depth) {
        Node node = value.definition();
        if (node == null || depth == 0) {
            return false;
        }
        return switch (node.kind()) {
            case "aten::linear", "aten::mm", "aten::bmm", "aten::addmm", "aten::matmul" -> true;
            case "aten::contiguous" -> node.inputs().size() < 2 || Literals.of(node.input(1)).map(Literals.Literal::value).filter(format -> format.equals(0L)).isPresent();
            case "aten::view", "aten::reshape", "aten::flatten", "aten::unsqueeze", "aten::squeeze" -> isDense(node.input(0), depth - 1);
            default -> false;
        };
    }

    /** Whether the result follows from types and shapes, as that of a test for None does where tensors are none. */
    private static boolean readsGeometry(Node node) {
        return OperatorTrait.READS_GEOMETRY.of(node) || node.is("aten::_shape_as_tensor") || node.is("aten::__is__") || node.is("aten::__isnot__");
    }
}
