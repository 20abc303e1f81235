/** The converter's public face: what to convert, how, and what came of it. */
package org.torchnnapi.converter;
