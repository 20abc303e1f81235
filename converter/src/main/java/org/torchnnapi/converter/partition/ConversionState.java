package org.torchnnapi.converter.partition;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * A method on its way through the passes: what it is to become, and what they made of it so far. A pass gets at what it
 * declares and at nothing else. For one thread.
 */
public final class ConversionState {
    private final ScriptObject original;
    private final String method;
    private final NativeOptions options;
    private final ScriptRuntime runtime;
    private final SizeTrial trial;
    private final Map<PassResult<?>, Object> products = new HashMap<>();
    private ConversionPass running;
    private Consumer<ConversionPass> observer = pass -> {};

    /**
     * Of fixed sizes.
     *
     * @param original the module; not changed
     * @param samples arguments of the shapes to convert for; null as long as there are none
     * @param runtime has the devices for the segments
     */
    public ConversionState(
            ScriptObject original, String method, List<?> samples, NativeOptions options, ScriptRuntime runtime) {
        this(original, method, samples, options, runtime, SizeTrial.NONE);
    }

    private ConversionState(
            ScriptObject original,
            String method,
            List<?> samples,
            NativeOptions options,
            ScriptRuntime runtime,
            SizeTrial trial) {
        this.original = original;
        this.method = method;
        this.options = options;
        this.runtime = runtime;
        this.trial = trial;
        put(PassResult.SAMPLES, samples);
        put(PassResult.SOURCES, Set.of());
    }

    /** The same method, its graph prepared, as one of several trials of sizes. */
    ConversionState at(List<?> samples, SizeTrial steps, Graph prepared) {
        return new ConversionState(original, method, samples, options, runtime, steps).of(prepared);
    }

    /** With a graph that was prepared, which the passes change. */
    ConversionState of(Graph prepared) {
        put(PassResult.GRAPH, prepared);
        return this;
    }

    public ScriptObject original() {
        return original;
    }

    public String method() {
        return method;
    }

    /** Of the method. */
    FunctionSchema schema() {
        return original.type().method(method).schema();
    }

    NativeOptions options() {
        return options;
    }

    ScriptRuntime runtime() {
        return runtime;
    }

    SizeTrial trial() {
        return trial;
    }

    /** @param each is told of each pass, and of each pass of a fixpoint in each round, when it has run */
    void observe(Consumer<ConversionPass> each) {
        observer = each;
    }

    /**
     * What a pass gave.
     *
     * @return null if none did
     * @throws IllegalStateException if the pass that runs does not declare that it needs it
     */
    @SuppressWarnings("unchecked")
    public <T> T get(PassResult<T> product) {
        require(running == null || running.needs().contains(product), "reads", product);
        return (T) products.get(product);
    }

    /** @throws IllegalStateException if the pass that runs does not declare that it gives it */
    <T> void put(PassResult<T> product, T made) {
        require(running == null || running.gives().contains(product), "makes", product);
        products.put(product, made);
    }

    private void require(boolean declared, String does, PassResult<?> product) {
        if (!declared) {
            throw new IllegalStateException(
                    "pass " + running + ": " + does + " " + product + " (expected: only what it declares)");
        }
    }

    /** @return whether the pass rewrote something */
    boolean run(ConversionPass pass) {
        for (PassResult<?> need : pass.needs()) {
            if (!products.containsKey(need)) {
                throw new IllegalStateException(
                        "pass " + pass + ": needs " + need + " (expected: a pass before it that gives it)");
            }
        }
        ConversionPass around = running;
        running = pass;
        boolean rewritten;
        try {
            rewritten = pass.work().test(this);
        } finally {
            running = around;
        }
        observer.accept(pass);
        return rewritten;
    }
}
