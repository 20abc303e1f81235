package org.torchnnapi.torchscript.ir;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which nodes need no variable, as they stand inside their only user: on the stack of a machine, or in an expression.
 * Arguments are evaluated from left to right, so a node may stand inside its user if everything between the two stands
 * there too, in that order.
 */
public final class StackOrder {
    private final Predicate<Value> mayStandInside;
    private final Set<Node> inside = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param mayStandInside whether a value that is used once, the only one of its node, may do without a variable */
    public StackOrder(Predicate<Value> mayStandInside) {
        this.mayStandInside = mayStandInside;
    }

    public boolean isInside(Node node) {
        return inside.contains(node);
    }

    /** Plans a block and those in it, but for the blocks of forks, which are functions of their own. */
    public void add(Block block) {
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
        if (!node.is(Prim.FORK)) {
            node.blocks().forEach(this::add);
        }
        int last = before(nodes, position);
        for (int i = node.inputs().size() - 1; i >= 0; i--) {
            Value input = node.input(i);
            if (last >= 0 && nodes.get(last) == input.definition() && isAlone(input) && mayStandInside.test(input)) {
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

    /** Constants need no place in the order. */
    public static boolean isConstant(Node node) {
        return node.is(Prim.CONSTANT);
    }

    private static boolean isAlone(Value value) {
        return value.definition().outputs().size() == 1
                && value.uses().size() == 1
                && value.definition().blocks().isEmpty();
    }
}
