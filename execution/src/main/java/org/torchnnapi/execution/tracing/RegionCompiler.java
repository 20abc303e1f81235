package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.InterruptedRunException;
import org.torchnnapi.execution.interp.Region;
import org.torchnnapi.execution.interp.RegionBreak;
import org.torchnnapi.execution.interp.RegionRunner;
import org.torchnnapi.execution.interp.StageTime;
import org.torchnnapi.execution.tracing.Recording.Argument;
import org.torchnnapi.execution.tracing.Recording.Computed;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Runs regions compiled for their inputs. What a region cannot hold is found by recording it: the node that fails, or
 * is to blame, divides it and is interpreted from then on. Safe for use by several threads.
 */
final class RegionCompiler implements RegionRunner {
    /** Compiled for at most so many different inputs, those of the latest calls. */
    static final int MOST_KEPT = 32;
    /**
     * So many that were compiled one after the other and ran once: from then on inputs have to come twice to be
     * compiled for.
     */
    private static final int MOST_WASTED = 8;

    private static final int MOST_SEEN = 1024;
    /** A number or an attribute that was another so often is no constant. */
    private static final int MOST_CHANGES = 3;
    /** Elements computed, below which a region without weights takes longer to call than to interpret. */
    private static final long LEAST_WORK = 4096;

    /** What serves some inputs: {@code code} is null where the steps do. */
    private record Made(CompiledStages code) {
        boolean isCurrent() {
            return code == null || code.isCurrent();
        }
    }

