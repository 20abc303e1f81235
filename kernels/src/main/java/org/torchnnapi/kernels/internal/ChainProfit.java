package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;

/**
 * Whether a chain of convolutions about a depthwise one is computed row by row. What lies between the stages then stays
 * near the core that computes it, but where the rows of two threads meet, both make the wide rows that the kernel
 * reaches over, and weights that leave the caches come again for every row. All is counted in bytes that a core gets
 * from beyond its own caches in the same time.
 *
 * @param elementBytes bytes of an element of the wide image, and of a weight
 * @param elementCost what making such an element takes
 * @param startCost what it takes the threads to begin their rows
 */
public record ChainProfit(int elementBytes, double elementCost, double startCost) {
    /** Rows that a kernel reaches over where one part of the rows ends and the next begins. */
    private static final int MOST_REACHED = 2;

    /**
     * Whether the chain is faster than its stages one after the other, where the machine's threads share them.
     *
     * @param weights of the other stages, in number
     */
    public boolean pays(Machine machine, ConvShape depthwise, long weights) {
        double saved = saved(machine, depthwise) - readAgain(machine, depthwise, weights);
        return saved > startCost && saved >= madeTwice(machine, depthwise);
    }

    private double readAgain(Machine machine, ConvShape depthwise, long weights) {
        double bytes = (double) elementBytes * weights;
        // The rows have the other half.
        return bytes > machine.secondCache() / 2 ? bytes * Math.max(0, depthwise.outH() - machine.threads()) : 0;
    }

    /**
     * Stage after stage, an image that leaves the caches goes there and comes back; of one that stays, a core gets from
     * the others what they made of it.
     */
    private double saved(Machine machine, ConvShape depthwise) {
        double image = (double) elementBytes * depthwise.inC() * depthwise.inH() * depthwise.inW();
        int cores = machine.threads();
        // Weights have the other half.
        return image > machine.secondCache() / 2 ? 2 * image : image * (cores - 1) / cores;
    }

    private double madeTwice(Machine machine, ConvShape depthwise) {
        // A wider kernel reaches over more rows, but also gains more by rows that are near: it counts as one of three.
        double rows = (machine.threads() - 1.0) * Math.min(MOST_REACHED, depthwise.kernelH() - 1);
        return rows * depthwise.inW() * depthwise.inC() * elementCost;
    }
}
