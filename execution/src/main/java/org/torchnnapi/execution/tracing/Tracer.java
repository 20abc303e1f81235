package org.torchnnapi.execution.tracing;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.torchnnapi.execution.interp.NodeCall;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.execution.tracing.lower.Lowering;
import org.torchnnapi.execution.tracing.lower.Lowerings;
import org.torchnnapi.execution.tracing.lower.NotLoweredException;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.WrittenMemory;
import org.torchnnapi.tensor.NoDataException;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Records one run of a method whose tensor arguments are not there. What needs no elements is computed as usual.
 * Confined to one thread.
 */
final class Tracer implements OperatorHook {
    /** More operators than any model of ordinary size runs; a loop that goes on so long is better interpreted. */
    private static final int MAX_OPERATORS = 50_000;

    private final Recording recording = new Recording();
    private final Attributes attributes = new Attributes();
    /** The value that a tensor has now. */
    private final Map<Tensor, Integer> values = new IdentityHashMap<>();
    /** Tensors by the memory they share. */
    private final Map<Storage, Set<Tensor>> sharers = new IdentityHashMap<>();
    /** Tensors whose memory was written to under another name since, by the part that did. */
    private final Map<Tensor, Integer> stale = new IdentityHashMap<>();

    private final Overlaps overlaps = new Overlaps(this);
    /** The part in which a tensor was made. */
    private final Map<Tensor, Integer> origins = new IdentityHashMap<>();
    /** Attributes that are no constants. */
    private final Predicate<Attributes.Slot> varying;
    /** Whether this is of a region, beside which others run. */
    private final boolean ofRegion;

    private int part;
    private int culprit = -1;
    /** By memory the number of the argument. */
    private final Map<Storage, Integer> ofArguments = new IdentityHashMap<>();
    /** Lists, dicts, and memory of constants that this run made, which it may write to. */
    private final Set<Object> made = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Tensors over memory of constants that this run made. */
    private final Map<Storage, Set<Tensor>> views = new IdentityHashMap<>();
    /** By value of volumes the same elements as a batch of slices. */
    private final Map<Integer, Tensor> slices = new HashMap<>();

    private final Map<Tensor, Integer> constants = new IdentityHashMap<>();
    private final Set<Storage> captured = Collections.newSetFromMap(new IdentityHashMap<>());
    private int operators;
    /** By node how often the method has called it. */
    private final Map<Node, Integer> occurrences = new IdentityHashMap<>();
    /** How many composites the present call is inside of. */
    private int composites;

    private int arguments;

    /** Of a whole method. */
    Tracer() {
        ofRegion = false;
        varying = slot -> false;
    }

    /** Of a region. */
    Tracer(Predicate<Attributes.Slot> varying) {
        ofRegion = true;
        this.varying = varying;
    }

    /** The part that is to blame for what failed; -1 if it is the one that did. */
    int culprit() {
        return culprit;
    }

    /** The part in which a tensor was written to under another name, or else made; -1 if that is not known. */
    int partOf(Tensor t) {
        return stale.containsKey(t) ? stale.get(t) : origins.getOrDefault(t, -1);
    }

    @Override
    public void at(int node) {
        part = node;
    }

    Recording recording() {
        return recording;
    }

    Attributes attributes() {
        return attributes;
    }

    /** A tensor that stands for one of the method's arguments. */
    Tensor argument(Tensor given) {
        TensorGeometry geometry = TensorGeometry.of(given);
        Tensor tensor = geometry.withoutData();
        ofArguments.put(tensor.storage(), arguments);
        name(tensor, recording.add(new Recording.Argument(arguments++), geometry, ValueTypes.of(geometry)));
        return tensor;
    }

    @Override
    public void made(Node node, Object value) {
        if (node.is(Prim.LIST_CONSTRUCT) || node.is(Prim.DICT_CONSTRUCT)) {
            made.add(value);
        }
    }

    @Override
    public void read(ScriptObject object, int slot, Object value) {
        if (ofRegion) {
            readBesideOthers(object, slot, value);
        }
        attributes.add(object, slot, value);
    }

    /** What lies between regions may write to attributes. */
    private void readBesideOthers(ScriptObject object, int slot, Object value) {
        if (varying.test(new Attributes.Slot(object, slot))) {
            throw new NotSpecialisedException(
                    "attribute " + object.type().attributes().get(slot).name() + ", which changes between calls");
        }
        if (value instanceof ScriptList || value instanceof ScriptDict) {
            Object contents = RegionKey.contents(value);
            if (contents == null) {
                throw new NotSpecialisedException("attribute "
                        + object.type().attributes().get(slot).name() + ", a container of tensors or objects");
            }
            attributes.add(value, contents);
        }
    }

