/**
 * Benchmarks of the NNAPI runtime itself, devices aside, and of single operations on its devices.
 * {@link org.torchnnapi.benchmarks.nnapi.RuntimeBenchmark} has a {@code main} that runs them all.
 */
package org.torchnnapi.benchmarks.nnapi;
