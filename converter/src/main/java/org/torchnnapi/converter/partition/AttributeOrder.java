package org.torchnnapi.converter.partition;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.lower.ControlFlows;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;

/**
 * In which order a block's nodes that stay TorchScript act. What may be noticed happens in the order of the program;
 * but what is known to read or set one attribute of one object waits only for what does that with the same one, so that
 * states of many layers are all read before the first is set.
 */
final class AttributeOrder {
    private final PartialEvaluation.Facts facts;
    private final Map<String, Integer> reads = new HashMap<>();
    private final Map<String, Integer> writes = new HashMap<>();
    private int acted;
    private int latest;

    AttributeOrder(PartialEvaluation.Facts facts) {
        this.facts = facts;
    }

    /**
     * The next node of the program.
     *
     * @param earliest the stage from which it could be computed
     * @return the stage in which it is
     */
    int stage(Node node, int earliest) {
        if (!ordered(node)) {
            return earliest;
        }
        Set<String> read = new HashSet<>();
        Set<String> set = new HashSet<>();
        int stage = Math.max(earliest, acted);
        if (node.attribute(ResidualGraph.GUARD) != null) {
            return stage;
        }
        if (!isApart(node, read, set)) {
            acted = Math.max(stage, latest);
            return acted;
        }
        for (String name : read) {
            stage = Math.max(stage, writes.getOrDefault(name, 0));
        }
        for (String name : set) {
            stage = Math.max(stage, Math.max(writes.getOrDefault(name, 0), reads.getOrDefault(name, 0)));
        }
        for (String name : read) {
            reads.merge(name, stage, Math::max);
        }
        for (String name : set) {
            writes.merge(name, stage, Math::max);
        }
        latest = Math.max(latest, stage);
        return stage;
    }

    private boolean ordered(Node node) {
        return Effects.hasSideEffects(node)
                || !node.blocks().isEmpty()
                || node.is(Prim.GET_ATTR)
                || node.inputs().stream().anyMatch(facts::isWritten)
                || node.outputs().stream().anyMatch(facts::isWritten);
    }

    /**
     * Whether a node does nothing in an order but reading, or setting, attributes that have but one name; adds those.
     */
    private boolean isApart(Node node, Set<String> read, Set<String> set) {
        if (node.attribute(ResidualGraph.STATE) instanceof String name) {
            (node.is(Prim.SET_ATTR) || Effects.mutates(node) ? set : read).add(name);
            return true;
        }
        if (node.attribute(ResidualGraph.GUARD) != null) {
            return true;
        }
        if (!node.is(ControlFlows.IF)) {
            return false;
        }
        for (Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                boolean apart = ordered(inner) ? isApart(inner, read, set) : !Effects.isRandom(inner);
                if (!apart) {
                    return false;
                }
            }
        }
        return true;
    }
}
