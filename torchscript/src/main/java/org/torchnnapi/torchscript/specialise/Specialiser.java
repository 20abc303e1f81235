package org.torchnnapi.torchscript.specialise;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ProgramMemory;
import org.torchnnapi.torchscript.StepTime;
import org.torchnnapi.torchscript.interp.InterruptedRunException;
import org.torchnnapi.torchscript.interp.Interpreter;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.specialise.Recording.Argument;
import org.torchnnapi.torchscript.specialise.Recording.Placed;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The specialised methods of a module. Safe for use by several threads. */
public final class Specialiser {
    /** Kept at most: sizes of images and the like that a model alternates between. */
    private static final int MAX_SPECIALISATIONS = 8;
    /** A module whose attributes change as often as this between calls is better interpreted. */
    private static final int MAX_CHANGES = 3;

    private record Key(Function method, Signature signature) {
    }

    /** What a key is served by; {@code specialisation} is null for the interpreter, because of {@code reason}. */
    private record Served(Specialisation specialisation, String reason) {
    }

    private final Interpreter interpreter;
    private final ScriptObject module;
    private final Map<Key, Served> entries = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Served> eldest) {
            return size() > MAX_SPECIALISATIONS;
        }
    };
    private final Map<Function, Boolean> writers = new HashMap<>();
    private int changes;
    private Boolean suited;

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
        Signature signature = isSuited() ? Signature.of(arguments) : null;
        Served served = signature == null ? null : entry(new Key(method, signature), fitted);
        if (served != null && served.specialisation != null) {
            try {
                return served.specialisation.run(tensors(arguments));
            } catch (ResultMismatchException e) {
                put(new Key(method, signature), new Served(null, "the type of " + e.getMessage() + "'s result depends on elements"));
            } catch (NotSpecialisedException e) {
                put(new Key(method, signature), new Served(null, e.getMessage()));
            } catch (IllegalArgumentException e) {
                // An element that an operation does not take, such as an index that is not there: the interpreter tells it as a user expects.
                served = new Served(null, e.getMessage());
            }
        }
        Object result = interpreter.run(method, fitted, null);
        if (served == null || served.specialisation == null) {
            forgetWhatItWrote(method);
        }
        return result;
    }

    /** Whether all custom objects of the module are packed weights, whose classes do nothing by themselves. */
    private synchronized boolean isSuited() {
        if (suited == null) {
            suited = CustomAttributes.areAllPacked(module.type());
        }
        return suited;
    }

    /** A method without bounds on what it may write to might have changed tensors that others took for constant. */
    private synchronized void forgetWhatItWrote(Function method) {
        if (entries.values().stream().anyMatch(served -> served.specialisation != null)
            && mayChangeTensors(method)) {
            entries.values().removeIf(served -> served.specialisation != null);
            changes++;
        }
    }

    private boolean mayChangeTensors(Function method) {
        return writers.computeIfAbsent(method, m -> Writes.mayChangeTensors(m, interpreter::customClassOrNull));
    }

    /**
     * Whether the call that ended last cannot have written to the elements of its arguments, as no specialised one does. An argument may
     * have been given other memory.
     *
     * @param fitted the arguments of that call
     */
    public synchronized boolean keptArguments(Function method, Object[] fitted) {
        if (!mayChangeTensors(method)) {
            return true;
        }
        Signature signature = isSuited() ? Signature.of(Arrays.copyOfRange(fitted, 1, fitted.length)) : null;
        Served served = signature == null ? null : entries.get(new Key(method, signature));
        return served != null && served.specialisation != null;
    }

    private synchronized void put(Key key, Served served) {
        entries.put(key, served);
    }

    private synchronized Served entry(Key key, Object[] fitted) {
        Served known = entries.get(key);
        if (known != null && (known.specialisation == null || known.specialisation.isCurrent())) {
            return known;
        }
        if (known != null) {
            changes++;
        }
        Served made = changes > MAX_CHANGES ? new Served(null, "attributes change between calls") : specialise(key.method, fitted);
        entries.put(key, made);
        return made;
    }

    private Served specialise(Function method, Object[] fitted) {
        try {
            return new Served(record(method, fitted), null);
        } catch (InterruptedRunException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // Whatever went wrong, the interpreter tells it, or does it, as a user expects.
            return new Served(null, String.valueOf(e.getMessage()));
        }
    }

    private Specialisation record(Function method, Object[] fitted) {
        Tracer tracer = new Tracer();
        Object[] standIns = fitted.clone();
        Map<Tensor, Tensor> seen = new IdentityHashMap<>();
        for (int i = 1; i < standIns.length; i++) {
            standIns[i] = Structures.map(fitted[i], leaf -> {
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
        List<Specialisation.Stage> stages = Plan.stages(recording, placed, Interpreter::checkInterrupt);
        int[] arguments = new int[(int) tensors(Arrays.copyOfRange(fitted, 1, fitted.length)).size()];
        for (int value = 0; value < recording.size(); value++) {
            if (recording.origin(value) instanceof Argument argument) {
                arguments[argument.number()] = value;
            }
        }
        return new Specialisation(tracer.attributes(), recording.size(), arguments, stages, template);
    }

    private static List<Tensor> tensors(Object[] arguments) {
        List<Tensor> tensors = new ArrayList<>();
        Structures.any(arguments, leaf -> {
            if (leaf instanceof Tensor t) {
                tensors.add(t);
            }
            return false;
        });
        return tensors;
    }

    /** What the programs of the methods called so far hold. */
    public synchronized ProgramMemory memory() {
        return entries.values().stream().filter(served -> served.specialisation != null).map(served -> served.specialisation.memory())
            .reduce(ProgramMemory.NONE, ProgramMemory::plus);
    }

    /** Starts to measure the steps of the methods specialised so far. */
    public synchronized void profile() {
        entries.values().stream().filter(served -> served.specialisation != null).forEach(served -> served.specialisation.profile());
    }

    /** What the steps took since {@link #profile}. */
    public synchronized List<StepTime> stepTimes() {
        List<StepTime> times = new ArrayList<>();
        entries.values().stream().filter(served -> served.specialisation != null)
            .forEach(served -> times.addAll(served.specialisation.stepTimes()));
        return times;
    }

    /** How the methods called so far run, for people: programs by their operations, calls by their operators, or why not. */
    public synchronized List<String> describe() {
        List<String> lines = new ArrayList<>();
        entries.forEach((key, served) -> {
            if (served.specialisation == null) {
                lines.add(key.method.name() + ": interpreted (" + served.reason + ")");
            } else {
                lines.add(key.method.name() + ": " + served.specialisation.calls() + " operators called, others in programs:");
                served.specialisation.describe().forEach(line -> lines.add("  " + line));
            }
        });
        return lines;
    }
}