    @Override
    public void acts(Node node) {
        throw new NotSpecialisedException(node.kind());
    }

    @Override
    public Object call(Node node, OperatorKernel kernel, Object[] args) {
        if (++operators > MAX_OPERATORS) {
            throw new NotSpecialisedException("more than " + MAX_OPERATORS + " operators");
        }
        if (composites == 0) {
            int before = occurrences.merge(node, 1, Integer::sum) - 1;
            recording.begin(new NodeCall(node, ofRegion ? NodeCall.ANY : before));
        }
        if (node.schema() == null || ActingCalls.acts(node, args)) {
            throw new NotSpecialisedException(node.kind());
        }
        if (OperatorTrait.READS_STATE.of(node)) {
            Object state = kernel.call(args);
            attributes.add(kernel, state);
            return state;
        }
        if (NestedValues.any(args, this::blameIfStale)) {
            throw new NotSpecialisedException(node.kind() + " of a tensor that was written to under another name");
        }
        boolean varies = NestedValues.any(args, this::isTraced);
        if (OperatorTrait.READS_MEMORY.of(node) && NestedValues.any(args, this::isPartOfMemory)) {
            throw new NotSpecialisedException(node.kind() + " of a part of memory");
        }
        if (node.schema().isMutating()) {
            return write(node, kernel, args, varies);
        }
        if (!varies) {
            return constant(node, args, kernel.call(args));
        }
        Object lowered = lower(node, node.kind(), kernel, args);
        if (lowered != null) {
            return fresh(lowered);
        }
        try {
            Object result = kernel.call(args.clone());
            if (!NestedValues.any(result, this::isUnnamed)) {
                return constant(node, args, result);
            }
        } catch (NoDataException e) {
            // It reads elements, so it is called whenever the method runs.
        }
        Object composed = compose(node, args);
        return composed != null ? composed : noteCall(node, kernel, args);
    }

    /**
     * What an operator without an operation of its own is made of, recorded one by one; null if that is not said, or
     * not all can be recorded.
     */
    private Object compose(Node node, Object[] args) {
        if (!OperatorTrait.ONLY_COMPOSITE.of(node)) {
            return null;
        }
        for (Operator operator : OperatorRegistry.withBuiltins().overloads(node.kind())) {
            if (operator.schema().equals(node.schema())) {
                composites++;
                try {
                    return GraphEvaluator.call(operator.decomposition(), args, this::callInside);
                } catch (NotSpecialisedException | IllegalStateException e) {
                    return null;
                } finally {
                    composites--;
                }
            }
        }
        return null;
    }

    /** A call in a body, where lists that are written to are the body's own. */
    private Object callInside(Node node, OperatorKernel kernel, Object[] args) {
        boolean ofOwnList = node.schema() != null && node.schema().isMutating() && args[0] instanceof ScriptList;
        return ofOwnList ? kernel.call(args) : call(node, kernel, args);
    }

    /** Whether runs have a tensor in other memory than the recording, or without what lies beside its elements. */
    private boolean isPartOfMemory(Object value) {
        return value instanceof Tensor t
                && isTraced(t)
                && (isArgumentMemory(t)
                        || t.offset() != 0
                        || t.numel() != t.storage().length());
    }

    private boolean blameIfStale(Object value) {
        if (!(value instanceof Tensor t) || !isStale(t)) {
            return false;
        }
        culprit = stale.get(t);
        return true;
    }

    private Object lower(Node node, String kind, OperatorKernel kernel, Object[] args) {
        Lowering lowering = Lowerings.of(kind);
        if (lowering == null) {
            return null;
        }
        try {
            return lowering.lower(new TracedCall(this, node, kernel), node, args);
        } catch (NotLoweredException | NoDataException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // No operation for it, or arguments that are wrong: then the kernel says so.
            return null;
        }
    }

    /** A new value's tensors that no one has seen yet. */
    private boolean isUnnamed(Object value) {
        return value instanceof Tensor t
                && !values.containsKey(t)
                && !t.storage().hasData();
    }

