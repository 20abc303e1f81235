/** What is in a file, as text. */
package org.torchnnapi.cli.inspect;
