/** A whole NNAPI device in one class, to begin one's own with. */
package org.torchnnapi.samples.toy;
