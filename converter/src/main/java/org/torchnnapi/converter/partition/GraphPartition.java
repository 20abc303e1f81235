package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.lower.TensorCondition;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.operators.range.NumberRange;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * How a graph is divided into segments that NNAPI computes and what stays TorchScript.
 *
 * @param divisions of all blocks, inner ones before those around them
 * @param taken nodes that are in a segment
 * @param refused nodes that NNAPI cannot take
 * @param refusals why not
 * @param changed conditions that were changed for branches and loops that are taken
 * @param unpaid whether there were segments with products that did not pay
 * @param checked between which bounds the whole numbers must lie that enter NNAPI from where anything may come
 */
record GraphPartition(
        List<Division> divisions,
        Set<Node> taken,
        Set<Node> refused,
        List<Refusal> refusals,
        List<TensorCondition> changed,
        boolean unpaid,
        Map<Value, NumberRange> checked) {
    /**
     * A block as it is divided.
     *
     * @param segments by stage
     * @param stages of all nodes but glue
     */
    record Division(Block block, Map<Integer, LoweredSegment> segments, Map<Node, Integer> stages) {}

    List<String> checkedInWords() {
        return checked.entrySet().stream()
                .map(entry -> DelegateRewriter.named(entry.getKey()) + ": "
                        + entry.getValue().text())
                .distinct()
                .collect(Streams.toList());
    }

    /** Puts the graph back as it was before it was divided. */
    void undo() {
        changed.forEach(TensorCondition::restore);
    }

    /** The same with other segments. */
    GraphPartition with(UnaryOperator<LoweredSegment> change) {
        List<Division> changedDivisions = new ArrayList<>();
        for (Division division : divisions) {
            Map<Integer, LoweredSegment> segments = new TreeMap<>();
            division.segments().forEach((stage, segment) -> segments.put(stage, change.apply(segment)));
            changedDivisions.add(new Division(division.block(), segments, division.stages()));
        }
        return new GraphPartition(changedDivisions, taken, refused, refusals, changed, unpaid, checked);
    }

    /** Of all blocks. */
    List<LoweredSegment> segments() {
        return divisions.stream()
                .flatMap(division -> division.segments().values().stream())
                .collect(Streams.toList());
    }

    /** Whether NNAPI computes everything, in one segment. */
    boolean isWhole(Graph graph) {
        return segments().size() == 1
                && segments().get(0).rows() == 0
                && graph.block().nodes().stream()
                        .allMatch(node -> GraphPartitioner.isNeutral(node) || taken.contains(node));
    }
}
