/**
 * Runs graphs. A graph is compiled once to a flat list of steps over numbered slots; branches and loops are jumps, and
 * a slot is emptied when its value is used for the last time, so memory stays with what is still needed. Steps of nodes
 * that follow each other in a block form regions, which a runner may do at once.
 */
package org.torchnnapi.execution.interp;