    /** The region was divided while it was recorded. */
    private static final class DividedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        DividedException() {
            super(null, null, false, false);
        }
    }

    /** What is kept with a region. */
    private static final class Codes {
        final LruCache<RegionKey, Made> made = new LruCache<>(MOST_KEPT);
        final Map<Integer, Integer> changes = new HashMap<>();
        final Set<Integer> seen = new HashSet<>();
        RegionKey latest;
        boolean latestUsed = true;
        int wasted;
        int left;
        volatile boolean idle;

        synchronized void used(RegionKey key) {
            if (latest != null && latest.equals(key)) {
                latestUsed = true;
            }
            wasted = 0;
        }
    }

    private final Interpreter interpreter;
    private final Workspaces workspaces;
    /** Whether only what multiplies with weights is worth it. */
    private final boolean onlyWeights;

    private final Map<Attributes.Slot, Integer> attributeChanges = new ConcurrentHashMap<>();
    private final Map<Region, Codes> all = Collections.synchronizedMap(new IdentityHashMap<>());
    private volatile Map<String, long[]> operatorNanos;

    RegionCompiler(Interpreter interpreter, Workspaces workspaces, boolean onlyWeights) {
        this.interpreter = interpreter;
        this.workspaces = workspaces;
        this.onlyWeights = onlyWeights;
    }

    @Override
    public Outcome run(Region region, Object[] slots) {
        Outcome outcome = runOrDivide(region, slots);
        if (outcome == Outcome.DIVIDED) {
            all.remove(region);
        }
        return outcome;
    }

    private Outcome runOrDivide(Region region, Object[] slots) {
        Codes codes = (Codes) region.attachment(() -> {
            Codes first = new Codes();
            all.put(region, first);
            return first;
        });
        if (codes.idle) {
            return Outcome.LEFT;
        }
        Object[] inputs = new Object[region.inputCount()];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = region.input(slots, i);
        }
        RegionKey key = new RegionKey(inputs);
        if (key.unsuited() >= 0) {
            region.breakAtUsers(
                    key.unsuited(),
                    "it takes a " + RuntimeTypes.of(inputs[key.unsuited()]).text());
            return Outcome.DIVIDED;
        }
        Made made = codes.made.find(key, Made::isCurrent);
        if (made != null) {
            codes.used(key);
        } else {
            Outcome outcome = beforeCompiling(region, codes, key);
            if (outcome != Outcome.RAN) {
                return outcome;
            }
            try {
                made = codes.made.get(key.kept(), Made::isCurrent, () -> compile(region, codes, slots, inputs));
            } catch (DividedException e) {
                return Outcome.DIVIDED;
            }
        }
        return made.code == null ? Outcome.LEFT : run(region, codes, key, made, slots, inputs);
    }

    private Outcome run(Region region, Codes codes, RegionKey key, Made made, Object[] slots, Object[] inputs) {
        try {
            region.put(slots, (Object[]) made.code.run(key.tensors(), inputs));
            return Outcome.RAN;
        } catch (ResultMismatchException e) {
            region.breakAt(
                    e.call().part(),
                    "the type of " + e.getMessage() + "'s result depends on elements",
                    e.call().node().range());
            return Outcome.DIVIDED;
        } catch (NotSpecialisedException e) {
            codes.made.put(key.kept(), new Made(null));
            return Outcome.LEFT;
        } catch (IllegalArgumentException e) {
            // An element that an operation does not take: the steps tell it as a user expects.
            return Outcome.LEFT;
        }
    }

    /** What to do with inputs that nothing is there for; {@link Outcome#RAN} if it is to be compiled. */
    private Outcome beforeCompiling(Region region, Codes codes, RegionKey key) {
        Made old = codes.made.find(key, made -> true);
        if (old != null && old.code != null) {
            old.code.attributes().changed().forEach(slot -> attributeChanges.merge(slot, 1, Integer::sum));
            return Outcome.RAN;
        }
        synchronized (codes) {
            if (codes.latest != null) {
                boolean varies = false;
                for (int input : key.differing(codes.latest)) {
                    if (codes.changes.merge(input, 1, Integer::sum) >= MOST_CHANGES) {
                        region.breakAtUsers(input, "it takes a number that changes between calls");
                        varies = true;
                    }
                }
                if (varies) {
                    return Outcome.DIVIDED;
                }
            }
            codes.wasted = codes.latestUsed ? 0 : codes.wasted + 1;
            if (codes.wasted >= MOST_WASTED) {
                if (codes.seen.size() >= MOST_SEEN) {
                    codes.seen.clear();
                }
                if (codes.seen.add(key.hashCode())) {
                    codes.wasted--;
                    return Outcome.LEFT;
                }
            }
            codes.latest = key.kept();
            codes.latestUsed = false;
        }
        return Outcome.RAN;
    }

    private Made compile(Region region, Codes codes, Object[] slots, Object[] inputs) {
        Tracer tracer = new Tracer(slot -> attributeChanges.getOrDefault(slot, 0) >= MOST_CHANGES);
        Object[] standIns = slots.clone();
        Map<Tensor, Tensor> known = new IdentityHashMap<>();
        int[] places = region.inputs();
        Object[] given = new Object[places.length];
        for (int i = 0; i < places.length; i++) {
            given[i] = NestedValues.map(
                    inputs[i], leaf -> leaf instanceof Tensor t ? known.computeIfAbsent(t, tracer::argument) : leaf);
            standIns[places[i]] = given[i];
        }
        Region.Trial trial = region.trial(interpreter, standIns, tracer);
        if (trial.failure() != null) {
            divide(region, tracer.culprit() >= 0 ? tracer.culprit() : trial.node(), trial.failure());
        }
        List<Placed> placed = new ArrayList<>();
        RegionResults results = new RegionResults(tracer, placed, given, interpreter.readsMemory());
        Object[] outputs =
                Arrays.stream(region.outputs()).mapToObj(slot -> standIns[slot]).toArray();
        Object[] templates;
        try {
            templates = results.of(outputs);
        } catch (NotSpecialisedException e) {
            if (results.culprit() >= 0) {
                divide(region, results.culprit(), e);
            }
            return left(codes);
        }
        Recording recording = tracer.recording();
        if (!isWorthIt(recording)) {
            return left(codes);
        }
        try {
            List<CompiledStages.Stage> stages = StagePlan.stages(recording, placed, Interpreter::checkInterrupt);
            int[] arguments = new int[known.size()];
            for (int value = 0; value < recording.size(); value++) {
                if (recording.origin(value) instanceof Argument argument) {
                    arguments[argument.number()] = value;
                }
            }
            CompiledStages code =
                    new CompiledStages(tracer.attributes(), recording.size(), arguments, stages, templates, workspaces);
            if (operatorNanos != null) {
                code.profile();
            }
            return new Made(code);
        } catch (InterruptedRunException e) {
            throw e;
        } catch (NotSpecialisedException | IllegalArgumentException e) {
            return left(codes);
        }
    }

    /** The steps serve such inputs; a region that nothing was ever compiled for is not asked again. */
    private static Made left(Codes codes) {
        synchronized (codes) {
            codes.left++;
            codes.idle = codes.left > 1 && codes.made.values().stream().allMatch(made -> made.code == null);
        }
        return new Made(null);
    }

    private boolean isWorthIt(Recording recording) {
        long work = 0;
        for (int value = 0; value < recording.size(); value++) {
            if (recording.origin(value) instanceof Computed computed) {
                if (computed.op().packedBytes() > 0) {
                    return true;
                }
                work += recording.type(value).count();
            }
        }
        return !onlyWeights && work >= LEAST_WORK;
    }

    private static void divide(Region region, int node, RuntimeException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !(cause instanceof NotSpecialisedException)) {
            cause = cause.getCause();
        }
        SourceRange place = failure instanceof ScriptException e && !e.places().isEmpty()
                ? e.places().get(0)
                : region.node(node).range();
        region.breakAt(node, String.valueOf(cause.getMessage()), place);
        throw new DividedException();
    }

    @Override
    public boolean measures() {
        return operatorNanos != null;
    }

    @Override
    public void measured(String operator, long nanos) {
        Map<String, long[]> times = operatorNanos;
        if (times != null) {
            synchronized (times) {
                times.computeIfAbsent(operator, name -> new long[1])[0] += nanos;
            }
        }
    }

    /** Starts to measure. */
    void profile() {
        operatorNanos = new TreeMap<>();
        specialisations().forEach(CompiledStages::profile);
    }

    /** What steps of regions, and operators outside of them, took since {@link #profile}. */
    List<StageTime> stepTimes() {
        List<StageTime> times = new ArrayList<>();
        specialisations().forEach(code -> times.addAll(code.stepTimes()));
        Map<String, long[]> called = operatorNanos;
        if (called != null) {
            synchronized (called) {
                called.forEach((operator, nanos) -> times.add(new StageTime("call " + operator, false, nanos[0])));
            }
        }
        return times;
    }

    /** Bytes of weights; what a region is compiled for has them in common. */
    long weights() {
        synchronized (all) {
            return all.values().stream()
                    .mapToLong(one -> one.made.values().stream()
                            .filter(made -> made.code != null)
                            .mapToLong(made -> made.code.weights())
                            .max()
                            .orElse(0))
                    .sum();
        }
    }

    private List<CompiledStages> specialisations() {
        List<CompiledStages> codes = new ArrayList<>();
        synchronized (all) {
            all.values()
                    .forEach(one -> one.made.values().stream()
                            .filter(made -> made.code != null)
                            .forEach(made -> codes.add(made.code)));
        }
        return codes;
    }

    /** For people: how many regions are compiled and what they are, and what broke them. */
    List<String> describe() {
        List<String> lines = new ArrayList<>();
        int compiled = 0;
        synchronized (all) {
            for (Map.Entry<Region, Codes> one : all.entrySet()) {
                List<CompiledStages> codes = one.getValue().made.values().stream()
                        .filter(made -> made.code != null)
                        .map(Made::code)
                        .collect(Streams.toList());
                if (!codes.isEmpty()) {
                    compiled++;
                    lines.add("region at " + one.getKey().place() + ": "
                            + Strings.counted(codes.get(codes.size() - 1).calls(), "operator")
                            + " called, others in programs:");
                    codes.get(codes.size() - 1).describe().forEach(line -> lines.add("  " + line));
                }
            }
        }
        lines.add(0, Strings.counted(compiled, "region") + " compiled");
        breaks().forEach(text -> lines.add("interpreted: " + text));
        return lines;
    }

    /** What ends regions, each reason and place once. */
    List<String> breaks() {
        Map<String, Integer> found = new TreeMap<>();
        for (RegionBreak one : interpreter.breaks()) {
            found.merge(one.toString(), 1, Integer::sum);
        }
        List<String> lines = new ArrayList<>();
        found.forEach((text, times) -> lines.add(text + (times == 1 ? "" : " (" + times + " times)")));
        return lines;
    }
}
