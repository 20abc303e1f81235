package org.torchnnapi.torchscript.specialise;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.aten.OperatorKernel;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The attributes, and states of the thread, that a recording took for constant, and what they held. */
final class Attributes {
    private record Read(ScriptObject object, int slot, Object value) {
    }

    /** What an operator without arguments told. */
    private record Told(OperatorKernel kernel, Object state) {
    }

    private final List<Read> reads = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();

    void add(ScriptObject object, int slot, Object value) {
        reads.add(new Read(object, slot, value));
    }

    void add(OperatorKernel kernel, Object state) {
        told.add(new Told(kernel, state));
    }

    /** Whether all still hold the same; what a tensor, list or object holds in turn is not looked at. */
    boolean unchanged() {
        for (Read read : reads) {
            Object now = read.object.slot(read.slot);
            if (now != read.value && !(isPlain(now) && now.equals(read.value))) {
                return false;
            }
        }
        for (Told state : told) {
            if (!state.state.equals(state.kernel.call(new Object[0]))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(Object value) {
        return value instanceof Number || value instanceof Boolean || value instanceof String;
    }
}
