package org.torchnnapi.converter.partition;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;

/** A graph divided for one of several sizes of its inputs, and where it differs from those for others. */
record DividedTrial(ConversionState state) {
    static final String SAME =
            "the model must be the same for all sizes that are left open, but for numbers that follow from them";
    static final String ADVICE =
            "leave fewer sizes open, or give each shape that comes by itself: --method forward --input SHAPE "
                    + "--method forward --input SHAPE";

    Graph graph() {
        return state.get(PassResult.GRAPH);
    }

    SizeTrial steps() {
        return state.trial();
    }

    GraphPartition partition() {
        return state.get(PassResult.PARTITION);
    }

    List<LoweredSegment> segments() {
        return partition().segments();
    }

    /** What stands in the way of a conversion for these sizes. */
    static class Unsuited extends Exception {
        private static final long serialVersionUID = 1;
        private final transient Refusal refusal;

        Unsuited(Refusal refusal) {
            super(refusal.found(), null, false, false);
            this.refusal = refusal;
        }

        Refusal refusal() {
            return refusal;
        }
    }

    /** Graphs of two sizes that have other nodes. */
    static final class OtherGraph extends Unsuited {
        private static final long serialVersionUID = 1;

        OtherGraph(Refusal refusal) {
            super(refusal);
        }
    }

    static Refusal refusal(Node node, String found) {
        return new Refusal(
                node == null ? "model" : node.kind(),
                node == null ? SourceRange.NONE : node.range(),
                List.of(),
                SAME,
                found,
                "the same for all sizes",
                ADVICE);
    }

    /**
     * Compares the steps to two graphs.
     *
     * @param other of other sizes
     * @param marks get what is found to depend on the sizes
     * @param sizes the other ones, in words
     * @return whether there is such
     * @throws OtherGraph if one has other nodes than the other
     */
    boolean compare(DividedTrial other, SizeTrial.Marks marks, String sizes) throws Unsuited {
        List<SizeTrial.Step> a = steps().steps();
        List<SizeTrial.Step> b = other.steps().steps();
        boolean news = false;
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            SizeTrial.Step one = a.get(i);
            SizeTrial.Step two = b.get(i);
            for (int n = 0; n < Math.min(one.size(), two.size()); n++) {
                if (!one.kind(n).equals(two.kind(n))) {
                    throw new OtherGraph(refusal(one.node(n), one.kind(n) + ", for " + sizes + " " + two.kind(n)));
                }
            }
            if (one.size() != two.size()) {
                throw new OtherGraph(refusal(null, one.size() + " nodes, for " + sizes + " " + two.size()));
            }
            for (Map.Entry<Integer, List<Integer>> fold : one.folds().entrySet()) {
                if (!Objects.equals(fold.getValue(), two.folds().get(fold.getKey()))) {
                    news |= marks.stays(i, fold.getKey());
                }
            }
            if (news) {
                return true;
            }
            if (one.refused() != null && two.refused() != null) {
                Set<Integer> either = new TreeSet<>(one.refused());
                either.addAll(two.refused());
                either.removeIf(
                        node -> one.refused().contains(node) && two.refused().contains(node));
                for (int node : either) {
                    news |= marks.sized(i, node, "for " + sizes + " NNAPI takes it otherwise");
                }
                if (news) {
                    return true;
                }
            }
        }
        if (a.size() != b.size()) {
            throw new OtherGraph(refusal(null, a.size() + " steps, for " + sizes + " " + b.size()));
        }
        SizeTrial.Step last = a.get(a.size() - 1);
        Set<Integer> either = new TreeSet<>(last.taken());
        either.removeAll(b.get(b.size() - 1).taken());
        for (int node : either) {
            news |= marks.sized(last.index(), node, "for " + sizes + " NNAPI does not take it");
        }
        return news;
    }

    /**
     * Marks the nodes whose operations differ by more than numbers.
     *
     * @param models one a segment, each made of all trials
     * @throws Unsuited if all were marked before
     */
    static void mark(List<DividedTrial> trials, List<SizedModel> models, SizeTrial.Marks marks) throws Unsuited {
        int step = trials.get(0).steps().steps().size() - 1;
        boolean news = false;
        for (int s = 0; s < models.size(); s++) {
            for (Map.Entry<Integer, String> unfit : models.get(s).unfit().entrySet()) {
                int node = nodeOf(trials.get(0), s, unfit.getKey());
                // An operation may be missing, whose place a later node's has.
                int other = nodeOf(trials.get(models.get(s).unlike()), s, unfit.getKey());
                int earlier = other >= 0 && (other < node || node < 0) ? other : node;
                boolean marked = earlier >= 0 && marks.sized(step, earlier, unfit.getValue());
                news |= marked || node > earlier && marks.sized(step, node, unfit.getValue());
                if (marked && models.get(s).hasOtherForms()) {
                    // The others of its kind would be met one a round.
                    ofOtherForms(trials, earlier).forEach(alike -> marks.sized(step, alike, unfit.getValue()));
                }
            }
        }
        if (!news) {
            Map.Entry<Integer, String> unfit = models.stream()
                    .flatMap(model -> model.unfit().entrySet().stream())
                    .findFirst()
                    .get();
            throw new Unsuited(refusal(null, unfit.getValue()));
        }
    }

    /** Taken nodes of a node's kind that become other operations for some sizes, each by itself. */
    private static Set<Integer> ofOtherForms(List<DividedTrial> trials, int like) {
        Set<Integer> nodes = new TreeSet<>();
        SizeTrial.Step first = trials.get(0).lastStep();
        for (DividedTrial trial : trials) {
            trial.lastStep().forms().forEach((node, form) -> {
                if (first.taken().contains(node)
                        && first.kind(node).equals(first.kind(like))
                        && !form.equals(first.forms().get(node))) {
                    nodes.add(node);
                }
            });
        }
        return nodes;
    }

    private SizeTrial.Step lastStep() {
        List<SizeTrial.Step> all = steps().steps();
        return all.get(all.size() - 1);
    }

    /**
     * The number of the node that an operation of a segment was made for; -1 where there is none, or the segment has
     * fewer operations for this size.
     */
    private static int nodeOf(DividedTrial trial, int segment, int operation) {
        List<Node> origins = trial.segments().get(segment).origins();
        Node node = operation < origins.size() ? origins.get(operation) : null;
        return node == null ? -1 : trial.lastStep().numberOf(node);
    }
}