    private Object constant(Node node, Object[] args, Object result) {
        List<FunctionSchema.Argument> returns = node.schema().returns();
        if (result instanceof ScriptList || result instanceof ScriptDict) {
            if (returns.size() == 1
                    && returns.get(0).alias() == null
                    && !NestedValues.any(args, argument -> argument == result)) {
                made.add(result);
            }
        }
        NestedValues.any(result, value -> {
            if (value instanceof Tensor t
                    && t.storage().hasData()
                    && !NestedValues.any(
                            args, argument -> argument instanceof Tensor a && a.storage() == t.storage())) {
                made.add(t.storage());
            }
            if (value instanceof Tensor t && made.contains(t.storage())) {
                views.computeIfAbsent(t.storage(), s -> Collections.newSetFromMap(new IdentityHashMap<>()))
                        .add(t);
                origins.put(t, part);
            }
            return false;
        });
        return result;
    }

    private Object write(Node node, OperatorKernel kernel, Object[] args, boolean varies) {
        List<FunctionSchema.Argument> formals = node.schema().arguments();
        Object target = null;
        for (int i = 0; i < formals.size(); i++) {
            if (formals.get(i).mutated()) {
                if (target != null) {
                    throw new NotSpecialisedException(node.kind() + " writes to several arguments");
                }
                target = args[i];
            }
        }
        if (target instanceof ScriptList || target instanceof ScriptDict) {
            if (!made.contains(target)) {
                throw new NotSpecialisedException(node.kind() + " of a list or dict that outlives the call");
            }
            return kernel.call(args);
        }
        if (!(target instanceof Tensor tensor)) {
            throw new NotSpecialisedException(node.kind());
        }
        if (!varies) {
            if (!made.contains(tensor.storage()) || captured.contains(tensor.storage())) {
                throw new NotSpecialisedException(node.kind() + " of a tensor that outlives the call");
            }
            return kernel.call(args);
        }
        return overwrite(node, kernel, args, tensor);
    }

    /** An in-place operator on a tensor of this run: its functional form gives the tensor's new value. */
    private Tensor overwrite(Node node, OperatorKernel kernel, Object[] args, Tensor tensor) {
        String kind = node.kind();
        WrittenMemory.require(node.schema(), args);
        if (!isTraced(tensor) && made.contains(tensor.storage())) {
            vary(tensor);
        }
        if (!isTraced(tensor) || ofArguments.containsKey(tensor.storage()) || !kind.endsWith("_")) {
            throw new NotSpecialisedException(kind + " of an argument or constant");
        }
        Object lowered = lower(node, kind.substring(0, kind.length() - 1), kernel, args);
        if (!(lowered instanceof Tensor result)
                || result.dtype() != tensor.dtype()
                || !Arrays.equals(result.sizes(), tensor.sizes())
                || !Objects.equals(result.quantization(), tensor.quantization())) {
            throw new NotSpecialisedException(kind);
        }
        if (result != tensor) {
            values.put(tensor, value(result));
            if (sharers.get(tensor.storage()).size() > 1) {
                overlaps.written(tensor, node);
                for (Tensor other : sharers.get(tensor.storage())) {
                    if (other != tensor) {
                        stale.put(other, part);
                    }
                }
            }
        }
        return tensor;
    }

    /** A constant that this run made, and is about to write elements to that vary: from now on a value like others. */
    private void vary(Tensor tensor) {
        Storage known = tensor.storage();
        Storage memory = Storage.withoutData(known.dtype(), known.length());
        Set<Tensor> sharing = views.computeIfAbsent(known, s -> Collections.newSetFromMap(new IdentityHashMap<>()));
        sharing.add(tensor);
        for (Tensor t : sharing) {
            int value = value(alias(t));
            t.become(new Tensor(memory, t.offset(), t.sizes(), t.strides(), t.quantization()));
            name(t, value);
        }
    }

    /** Another object for the same elements, which stay what they are when the tensor becomes another. */
    private static Tensor alias(Tensor t) {
        return new Tensor(t.storage(), t.offset(), t.sizes(), t.strides(), t.quantization());
    }

