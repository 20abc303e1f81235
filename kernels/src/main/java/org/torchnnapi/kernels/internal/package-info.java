/**
 * What providers of kernels implement, and the choice among them. The public face checks arguments and hands a plan's
 * description (a {@code Spec}) to the chosen provider, which packs weights and gives a kernel; kernels check nothing.
 *
 * <p>There are three providers: {@code natives} (C), {@code vector} ({@code jdk.incubator.vector}, JDK 25) and
 * {@code portable} (Java 17). What a provider does not have, it takes from the next.
 * {@link org.torchnnapi.kernels.internal.Providers} decides once, at first use, and says in a line what is missing for
 * a faster one.
 *
 * <p><b>Adding a kernel.</b> Declare it in the provider's interface that fits, or describe its plan in a {@code Spec}
 * of its own; write the portable one; let a class of {@code org.torchnnapi.kernels} check arguments and call it. In C,
 * a function is a row of {@code kernels.table}, which says its arguments, and is defined by {@code KERNEL(name)}. A
 * test of the face's name compares every provider with a plain twin over awkward sizes, and {@code KernelCase} of the
 * benchmarks gets a line.
 */
package org.torchnnapi.kernels.internal;
