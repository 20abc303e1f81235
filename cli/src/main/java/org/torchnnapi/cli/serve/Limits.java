package org.torchnnapi.cli.serve;

import java.time.Duration;

/**
 * How much a server keeps and does.
 *
 * @param uploadBytes of one file at most
 * @param keptBytes of all files in the server's folder at most
 * @param models kept at most
 * @param files of each kind of inputs at most
 * @param waiting jobs that wait for their turn at most
 * @param finished jobs whose answers are kept
 * @param jobTime how long a job may take
 */
public record Limits(
        long uploadBytes, long keptBytes, int models, int files, int waiting, int finished, Duration jobTime) {
    /** Of one user's server, whose files are of this size at most. */
    public static Limits of(long uploadBytes, Duration jobTime) {
        return new Limits(uploadBytes, 8 * uploadBytes, 32, 1000, 8, 32, jobTime);
    }
}
