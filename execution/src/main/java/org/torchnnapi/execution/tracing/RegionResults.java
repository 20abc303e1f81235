package org.torchnnapi.execution.tracing;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.torchnnapi.execution.tracing.CompiledStages.Result;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What a recorded region gives, as a template for every later run. What shared memory when its steps ran one by one,
 * with each other or with an input, shares it still: what comes behind the region may write to it.
 */
final class RegionResults {
    private final Tracer tracer;
    private final List<Placed> placed;
    private final Object[] inputs;
    private final boolean memoryIsRead;
    private final Set<Object> containers = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Storage, Integer> uses = new IdentityHashMap<>();
    private final Map<Storage, Result> bases = new IdentityHashMap<>();
    private final Set<Object> given = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Integer> values = new HashSet<>();
    private final Map<Storage, Tensor> first = new IdentityHashMap<>();
    private int culprit = -1;

    /**
     * @param placed receives the values that runs have to compute
     * @param inputs the stand-ins that the region was recorded on
     * @param memoryIsRead whether what comes behind the region may look at memory beside the elements of a result
     */
    RegionResults(Tracer tracer, List<Placed> placed, Object[] inputs, boolean memoryIsRead) {
        this.tracer = tracer;
        this.placed = placed;
        this.inputs = inputs;
        this.memoryIsRead = memoryIsRead;
        for (Object input : inputs) {
            noteContainers(input);
        }
    }

    private void noteContainers(Object value) {
        if (value instanceof ScriptList list) {
            containers.add(list);
            list.items().forEach(this::noteContainers);
        } else if (value instanceof ScriptTuple tuple) {
            containers.add(tuple);
            tuple.items().forEach(this::noteContainers);
        } else if (value instanceof ScriptDict dict) {
            containers.add(dict);
            dict.items().values().forEach(this::noteContainers);
        }
    }

    /** The part that is to blame for what {@link #of} threw; -1 if that is not known. */
    int culprit() {
        return culprit;
    }

    /**
     * @throws NotSpecialisedException if results are tied to each other or to what lasts in ways that a template cannot
     *     say
     */
    Object[] of(Object[] outputs) {
        for (Object output : outputs) {
            NestedValues.any(output, leaf -> {
                if (leaf instanceof Tensor t) {
                    uses.merge(t.storage(), 1, Integer::sum);
                }
                return false;
            });
        }
        Object[] templates = new Object[outputs.length];
        for (int i = 0; i < outputs.length; i++) {
            templates[i] = template(outputs[i]);
        }
        return templates;
    }

    private Object template(Object value) {
        if (containers.contains(value)) {
            for (int i = 0; i < inputs.length; i++) {
                if (inputs[i] == value) {
                    return new CompiledStages.Passed(i);
                }
            }
            throw new NotSpecialisedException("a result that is part of an input");
        }
        if (value instanceof ScriptTuple tuple) {
            return new ScriptTuple(tuple.items().stream().map(this::template).collect(Streams.toList()), tuple.type());
        }
        if (value instanceof ScriptList || value instanceof ScriptDict) {
            return container(value);
        }
        if (value instanceof Object[]) {
            throw new NotSpecialisedException("several results");
        }
        return value instanceof Tensor t ? tensor(t) : new CompiledStages.Kept(value);
    }

    private Object container(Object value) {
        if (!tracer.isMade(value)) {
            if (NestedValues.any(value, leaf -> tracer.isTraced(leaf))) {
                throw new NotSpecialisedException("a result that lasts holds tensors of the region");
            }
            return new CompiledStages.Kept(value);
        }
        if (!given.add(value)) {
            throw new NotSpecialisedException("a list or dict that several results refer to");
        }
        if (value instanceof ScriptList list) {
            ScriptList copy = new ScriptList(list.elementType());
            list.items().forEach(item -> copy.items().add(template(item)));
            return copy;
        }
        ScriptDict dict = (ScriptDict) value;
        ScriptDict copy = new ScriptDict(dict.keyType(), dict.valueType());
        dict.items().forEach((key, item) -> copy.items().put(key, template(item)));
        return copy;
    }

    private Object tensor(Tensor t) {
        if (!tracer.isTraced(t)) {
            tracer.requireElements(t);
            if (!tracer.isMade(t)) {
                return new CompiledStages.Kept(t);
            }
            requireAlone(t);
            return new CompiledStages.Copied(t);
        }
        if (tracer.isStale(t)) {
            throw refused(t, "a tensor that was written to under another name");
        }
        if (tracer.isArgumentMemory(t)) {
            return argument(t);
        }
        boolean alone = uses.get(t.storage()) == 1
                && (!memoryIsRead || t.numel() == t.storage().length());
        if (alone) {
            return result(t);
        }
        Result base = bases.get(t.storage());
        if (base == null) {
            base = result(base(t));
            bases.put(t.storage(), base);
        }
        return new CompiledStages.Shared(base, TensorGeometry.of(t), t.offset());
    }

    private Object argument(Tensor t) {
        int number = tracer.argumentOf(t);
        Tensor standIn = tracer.sharers(t).iterator().next();
        if (t.dtype() != standIn.dtype() || !Objects.equals(t.quantization(), standIn.quantization())) {
            throw refused(t, "an input's memory as another type");
        }
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] == t) {
                return new CompiledStages.Passed(i);
            }
        }
        return new CompiledStages.View(number, TensorGeometry.of(t), t.offset());
    }

    /** One of the tensors over a memory that has all of it, so that the others can be told as views of it. */
    private Tensor base(Tensor t) {
        for (Tensor candidate : tracer.sharers(t)) {
            TensorGeometry g = TensorGeometry.of(candidate);
            if (!tracer.isStale(candidate)
                    && candidate.offset() == 0
                    && candidate.numel() == candidate.storage().length()
                    && candidate.dtype() == t.dtype()
                    && Objects.equals(candidate.quantization(), t.quantization())
                    && (g.isDense(MemoryFormat.CONTIGUOUS) || g.isDense(MemoryFormat.CHANNELS_LAST))) {
                return candidate;
            }
        }
        throw refused(t, "parts of memory that several results share");
    }

    private Result result(Tensor t) {
        Placed at = tracer.placed(t);
        placed.add(at);
        Recording.Origin origin = tracer.recording().origin(at.value());
        boolean isOthers = origin instanceof Recording.Argument || origin instanceof Recording.Constant;
        return new Result(at, !values.add(at.value()) || isOthers);
    }

    private void requireAlone(Tensor t) {
        if (first.putIfAbsent(t.storage(), t) != null) {
            throw refused(t, "new memory that several results share");
        }
    }

    private NotSpecialisedException refused(Tensor t, String reason) {
        culprit = tracer.partOf(t);
        return new NotSpecialisedException(reason);
    }
}
