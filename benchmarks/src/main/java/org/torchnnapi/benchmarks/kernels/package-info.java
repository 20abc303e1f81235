/**
 * Benchmarks of the kernels and of the operations of programs, with JMH.
 * {@link org.torchnnapi.benchmarks.kernels.KernelCase} lists them;
 * {@link org.torchnnapi.benchmarks.kernels.KernelReport} runs them and prints each one's fraction of the machine's
 * measured peak.
 */
package org.torchnnapi.benchmarks.kernels;
