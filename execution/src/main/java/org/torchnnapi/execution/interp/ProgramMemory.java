package org.torchnnapi.execution.interp;

/**
 * What the programs of specialised methods hold, in bytes.
 *
 * @param weights as programs keep them
 * @param working what runs compute in, of all that ever ran at the same time
 */
public record ProgramMemory(long weights, long working) {
    public static final ProgramMemory NONE = new ProgramMemory(0, 0);

    public ProgramMemory plus(ProgramMemory other) {
        return new ProgramMemory(weights + other.weights, working + other.working);
    }
}
