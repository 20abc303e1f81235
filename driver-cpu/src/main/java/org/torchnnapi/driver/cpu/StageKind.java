package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;

/** A kind of operation that no program does, but a stage of its own, see {@link StagedModel}. Shapes and values may stay open until an execution. */
interface StageKind extends Kind {
    /** Whether its stages are of one operation each; else several operations, which may depend on each other, are one stage. */
    boolean isSingle();

    /** A stage of such operations made ready. */
    PreparedModel prepare(Model stage);

    @Override
    default boolean isParameter(Site site, int input) {
        return false;
    }

    @Override
    default void translate(Site site, Translation translation) {
        throw new IllegalArgumentException(site.operation().type() + " (expected: in a stage of its own)");
    }
}
