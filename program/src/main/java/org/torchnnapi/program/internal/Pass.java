package org.torchnnapi.program.internal;

/** A change of a draft that leaves its results as they are. */
@FunctionalInterface
interface Pass {
    void run(MutableGraph draft);
}
