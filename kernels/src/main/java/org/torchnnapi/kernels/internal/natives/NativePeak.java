package org.torchnnapi.kernels.internal.natives;

/**
 * A function that does as many multiply-adds as the processor can, for benchmarks.
 *
 * @param function its address
 * @param round the multiply-adds of one round of it
 */
record NativePeak(long function, int round) {
    private static volatile int sink;

    /** Does about so many multiply-adds; returns how many. */
    long exercise(long multiplyAdds) {
        int rounds = (int) Math.min(multiplyAdds / round, 1 << 20);
        sink = NativeLibrary.rounds(function, rounds);
        return (long) rounds * round;
    }
}
