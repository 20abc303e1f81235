/**
 * Runs graphs. A graph is compiled once to a flat list of steps over numbered slots; branches and loops are jumps, and a
 * slot is emptied when its value is used for the last time, so memory stays with what is still needed.
 */
package org.torchnnapi.execution.interp;
