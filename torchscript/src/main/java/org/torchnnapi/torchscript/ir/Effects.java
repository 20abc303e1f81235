package org.torchnnapi.torchscript.ir;

import java.util.Set;

/** What a node does beyond computing its outputs, and what may be done with it therefore. */
public final class Effects {
    /** Kinds of the graph's own, which are no operators. */
    private static final Set<String> ACTING =
            Set.of(Prim.SET_ATTR, Prim.CALL_METHOD, Prim.CALL_FUNCTION, Prim.ENTER, Prim.EXIT, Prim.FORK);

    private Effects() {}

    /** Whether leaving the node out could be noticed even if its outputs are unused. */
    public static boolean hasSideEffects(Node node) {
        if (ACTING.contains(node.kind()) || OperatorTrait.ACTING.of(node) || mutates(node) || writesStatistics(node)) {
            return true;
        }
        for (Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                if (hasSideEffects(inner)) {
                    return true;
                }
            }
        }
        // An operator nobody knows may do anything.
        return node.schema() == null && !node.kind().startsWith("prim::");
    }

    /** Whether the node writes to one of its inputs. */
    public static boolean mutates(Node node) {
        return node.schema() != null ? node.schema().isMutating() : isUnknown(node);
    }

    /** Whether the node writes to the object that is its input number {@code index} (not to what that contains). */
    public static boolean writes(Node node, int index) {
        return node.schema() == null
                ? isUnknown(node)
                : index < node.schema().arguments().size()
                        && node.schema().arguments().get(index).mutated();
    }

    /** Whether equal inputs may give different outputs, as random numbers do, and training with what it remembers. */
    public static boolean isRandom(Node node) {
        return OperatorTrait.RANDOM.of(node)
                || OperatorTrait.READS_STATE.of(node)
                || OperatorTrait.TRAINS.of(node) && mayTrain(node);
    }

    /** Whether it may train and so write to the running statistics that it is given, which its schema does not say. */
    public static boolean writesStatistics(Node node) {
        int mean = node.schema() == null ? -1 : node.schema().indexOf("running_mean");
        if (mean < 0 || mean >= node.inputs().size() || !OperatorTrait.TRAINS.of(node)) {
            return false;
        }
        Node given = node.input(mean).definition();
        boolean none = given != null && given.is(Prim.CONSTANT) && given.attribute("value") == null;
        return !none && mayTrain(node);
    }

    private static boolean mayTrain(Node node) {
        int dropout = node.schema().indexOf("dropout_p");
        if (dropout >= 0) {
            Node definition =
                    dropout < node.inputs().size() ? node.input(dropout).definition() : null;
            return definition == null
                    || !definition.is(Prim.CONSTANT)
                    || !(definition.attribute("value") instanceof Number p && p.doubleValue() == 0);
        }
        for (String flag : new String[] {"train", "training", "use_input_stats"}) {
            int index = node.schema().indexOf(flag);
            if (index >= 0 && index < node.inputs().size()) {
                Node definition = node.input(index).definition();
                return definition == null
                        || !definition.is(Prim.CONSTANT)
                        || !Boolean.FALSE.equals(definition.attribute("value"));
            }
        }
        return true;
    }

    private static boolean isUnknown(Node node) {
        return node.schema() == null && !node.kind().startsWith("prim::");
    }
}
