package org.torchnnapi.execution.interp;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.SpareArrays;
import org.torchnnapi.tensor.Storage;

/** The slots of a running program. */
final class SlotFrame {
    /** Memory that goes back to its owner when nothing refers to it any more. */
    record Lent(Storage storage, SpareArrays owner) {}

    final Object[] slots;
    final InterpretedRun execution;
    private List<Lent> lent;
    /** What only the program's result refers to when it has run. */
    private List<Lent> leaving;

    SlotFrame(Object[] slots, InterpretedRun execution) {
        this.slots = slots;
        this.execution = execution;
    }

    /** @param fate of a value in that memory, when the program has run */
    void lend(Lent memory, Escapes.Fate fate) {
        if (fate == Escapes.Fate.NOTHING) {
            lent = lent == null ? new ArrayList<>() : lent;
            lent.add(memory);
        } else if (fate == Escapes.Fate.RESULT) {
            leaving = leaving == null ? new ArrayList<>() : leaving;
            leaving.add(memory);
        }
    }

    /** The program has run to its end. */
    void end() {
        if (lent != null) {
            lent.forEach(one -> one.owner.giveBack(one.storage));
        }
        execution.leaving = leaving;
    }
}
