package org.torchnnapi.operators.passes;

import java.util.stream.Stream;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/** What methods check of how many dimensions tensors have, as the layers of torch.nn do where they are scripted. */
public final class RankChecks {
    private RankChecks() {}

    /** Whether the method raises an error where a tensor has not so many dimensions. */
    public static boolean require(Value tensor, long rank) {
        return users(tensor)
                .filter(dimensions -> dimensions.is("aten::dim"))
                .flatMap(dimensions -> users(dimensions.output()))
                .filter(other -> other.is("aten::ne") && Long.valueOf(rank).equals(Literals.orNull(other.input(1))))
                .flatMap(other -> users(other.output()))
                .anyMatch(branch -> branch.is(Prim.IF)
                        && branch.blocks().get(0).nodes().stream().anyMatch(NodeBuilder::isRaise));
    }

    private static Stream<Node> users(Value value) {
        return value.uses().stream().map(Value.Use::user);
    }
}
