package org.pytorch;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.SpareArrays;
import org.torchnnapi.tensor.Storage;

/** Where the tensors of a call's arguments lie: in the memory of the call before, where that is not in use any more. */
final class ArgumentMemory {
    private final SpareArrays spare = new SpareArrays();
    private final List<Storage> given = new ArrayList<>();

    /** With any elements. */
    Storage allocate(DType dtype, long length) {
        Storage storage = spare.allocate(dtype, length);
        given.add(storage);
        return storage;
    }

    /** @param unused whether nothing refers to what was allocated for this call */
    void end(boolean unused) {
        if (unused) {
            given.forEach(spare::giveBack);
        }
        given.clear();
    }
}
