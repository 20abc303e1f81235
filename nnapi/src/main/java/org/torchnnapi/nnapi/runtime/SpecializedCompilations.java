package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.nnapi.driver.SpecializationCache;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;

/**
 * A model that leaves shapes of inputs open, compiled for each set of shapes it is run with, so that devices are chosen
 * and prepare for what they get. The last few compilations are kept. A model that leaves none open is compiled once, at
 * the start. Thread-safe; shapes that are compiled hold up no run with others.
 */
public final class SpecializedCompilations implements AutoCloseable {
    private final Model model;
    /** The only one, null where shapes are open. */
    private final Compilation settled;

    private final SpecializationCache<Compilation> variants;

    /**
     * @param most shapes kept compiled
     * @param settings says how each model, of the given shapes, is to be compiled
     */
    public SpecializedCompilations(Model model, int most, Function<Model, CompilationBuilder> settings) {
        this.model = model;
        variants = new SpecializationCache<>(
                model,
                new boolean[model.inputCount()],
                (operation, input) -> false,
                most,
                (known, request) -> settings.apply(known).finish(),
                Compilation::close);
        settled = isSettled(model) ? settings.apply(model).finish() : null;
    }

    private static boolean isSettled(Model model) {
        for (int i = 0; i < model.inputCount(); i++) {
            if (!model.input(i).descriptor().isFullySpecified()) {
                return false;
            }
        }
        return true;
    }

    /** The model as it was given. */
    public Model model() {
        return model;
    }

    /** What has been compiled and is kept, most recently used last. */
    public List<Compilation> all() {
        return settled == null ? variants.all() : List.of(settled);
    }

    /**
     * Runs the model once, making room for the outputs.
     *
     * @param inputs as {@link Compilation#run}
     * @param dimensions one shape for each input; an entry may be null where the model's own hold
     * @throws NnapiException as {@link CompilationBuilder#finish} and {@link Execution#compute}; BAD_STATE once closed
     */
    public List<Compilation.Output> run(List<? extends Buffer> inputs, List<int[]> dimensions) {
        if (settled != null) {
            return settled.run(inputs, dimensions);
        }
        SpecializationCache.Variant<Compilation> variant =
                variants.acquire(Compilation.request(model, inputs, dimensions));
        try {
            return variant.made().run(inputs, dimensions);
        } finally {
            variants.release(variant);
        }
    }

    /** Frees what devices hold; runs still going end first. */
    @Override
    public void close() {
        variants.close();
        if (settled != null) {
            settled.close();
        }
    }
}
