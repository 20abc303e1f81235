/**
 * Graphs made anew for examples of their inputs: what follows from shapes becomes constant, containers and objects are
 * followed from who fills them to who reads them, branches and loops whose way is known are taken, and what depends on
 * elements stays.
 */
package org.torchnnapi.converter.partial;
