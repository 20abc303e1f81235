package org.torchnnapi.driver.cpu;

import java.util.function.Function;
import org.torchnnapi.driver.cpu.DynamicOutputModel.Selection;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Problem;

/**
 * BOX_WITH_NMS_LIMIT and GENERATE_PROPOSALS, whose values alone tell how much comes out: no program does that, so each
 * stands alone.
 */
final class DynamicOutputLowering implements OperationLowering {
    private final Function<Arguments, Selection> selection;

    /** @param selection makes the selection from an operation's arguments */
    DynamicOutputLowering(Function<Arguments, Selection> selection) {
        this.selection = selection;
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return false;
    }

    /**
     * @param model of one operation
     * @param turns what executions wait for
     * @param priority theirs
     */
    PreparedModel prepare(Model model, PriorityScheduler turns, Priority priority) {
        return new DynamicOutputModel(model, selection, turns, priority);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        throw new IllegalArgumentException(site.operation().type() + " (expected: alone in its model)");
    }
}
