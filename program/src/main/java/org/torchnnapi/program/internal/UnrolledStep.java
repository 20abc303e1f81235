package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.program.op.CellFunction;

/**
 * One step of a recurrent layer that is written out, as it stands in a draft.
 *
 * @param cell null for a plain network
 * @param function a plain network's, else null
 * @param out its output, the state for the next one
 * @param cellOut its cell state, -1 where there is none
 * @param before the state before it
 * @param cellBefore its cell state, -1 where there is none
 * @param all the inputs' product, of which rows from {@code row} on are this step's
 * @param product the state's product, a node
 * @param gates by gate in the cell's order its columns in both products
 */
record UnrolledStep(
        Cell cell,
        CellFunction function,
        int out,
        int cellOut,
        int before,
        int cellBefore,
        int all,
        int row,
        int product,
        List<Sum> gates) {
    /** Columns of a value, from one on. */
    record Part(int value, int from) {
        Part after(int columns) {
            return new Part(value, from + columns);
        }
    }

    /** What a gate sums up: columns of what the inputs add, and of what the state before adds. */
    record Sum(Part input, Part state) {}

    int count(MutableGraph draft) {
        return draft.type(out).dimension(0);
    }

    int units(MutableGraph draft) {
        return draft.type(out).dimension(1);
    }
}
