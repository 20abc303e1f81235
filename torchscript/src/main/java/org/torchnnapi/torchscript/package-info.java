/** Between the value trees of pickles and runtime values. */
package org.torchnnapi.torchscript;
