package org.torchnnapi.benchmarks.kernels;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A kernel that is measured, at one size.
 *
 * @param name what it computes and how large, unique
 * @param unit what is counted
 * @param work how much one run does. Convolutions count the multiply-adds of the plain sum, of which kernels may do
 *     fewer: 3x3 ones may pass the peak
 * @param preparation packs what the kernel needs and gives one run, on the calling thread
 */
record KernelCase(String name, Unit unit, long work, Supplier<Runnable> preparation) {
    /** What work is counted in. */
    enum Unit {
        /** Multiply-adds of floats, which the machine's peak bounds. */
        FLOAT_MULTIPLY_ADDS,
        /** Multiply-adds of bytes, which the machine's peak of dot products bounds. */
        BYTE_MULTIPLY_ADDS,
        /** Elements written, or read where that is more; no peak is known for them. */
        ELEMENTS
    }

    static KernelCase elements(String name, long count, Supplier<Runnable> preparation) {
        return new KernelCase(name, Unit.ELEMENTS, count, preparation);
    }

    /** All there are. */
    static List<KernelCase> all() {
        return Stream.of(
                        ConvolutionCases.all(),
                        ProductCases.all(),
                        DynamicCases.all(),
                        ElementCases.all(),
                        ImageCases.all(),
                        RowCases.all(),
                        OperationCases.all(),
                        RegionCases.all(),
                        BoxCases.all())
                .flatMap(List::stream)
                .toList();
    }

    static KernelCase named(String name) {
        return all().stream()
                .filter(one -> one.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kernel: " + name + " (expected: one of "
                        + all().stream().map(KernelCase::name).toList() + ")"));
    }
}
