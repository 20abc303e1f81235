/** The converter's self-check: original against converted module. */
package org.torchnnapi.converter.check;
