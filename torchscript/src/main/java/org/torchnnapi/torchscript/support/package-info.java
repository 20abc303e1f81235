/** Values compared, walked and set back: what checks, the quantizer and the differ share. */
package org.torchnnapi.torchscript.support;
