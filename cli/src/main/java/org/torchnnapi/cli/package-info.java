/** The command: one class a subcommand, and the options that several have. */
package org.torchnnapi.cli;
