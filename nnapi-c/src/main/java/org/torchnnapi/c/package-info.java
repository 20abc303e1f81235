/**
 * The runtime as C programs see it: one class a kind of handle, whose static methods are what the library calls. They
 * take and return numbers, texts and buffers over the caller's memory, and answer codes; no exception leaves them.
 */
package org.torchnnapi.c;
