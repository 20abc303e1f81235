/** Between which bounds the numbers lie that operators give, by the bounds of what they take. */
package org.torchnnapi.operators.range;
