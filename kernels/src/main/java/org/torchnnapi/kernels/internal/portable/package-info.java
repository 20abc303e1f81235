/**
 * The plain Java kernels, written so that the compiler of a JVM vectorises their inner loops: those run over whole
 * small arrays from index 0, since HotSpot gives up where two arrays are indexed with different offsets.
 */
package org.torchnnapi.kernels.internal.portable;
