package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.lower.MultiplyAdds;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

/** How much of a graph the segments of a partition compute, in operators and multiply-adds. */
final class PartitionCoverage {
    private PartitionCoverage() {}

    /** What each release would compute that has operations of its own, if that was asked for. */
    static List<LevelCoverage> levels(ConversionState state) {
        Graph graph = state.get(PassResult.GRAPH);
        NodeSupport support = state.get(PassResult.SUPPORT);
        NativeOptions options = state.options();
        List<LevelCoverage> levels = new ArrayList<>();
        for (FeatureLevel level : FeatureLevel.values()) {
            if (options.compares() && FeatureLevel.V1_3.includes(level)) {
                boolean same = FeatureLevel.min(options.target().level(), FeatureLevel.V1_3) == level;
                GraphPartition own = same
                        ? state.get(PassResult.PARTITION)
                        : GraphPartitioner.of(
                                graph, support.at(graph, options.target().withLevel(level)), options.cost());
                Map<String, Integer> lacking = new HashMap<>();
                own.refused().forEach(node -> lacking.merge(node.kind(), 1, Integer::sum));
                levels.add(new LevelCoverage(level, of(own, support.facts()), lacking));
                if (!same) {
                    own.undo();
                }
            }
        }
        return levels;
    }

    static Coverage of(GraphPartition division, PartialEvaluation.Facts facts) {
        int operators = 0;
        int all = 0;
        long products = 0;
        long allProducts = 0;
        int openProducts = 0;
        for (GraphPartition.Division divided : division.divisions()) {
            for (Node node : divided.block().nodes()) {
                if (GraphPartitioner.isNeutral(node) || !node.blocks().isEmpty() || NodeBuilder.isRaise(node)) {
                    continue;
                }
                boolean taken = division.taken().contains(node);
                // Of rows whose number is not known those of one call count.
                LoweredSegment segment =
                        taken ? divided.segments().get(divided.stages().get(node)) : null;
                long work = MultiplyAdds.of(node, segment == null ? facts : segment.known(facts, node));
                all++;
                allProducts += work;
                openProducts += !taken && MultiplyAdds.isOpen(node, facts) ? 1 : 0;
                if (taken) {
                    operators++;
                    products += work;
                }
            }
        }
        return new Coverage(division.segments().size(), operators, all, products, allProducts, openProducts);
    }
}
