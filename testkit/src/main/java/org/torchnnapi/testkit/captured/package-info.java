/** Modules that a test suite of genuine PyTorch made, and what they answered there: read, run and compared. */
package org.torchnnapi.testkit.captured;
