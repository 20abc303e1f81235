package org.torchnnapi.driver.cpu;

import java.util.function.Function;
import org.torchnnapi.driver.cpu.SelectingModel.Selection;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;

/** BOX_WITH_NMS_LIMIT and GENERATE_PROPOSALS, whose values alone tell how much comes out. */
final class SelectingKind implements StageKind {
    private final Function<Arguments, Selection> selection;

    /** @param selection makes the selection from an operation's arguments */
    SelectingKind(Function<Arguments, Selection> selection) {
        this.selection = selection;
    }

    @Override
    public String typeRefusal(Site site) {
        return site.typeProblem(0);
    }

    @Override
    public boolean isSingle() {
        return true;
    }

    @Override
    public PreparedModel prepare(Model stage) {
        return new SelectingModel(stage, selection);
    }
}
