package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.InterruptedRunException;
import org.torchnnapi.execution.interp.ProgramMemory;
import org.torchnnapi.execution.interp.StageTime;
import org.torchnnapi.execution.tracing.Recording.Argument;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The specialised methods of a module. Safe for use by several threads. */
public final class Specialiser {
    /** Kept at most: sizes of images and the like that a model alternates between. */
    private static final int MAX_SPECIALISATIONS = 32;
    /** A module whose attributes change as often as this between calls runs in regions. */
    private static final int MAX_CHANGES = 3;
    /** A method that cannot run as a whole for so many signatures is not tried for others. */
    private static final int MAX_DIVIDED = 2;

    private record Key(Function method, Signature signature) {}

    /** What a key is served by; {@code specialisation} is null where regions serve it, because of {@code reason}. */
    private record Served(CompiledStages specialisation, String reason) {
        boolean isCurrent() {
            return specialisation == null || specialisation.isCurrent();
        }
    }

    /**
     * A call whose arguments, all that the method takes, were tensors: most calls are like the one before, and to see
     * that takes less than to look up what serves them. What a method and a signature are, lies in no cache after a
     * call.
     */
    public static final class Latest {
        private final Key key;
        private final String name;
        private final TensorGeometry[] arguments;
        private final CompiledStages specialisation;

        private Latest(Key key, TensorGeometry[] arguments, CompiledStages specialisation) {
            this.key = key;
            this.name = key.method.name();
            this.arguments = arguments;
            this.specialisation = specialisation;
        }

        private static Latest of(Key key, Object[] arguments, CompiledStages specialisation) {
            TensorGeometry[] geometries = new TensorGeometry[arguments.length];
            for (int i = 0; i < arguments.length; i++) {
                if (!(arguments[i] instanceof Tensor t)) {
                    return null;
                }
                geometries[i] = TensorGeometry.of(t);
            }
            return new Latest(key, geometries, specialisation);
        }

        private boolean isLike(String method, List<?> given) {
            if (given.size() != arguments.length || !method.equals(name)) {
                return false;
            }
            for (int i = 0; i < arguments.length; i++) {
                if (!(given.get(i) instanceof Tensor t
                        && arguments[i].fits(t)
                        && t.storage().hasData())) {
                    return false;
                }
            }
            return true;
        }
    }

    private final Interpreter interpreter;
    private final ScriptObject module;
    private final Workspaces workspaces = new Workspaces();
    private final LruCache<Key, Served> entries = new LruCache<>(MAX_SPECIALISATIONS);
    private final Map<Function, Boolean> writers = new ConcurrentHashMap<>();
    private final Map<Function, Boolean> many = new ConcurrentHashMap<>();
    /** For how many signatures a method did not run as a whole. */
    private final Map<Function, Integer> divided = new ConcurrentHashMap<>();

    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger compilations = new AtomicInteger();
    private volatile Boolean suited;
    private volatile RegionCompiler regions;
    /** Null where the last call was of another kind. */
    private volatile Latest latest;

    public Specialiser(Interpreter interpreter, ScriptObject module) {
        this.interpreter = interpreter;
        this.module = module;
    }

    /**
     * Runs a method.
     *
     * @param fitted its arguments as {@link Interpreter#fit} gives them, the object first
     * @see Interpreter#run(Function, List, Map)
     */
    public Object run(Function method, Object[] fitted) {
        Object[] arguments = Arrays.copyOfRange(fitted, 1, fitted.length);
        boolean whole = isSuited() && divided.getOrDefault(method, 0) < MAX_DIVIDED;
        Signature signature = whole ? Signature.of(arguments) : null;
        Key key = signature == null ? null : new Key(method, signature);
        Served served = key == null ? null : entry(key, fitted);
        if (served == null || served.specialisation == null) {
            return interpret(method, fitted);
        }
        remember(served, Latest.of(key, arguments, served.specialisation));
        return run(key, served.specialisation, tensors(arguments), fitted);
    }

    /**
     * Whether a call is compiled as a whole, so that it writes to nothing but what it makes; compiles it if need be.
     */
    public boolean runsWhole(Function method, Object[] fitted) {
        if (!isSuited() || divided.getOrDefault(method, 0) >= MAX_DIVIDED) {
            return false;
        }
        Signature signature = Signature.of(Arrays.copyOfRange(fitted, 1, fitted.length));
        return signature != null && entry(new Key(method, signature), fitted).specialisation != null;
    }

