package org.torchnnapi.driver.cpu;

import org.torchnnapi.program.op.ConcatenationOp;

/**
 * What operations with a forward and a backward layer have in common: an auxiliary input goes into both layers beside
 * the input where it has weights, and else instead of the input into the backward layer; outputs are apart, or merged
 * along the features.
 *
 * @param auxiliary where the auxiliary input is
 * @param forwardWeights where one of the forward layer's auxiliary weights is that is given if any is; likewise
 *     {@code backwardWeights}
 * @param timeMajor where the flag is that says whether time comes first
 * @param merge where the flag is that says whether outputs are merged
 */
record Directions(int auxiliary, int forwardWeights, int backwardWeights, int timeMajor, int merge) {
    static final int INPUT = 0;
    private static final int FEATURES = 2;

    /** Whether an input is one of the sequences. */
    boolean isSequence(int input) {
        return input == INPUT || input == auxiliary;
    }

    /** Whether the auxiliary input has weights of its own. */
    boolean isWeighted(OperationView site) {
        return site.has(auxiliary) && site.has(forwardWeights) && site.has(backwardWeights);
    }

    int forwardInput(OperationView site, Translation translation) {
        int x = sequence(site, translation, INPUT);
        return isWeighted(site)
                ? translation.add(new ConcatenationOp(FEATURES), x, sequence(site, translation, auxiliary))
                : x;
    }

    int backwardInput(OperationView site, Translation translation) {
        return isWeighted(site) || !site.has(auxiliary)
                ? forwardInput(site, translation)
                : sequence(site, translation, auxiliary);
    }

    private int sequence(OperationView site, Translation translation, int input) {
        return Sequences.timeFirst(site, translation, input, site.intValue(timeMajor) != 0);
    }

    /** The outputs of all steps, merged or apart; returns how many outputs of the operation that is. */
    int result(OperationView site, Translation translation, int forward, int backward) {
        boolean first = site.intValue(timeMajor) != 0;
        if (site.intValue(merge) != 0) {
            int both = translation.add(new ConcatenationOp(FEATURES), forward, backward);
            translation.result(
                    site,
                    0,
                    Sequences.declared(translation, both, first, site.out(0).dimensions()));
            return 1;
        }
        translation.result(
                site,
                0,
                Sequences.declared(translation, forward, first, site.out(0).dimensions()));
        translation.result(
                site,
                1,
                Sequences.declared(translation, backward, first, site.out(1).dimensions()));
        return 2;
    }
}
