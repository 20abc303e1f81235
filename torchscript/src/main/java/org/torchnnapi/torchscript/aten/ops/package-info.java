/** Operator families, one file each; {@link org.torchnnapi.torchscript.aten.ops.Families} lists them. */
package org.torchnnapi.torchscript.aten.ops;
