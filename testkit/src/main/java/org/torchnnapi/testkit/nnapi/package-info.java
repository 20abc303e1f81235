/**
 * Conformance tests of NNAPI devices. {@link org.torchnnapi.testkit.nnapi.ConformanceRunner} has a {@code main} that
 * needs nothing but the classes of tensor, nnapi and this package with Jackson on the class path:
 *
 * <pre>{@code
 * java -cp ... org.torchnnapi.testkit.nnapi.ConformanceRunner DIR [--device NAME] [--suite NAME] [--filter TEXT]
 * }</pre>
 *
 * <p>The filter takes part of a test or file name, or the exact name of an operation.
 */
package org.torchnnapi.testkit.nnapi;
