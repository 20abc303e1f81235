/** Operator families, one file each; {@link org.torchnnapi.operators.ops.Families} lists them. */
package org.torchnnapi.operators.ops;
