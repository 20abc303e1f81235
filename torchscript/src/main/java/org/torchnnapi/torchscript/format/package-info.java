/**
 * What the readers and writers of all parts of an archive share: the error for files that are damaged, and text that
 * must be UTF-8.
 */
package org.torchnnapi.torchscript.format;