    /** The methods that were called and did not run as a whole. */
    public Set<Function> dividedMethods() {
        Set<Function> methods = new LinkedHashSet<>();
        entries.made().forEach((key, served) -> {
            if (served.specialisation == null) {
                methods.add(key.method);
            }
        });
        return methods;
    }

    /**
     * What the call before has in common with this one, which {@link #run(Latest, List)} then runs; null where it was
     * another one.
     */
    public Latest latest(String method, List<?> arguments) {
        Latest before = latest;
        return before != null && before.isLike(method, arguments) && before.specialisation.isCurrent() ? before : null;
    }

    /** Runs the method of the call before. */
    public Object run(Latest like, List<?> arguments) {
        Object[] fitted = new Object[arguments.size() + 1];
        Tensor[] tensors = new Tensor[arguments.size()];
        fitted[0] = module;
        for (int i = 0; i < tensors.length; i++) {
            tensors[i] = (Tensor) arguments.get(i);
            fitted[i + 1] = tensors[i];
        }
        return run(like.key, like.specialisation, Arrays.asList(tensors), fitted);
    }

    private Object run(Key key, CompiledStages specialisation, List<Tensor> tensors, Object[] fitted) {
        try {
            return specialisation.run(tensors);
        } catch (ResultMismatchException e) {
            put(key, new Served(null, "the type of " + e.getMessage() + "'s result depends on elements"));
            return interpret(key.method, fitted);
        } catch (NotSpecialisedException e) {
            put(key, new Served(null, e.getMessage()));
            return interpret(key.method, fitted);
        } catch (IllegalArgumentException e) {
            // An element that an operation does not take, such as an index that is not there: the interpreter tells it
            // as a user expects.
            return interpret(key.method, fitted);
        }
    }

    private Object interpret(Function method, Object[] fitted) {
        Object result = isSuited()
                        || many.computeIfAbsent(method, m -> TensorOperators.areMany(m, interpreter::customClassOrNull))
                ? interpreter.runRegions(method, fitted, regions())
                : interpreter.run(method, fitted, null);
        forgetWhatItWrote(method);
        return result;
    }

    private RegionCompiler regions() {
        RegionCompiler known = regions;
        return known == null ? makeRegions() : known;
    }

    private synchronized RegionCompiler makeRegions() {
        if (regions == null) {
            regions = new RegionCompiler(interpreter, workspaces, !isSuited());
        }
        return regions;
    }

    /** Whether all custom objects of the module are packed weights, whose classes do nothing by themselves. */
    private boolean isSuited() {
        Boolean known = suited;
        if (known == null) {
            known = CustomAttributes.areAllPacked(module.type());
            suited = known;
        }
        return known;
    }

    /** A method without bounds on what it may write to might have changed lists that others took for constant. */
    private void forgetWhatItWrote(Function method) {
        if (entries.values().stream().anyMatch(served -> served.specialisation != null) && mayChangeTensors(method)) {
            entries.removeIf(served -> served.specialisation != null);
            latest = null;
            changes.incrementAndGet();
        }
    }

    private boolean mayChangeTensors(Function method) {
        return writers.computeIfAbsent(
                method, m -> MutationAnalysis.mayChangeTensors(m, interpreter::customClassOrNull));
    }

    /**
     * Whether the call that ended last cannot have written to the elements of its arguments, as no specialised one
     * does. An argument may have been given other memory.
     *
     * @param fitted the arguments of that call
     */
    public boolean keptArguments(Function method, Object[] fitted) {
        Signature signature = isSuited() ? Signature.of(Arrays.copyOfRange(fitted, 1, fitted.length)) : null;
        Served served = signature == null ? null : entries.find(new Key(method, signature), any -> true);
        return served != null && served.specialisation != null || !mayChangeTensors(method);
    }

    /** Another thread may have thrown away what serves the call. */
    private void remember(Served served, Latest call) {
        latest = call != null && entries.find(call.key, any -> true) == served ? call : null;
    }

    private void put(Key key, Served served) {
        latest = null;
        entries.put(key, served);
    }

    private Served entry(Key key, Object[] fitted) {
        Served known = entries.find(key, any -> true);
        if (known != null && !known.isCurrent()) {
            known = null;
            if (changes.incrementAndGet() > MAX_CHANGES) {
                known = new Served(null, "attributes change between calls");
                entries.put(key, known);
            }
        }
        return known != null ? known : entries.get(key, Served::isCurrent, () -> specialise(key.method, fitted));
    }

