package org.torchnnapi.converter.passes;

import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;

/** What a node does beyond computing its outputs. */
final class Effects {
    private static final Set<String> ACTING = Set.of("prim::SetAttr", "prim::RaiseException", "prim::Print", "prim::CallMethod",
        "prim::CallFunction", "prim::Enter", "prim::Exit", "prim::fork", "aten::wait", "aten::warn", "aten::append",
        "aten::extend", "aten::insert", "aten::pop", "aten::clear", "aten::remove", "aten::reverse", "aten::sort",
        "aten::_set_item", "aten::Delete", "aten::manual_seed");

    private static final Set<String> RANDOM = Set.of("aten::rand", "aten::randn", "aten::randint", "aten::rand_like",
        "aten::randn_like", "aten::randint_like", "aten::randperm", "aten::bernoulli", "aten::multinomial", "aten::normal",
        "aten::dropout", "aten::feature_dropout", "aten::alpha_dropout", "aten::feature_alpha_dropout", "aten::poisson");

    private Effects() {
    }

    /** Whether leaving the node out could be noticed even if its outputs are unused. */
    static boolean hasSideEffects(Node node) {
        if (ACTING.contains(node.kind()) || mutates(node)) {
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
    static boolean mutates(Node node) {
        if (node.schema() != null) {
            return node.schema().isMutating();
        }
        String kind = node.kind();
        return kind.startsWith("aten::") && kind.endsWith("_") && !kind.endsWith("__");
    }

    /** Whether equal inputs may give different outputs. */
    static boolean isRandom(Node node) {
        return RANDOM.contains(node.kind());
    }
}
