/** Timing of models: one alone, several in turns, or one with different numbers of threads. */
package org.torchnnapi.cli.bench;
