package org.torchnnapi.converter.partition;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A step of a conversion.
 *
 * @param name what it does
 * @param needs all that it reads of what earlier passes gave
 * @param gives what it leaves, or changes
 * @param body the passes that it is made of, which it repeats as long as one of them rewrites; none of a plain pass
 * @param work of a plain pass; whether it rewrote something, so that earlier passes have to look again
 */
public record ConversionPass(
        String name,
        Set<PassResult<?>> needs,
        Set<PassResult<?>> gives,
        List<ConversionPass> body,
        Predicate<ConversionState> work) {
    /** A pass that runs once. */
    static ConversionPass pass(String name, Consumer<ConversionState> work) {
        return rewriting(name, state -> {
            work.accept(state);
            return false;
        });
    }

    /** A pass that says whether it rewrote something. */
    static ConversionPass rewriting(String name, Predicate<ConversionState> work) {
        return new ConversionPass(name, Set.of(), Set.of(), List.of(), work);
    }

    ConversionPass needing(PassResult<?>... products) {
        return new ConversionPass(name, Set.of(products), gives, body, work);
    }

    ConversionPass giving(PassResult<?>... products) {
        return new ConversionPass(name, needs, Set.of(products), body, work);
    }

    /** Passes that run again and again until none rewrites anything. */
    static ConversionPass fixpoint(String name, ConversionPass... body) {
        Set<PassResult<?>> needs = new LinkedHashSet<>();
        Set<PassResult<?>> gives = new LinkedHashSet<>();
        for (ConversionPass pass : body) {
            pass.needs().stream().filter(need -> !gives.contains(need)).forEach(needs::add);
            gives.addAll(pass.gives());
        }
        return new ConversionPass(name, needs, gives, List.of(body), state -> {
            boolean rewritten;
            do {
                rewritten = false;
                for (ConversionPass pass : body) {
                    rewritten |= state.run(pass);
                }
            } while (rewritten);
            return false;
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
