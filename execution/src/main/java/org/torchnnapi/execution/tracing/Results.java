package org.torchnnapi.execution.tracing;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** What a recorded method gives, as a template for every later call. */
final class Results {
    private final Tracer tracer;
    private final List<Placed> placed;
    private final Map<Storage, Tensor> memory = new IdentityHashMap<>();
    private final Set<Integer> given = new HashSet<>();

    /** @param placed receives the values that calls have to compute */
    Results(Tracer tracer, List<Placed> placed) {
        this.tracer = tracer;
        this.placed = placed;
    }

    /**
     * @throws NotSpecialisedException if results share memory with each other, an argument or the model in ways that
     *     matter
     */
    Object of(Object result) {
        boolean isNew = result instanceof ScriptTuple
                || result instanceof Object[]
                || (result instanceof ScriptList || result instanceof ScriptDict) && tracer.isMade(result);
        if (!isNew) {
            return leaf(result);
        }
        // One level at a time, because lists of the model's own are given as they are.
        if (result instanceof ScriptTuple tuple) {
            return new ScriptTuple(tuple.items().stream().map(this::of).collect(Streams.toList()), tuple.type());
        }
        if (result instanceof ScriptList list) {
            ScriptList copy = new ScriptList(list.elementType());
            list.items().forEach(item -> copy.items().add(of(item)));
            return copy;
        }
        if (result instanceof ScriptDict dict) {
            ScriptDict copy = new ScriptDict(dict.keyType(), dict.valueType());
            dict.items().forEach((key, value) -> copy.items().put(key, of(value)));
            return copy;
        }
        throw new NotSpecialisedException("several results");
    }

    private Object leaf(Object value) {
        if (!(value instanceof Tensor t)) {
            if (NestedValues.any(value, tracer::isTraced)) {
                throw new NotSpecialisedException("a result that outlives the call holds tensors of it");
            }
            if (value instanceof ScriptList || value instanceof ScriptDict) {
                throw new NotSpecialisedException("a result is a list or dict that outlives the call");
            }
            return new CompiledStages.Kept(value);
        }
        if (!tracer.isTraced(t)) {
            tracer.requireElements(t);
            if (tracer.isMade(t)) {
                requireAlone(t);
                return new CompiledStages.Copied(t);
            }
            return new CompiledStages.Kept(t);
        }
        if (tracer.isStale(t)) {
            throw new NotSpecialisedException("a result was written to under another name");
        }
        requireAlone(t);
        Placed at = tracer.placed(t);
        Recording.Origin origin = tracer.recording().origin(at.value());
        if (tracer.isArgumentMemory(t)) {
            throw new NotSpecialisedException("a result shares memory with an argument");
        }
        placed.add(at);
        boolean isOthers = origin instanceof Recording.Argument || origin instanceof Recording.Constant;
        return new CompiledStages.Result(at, !given.add(at.value()) || isOthers);
    }

    private void requireAlone(Tensor t) {
        if (memory.putIfAbsent(t.storage(), t) != null) {
            throw new NotSpecialisedException("results share memory");
        }
    }
}
