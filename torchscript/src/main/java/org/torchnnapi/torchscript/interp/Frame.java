package org.torchnnapi.torchscript.interp;

/** The slots of a running program. */
final class Frame {
    final Object[] slots;
    final Execution execution;

    Frame(Object[] slots, Execution execution) {
        this.slots = slots;
        this.execution = execution;
    }
}
