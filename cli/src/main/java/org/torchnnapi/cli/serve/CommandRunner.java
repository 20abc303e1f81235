package org.torchnnapi.cli.serve;

import picocli.CommandLine.Model.CommandSpec;

/** The commands, for whoever calls them without a terminal. */
public interface CommandRunner {
    /** What a command declares. */
    CommandSpec declared(String command);

    /**
     * Runs a command line on this thread; what it says goes to standard output and standard error.
     *
     * @return its exit code
     */
    int run(String... words);

    /** How deep a thread's stack is to be for it. */
    long stackBytes();
}