    private Object noteCall(Node node, OperatorKernel kernel, Object[] args) {
        Map<Storage, Storage> zeros = new IdentityHashMap<>();
        Map<Storage, Storage> originals = new IdentityHashMap<>();
        Map<Tensor, Tensor> standIns = new IdentityHashMap<>();
        Object[] probe = (Object[]) NestedValues.map(args, value -> {
            if (!isTraced(value)) {
                return value;
            }
            Tensor t = (Tensor) value;
            Storage memory = zeros.computeIfAbsent(t.storage(), s -> Storage.allocate(s.dtype(), s.length()));
            originals.put(memory, t.storage());
            Tensor standIn = new Tensor(memory, t.offset(), t.sizes(), t.strides(), t.quantization());
            standIns.put(standIn, t);
            return standIn;
        });
        Object[] template = (Object[]) NestedValues.map(
                args,
                value -> isTraced(value)
                        ? placed((Tensor) value)
                        : value instanceof Tensor t && made.contains(t.storage()) ? alias(t) : value);
        Object result = kernel.call(probe);
        Map<Tensor, Integer> named = new LinkedHashMap<>();
        Object outputs = NestedValues.map(result, value -> {
            if (value instanceof Tensor t) {
                Tensor known = standIns.get(t);
                if (known != null) {
                    if (node.schema().returns().stream().allMatch(returned -> returned.alias() == null)) {
                        // Such as relu6 of bytes that an argument asks to write in place.
                        throw new NotSpecialisedException(
                                node.kind() + " gives back an argument, which it may have written to");
                    }
                    return known;
                }
                Storage memory =
                        originals.computeIfAbsent(t.storage(), s -> Storage.withoutData(s.dtype(), s.length()));
                Tensor fresh = new Tensor(memory, t.offset(), t.sizes(), t.strides(), t.quantization());
                named.put(fresh, named.size());
                return fresh;
            }
            if (value != null) {
                throw new NotSpecialisedException(node.kind() + " gives a value that depends on elements");
            }
            return null;
        });
        int first = recording.size();
        Object expected = NestedValues.map(
                outputs,
                value -> value instanceof Tensor t
                        ? new Placed(named.containsKey(t) ? first + named.get(t) : values.get(t), TensorGeometry.of(t))
                        : value);
        Recording.Called origin = new Recording.Called(new Recording.Call(node, kernel, template, expected, part));
        for (Tensor t : named.keySet()) {
            name(t, recording.add(origin, TensorGeometry.of(t), ValueTypes.of(TensorGeometry.of(t))));
        }
        return fresh(outputs);
    }

    /** A list or dict that an operator has made. */
    private Object fresh(Object value) {
        if (value instanceof ScriptList || value instanceof ScriptDict) {
            made.add(value);
        }
        return value;
    }

    Placed placed(Tensor t) {
        return new Placed(values.get(t), TensorGeometry.of(t));
    }

    boolean isTraced(Object value) {
        return value instanceof Tensor t && values.containsKey(t);
    }

    boolean isMade(Object value) {
        return made.contains(value instanceof Tensor t ? t.storage() : value);
    }

    boolean isArgumentMemory(Tensor t) {
        return ofArguments.containsKey(t.storage());
    }

    /** The number of the argument that a tensor shares memory with. */
    int argumentOf(Tensor t) {
        return ofArguments.get(t.storage());
    }

    /** The tensors over the memory of a traced one, the first one first. */
    Set<Tensor> sharers(Tensor t) {
        return sharers.get(t.storage());
    }

    /** Whether a tensor's memory was written to under another name in a way that no value stands for. */
    boolean isStale(Tensor t) {
        if (stale.containsKey(t)) {
            Tensor current = overlaps.current(t);
            if (current != null) {
                become(t, current);
            }
        }
        return stale.containsKey(t);
    }

    /** Gives a tensor the value that another has, which is that of its memory at present. */
    void become(Tensor t, Tensor current) {
        values.put(t, values.get(current));
        stale.remove(t);
        overlaps.named(t);
    }

    /** The value of a tensor that varies, or of a constant. */
    int value(Tensor t) {
        Integer known = values.get(t);
        if (known != null) {
            return known;
        }
        requireElements(t);
        return constants.computeIfAbsent(t, constant -> {
            TensorGeometry geometry = TensorGeometry.of(constant);
            captured.add(constant.storage());
            return recording.add(new Recording.Constant(alias(constant)), geometry, ValueTypes.of(constant));
        });
    }

    /** @throws NotSpecialisedException if a tensor that is no value of the recording has no elements either */
    void requireElements(Tensor t) {
        if (!t.storage().hasData()) {
            throw new NotSpecialisedException(t + " (expected: elements, or a value of the recording)");
        }
    }

    /** The slices of volumes, made at first. */
    Tensor slices(Tensor volumes, Supplier<Tensor> make) {
        int value = value(volumes);
        Tensor known = slices.get(value);
        if (known == null) {
            known = make.get();
            slices.put(value, known);
        }
        return known;
    }

    boolean isSliced(Tensor volumes) {
        return slices.containsKey(value(volumes));
    }

    /** From now on the tensor stands for that value. */
    Tensor name(Tensor t, int value) {
        values.put(t, value);
        origins.put(t, part);
        sharers.computeIfAbsent(t.storage(), s -> new LinkedHashSet<>(2)).add(t);
        overlaps.named(t);
        return t;
    }
}
