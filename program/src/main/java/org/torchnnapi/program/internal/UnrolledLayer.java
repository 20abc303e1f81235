package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;

/** Steps of one layer in the order in which they are done. */
final class UnrolledLayer {
    private final List<UnrolledStep> steps = new ArrayList<>();
    private int stride;

    void add(UnrolledStep step, int rows) {
        stride = steps.isEmpty() ? 0 : rows;
        steps.add(step);
    }

    List<UnrolledStep> steps() {
        return steps;
    }

    /** Rows from a step to the next, negative where the last input comes first; 0 as long as there is one step. */
    int stride() {
        return stride;
    }

    UnrolledStep first() {
        return steps.get(0);
    }

    UnrolledStep last() {
        return steps.get(steps.size() - 1);
    }

    int firstRow() {
        return Math.min(first().row(), last().row());
    }
}
