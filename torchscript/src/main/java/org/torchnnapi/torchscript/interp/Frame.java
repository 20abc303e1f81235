package org.torchnnapi.torchscript.interp;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.SpareArrays;
import org.torchnnapi.tensor.Storage;

/** The slots of a running program. */
final class Frame {
    private record Lent(Storage storage, SpareArrays owner) {
    }

    final Object[] slots;
    final Execution execution;
    private List<Lent> lent;

    Frame(Object[] slots, Execution execution) {
        this.slots = slots;
        this.execution = execution;
    }

    /** Memory that goes back to its owner when the program has run. */
    void lend(Storage storage, SpareArrays owner) {
        if (lent == null) {
            lent = new ArrayList<>();
        }
        lent.add(new Lent(storage, owner));
    }

    /** The program has run to its end. */
    void end() {
        if (lent != null) {
            lent.forEach(one -> one.owner.giveBack(one.storage));
        }
    }
}
