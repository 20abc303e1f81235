package org.torchnnapi.execution.interp;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;

/** The regions of a graph's steps, found when a runner first asks for them. Safe for use by several threads. */
final class Regions {
    private final List<LiveRange> stretches = new ArrayList<>();
    private final List<RegionBreak> breaks = new ArrayList<>();
    private GraphStep[] steps;
    /** By the step at which they begin. */
    private volatile Region[] beginning;

    void add(LiveRange stretch) {
        stretches.add(stretch);
    }

    /** Once, when the graph is compiled. */
    void steps(GraphStep[] all) {
        steps = all;
    }

    GraphStep step(int at) {
        return steps[at];
    }

    /** The region that begins at a step, or null. */
    Region at(int step) {
        Region[] known = beginning;
        return (known == null ? divided() : known)[step];
    }

    private synchronized Region[] divided() {
        if (beginning == null) {
            beginning = divide(new Region[steps.length + 1]);
        }
        return beginning;
    }

    /** Blocks come before those that they are in, whose regions cover theirs. */
    private Region[] divide(Region[] before) {
        Region[] now = new Region[before.length];
        stretches.forEach(stretch -> stretch.divide(before, now));
        return now;
    }

    synchronized void breakAt(LiveRange stretch, int node, String reason, SourceRange place) {
        if (stretch.mark(node)) {
            Node broken = stretch.nodes().get(node);
            breaks.add(new RegionBreak(broken.kind(), reason, place));
            beginning = divide(divided());
        }
    }

    synchronized List<RegionBreak> breaks() {
        return List.copyOf(breaks);
    }
}
