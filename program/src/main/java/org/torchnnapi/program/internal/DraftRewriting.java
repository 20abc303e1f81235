package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.OpGraph;

/** A draft's nodes while a pass looks for what was written out in several and makes it one. */
abstract class DraftRewriting {
    final Draft draft;
    final int[] uses;
    final int[] producers;
    /** Those that have become part of another are null. */
    final List<OpGraph.Node> nodes;

    DraftRewriting(Draft draft) {
        this.draft = draft;
        uses = draft.uses();
        producers = draft.producers();
        nodes = new ArrayList<>(draft.nodes());
    }

    /** The position of the node that makes a value of so many uses; -1 if there is none. */
    final int producer(int value, int count) {
        int at = uses[value] == count ? producers[value] : -1;
        return at >= 0 && nodes.get(at) != null ? at : -1;
    }
}
