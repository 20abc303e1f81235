/** What subcommands read and write: inputs, tables, numbers and failures as text. */
package org.torchnnapi.cli.io;