    private Served specialise(Function method, Object[] fitted) {
        if (changes.get() > MAX_CHANGES) {
            return new Served(null, "attributes change between calls");
        }
        compilations.incrementAndGet();
        try {
            return new Served(record(method, fitted), null);
        } catch (InterruptedRunException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // Whatever went wrong, the interpreter tells it, or does it, as a user expects.
            divided.merge(method, 1, Integer::sum);
            return new Served(null, String.valueOf(e.getMessage()));
        }
    }

    private CompiledStages record(Function method, Object[] fitted) {
        Tracer tracer = new Tracer();
        Object[] standIns = fitted.clone();
        Map<Tensor, Tensor> seen = new IdentityHashMap<>();
        for (int i = 1; i < standIns.length; i++) {
            standIns[i] = NestedValues.map(fitted[i], leaf -> {
                if (!(leaf instanceof Tensor given)) {
                    return leaf;
                }
                if (seen.put(given, given) != null) {
                    throw new NotSpecialisedException("one tensor as several arguments");
                }
                return tracer.argument(given);
            });
        }
        Object result = interpreter.run(method, standIns, tracer);
        Recording recording = tracer.recording();
        List<Placed> placed = new ArrayList<>();
        Object template = new Results(tracer, placed).of(result);
        List<CompiledStages.Stage> stages = StagePlan.stages(recording, placed, Interpreter::checkInterrupt);
        int[] arguments =
                new int[tensors(Arrays.copyOfRange(fitted, 1, fitted.length)).size()];
        for (int value = 0; value < recording.size(); value++) {
            if (recording.origin(value) instanceof Argument argument) {
                arguments[argument.number()] = value;
            }
        }
        return new CompiledStages(tracer.attributes(), recording.size(), arguments, stages, template, workspaces);
    }

    private static List<Tensor> tensors(Object[] arguments) {
        List<Tensor> tensors = new ArrayList<>();
        NestedValues.any(arguments, leaf -> {
            if (leaf instanceof Tensor t) {
                tensors.add(t);
            }
            return false;
        });
        return tensors;
    }

    /** How often a method was compiled as a whole, or that was tried. */
    int compilations() {
        return compilations.get();
    }

    /** What the programs of the methods called so far hold. */
    public ProgramMemory memory() {
        // What is compiled for several shapes has its weights in common.
        Map<Function, Long> weights = new HashMap<>();
        entries.made().forEach((key, served) -> {
            if (served.specialisation != null) {
                weights.merge(key.method, served.specialisation.weights(), Math::max);
            }
        });
        long whole = weights.values().stream().mapToLong(Long::longValue).sum();
        return new ProgramMemory(whole + (regions == null ? 0 : regions.weights()), workspaces.bytes());
    }

    /** Starts to measure the steps of the methods specialised so far. */
    public void profile() {
        specialisations().forEach(CompiledStages::profile);
        if (regions != null) {
            regions.profile();
        }
    }

    /** What the steps took since {@link #profile}. */
    public List<StageTime> stepTimes() {
        List<StageTime> times = new ArrayList<>();
        specialisations().forEach(specialisation -> times.addAll(specialisation.stepTimes()));
        if (regions != null) {
            times.addAll(regions.stepTimes());
        }
        return times;
    }

    private List<CompiledStages> specialisations() {
        return entries.values().stream()
                .filter(served -> served.specialisation != null)
                .map(Served::specialisation)
                .collect(Streams.toList());
    }

    /** What compiled code ends at in the methods called so far, for people: the reason and the line of Python. */
    public List<String> breaks() {
        return regions == null ? List.of() : regions.breaks();
    }

    /**
     * How the methods called so far run, for people: programs by their operations, calls by their operators, or in
     * which regions and why.
     */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        entries.made().forEach((key, served) -> {
            if (served.specialisation == null) {
                lines.add(key.method.name() + ": in regions (" + served.reason + ")");
            } else {
                lines.add(key.method.name() + ": " + Strings.counted(served.specialisation.calls(), "operator")
                        + " called, others in programs:");
                served.specialisation.describe().forEach(line -> lines.add("  " + line));
            }
        });
        if (regions != null) {
            lines.addAll(regions.describe());
        }
        return lines;
    }
}
