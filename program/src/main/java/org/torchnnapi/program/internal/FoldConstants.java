package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;

/** Does at once what depends on constants alone. */
final class FoldConstants implements Pass {
    @Override
    public void run(Draft draft) {
        List<Graph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            Graph.Node node = nodes.get(i);
            boolean constant = node.inputs().length > 0;
            for (int input : node.inputs()) {
                constant &= draft.isConstant(input);
            }
            if (constant) {
                List<Operand> inputs = new ArrayList<>();
                for (int input : node.inputs()) {
                    inputs.add(new Operand(draft.type(input), ImageStorage.DECLARED, draft.constant(input), 0));
                }
                Operand out = new Operand(draft.type(node.output()), ImageStorage.DECLARED, null, -1);
                draft.fix(node.output(), Evaluation.of(node.op(), new Operands(inputs, out)));
                nodes.set(i, null);
            }
        }
        draft.replace(nodes);
    }
}
