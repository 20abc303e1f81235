package org.torchnnapi.torchscript.print;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Which nodes are written inside the statement of their only user rather than as statements of their own. Arguments are evaluated from left
 * to right, so a node may stand inside its user if everything between the two stands there too, in that order.
 */
final class InlinePlan {
    private final Set<Node> inside = Collections.newSetFromMap(new IdentityHashMap<>());

    boolean isInside(Node node) {
        return inside.contains(node);
    }

    /** Plans a block and those in it, but for the blocks of forks, which are functions of their own. */
    void add(Block block) {
        List<Node> nodes = block.nodes();
        inputs(nodes, block.returns(), nodes.size());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            if (!inside.contains(nodes.get(i))) {
                inputs(nodes, nodes.get(i), i);
            }
        }
    }

    /**
     * Takes the definitions of a node's inputs into it as far as they come directly before, from the last to the first.
     *
     * @return position of the last node that was not taken
     */
    private int inputs(List<Node> nodes, Node node, int position) {
        if (!node.is("prim::fork")) {
            node.blocks().forEach(this::add);
        }
        int last = before(nodes, position);
        for (int i = node.inputs().size() - 1; i >= 0; i--) {
            Value input = node.input(i);
            if (last >= 0 && nodes.get(last) == input.definition() && mayStandInside(input)) {
                inside.add(input.definition());
                last = inputs(nodes, input.definition(), last);
            }
        }
        return last;
    }

    /** Constants stand anywhere. */
    private static int before(List<Node> nodes, int position) {
        int at = position - 1;
        while (at >= 0 && isConstant(nodes.get(at))) {
            at--;
        }
        return at;
    }

    static boolean isConstant(Node node) {
        return node.is("prim::Constant");
    }

    private static boolean mayStandInside(Value value) {
        Node node = value.definition();
        if (node.outputs().size() != 1 || value.uses().size() != 1 || !node.blocks().isEmpty() || node.is("prim::isinstance")
            || node.is("prim::Enter") || node.is("prim::Exit")) {
            return false;
        }
        Value.Use use = value.uses().get(0);
        if (NameTable.isNamed(value) && !use.user().is("prim::Return")) {
            return false;
        }
        return !use.user().is("prim::TupleSlice") && !(use.user().is("prim::Loop") && (use.index() >= 2 || !LoopForm.of(use.user()).isPlain()));
    }
}
