package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;

/** Does at once what depends on constants alone. */
final class FoldConstants implements Pass {
    @Override
    public void run(MutableGraph draft) {
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            boolean constant = node.inputs().length > 0;
            for (int input : node.inputs()) {
                constant &= draft.isConstant(input);
            }
            if (constant) {
                List<PlacedValue> inputs = new ArrayList<>();
                for (int input : node.inputs()) {
                    inputs.add(new PlacedValue(draft.type(input), ImageStorage.DECLARED, draft.constant(input), 0));
                }
                PlacedValue out = new PlacedValue(draft.type(node.output()), ImageStorage.DECLARED, null, -1);
                draft.fix(node.output(), ConstantEvaluation.of(node.op(), new Operands(inputs, out)));
                nodes.set(i, null);
            }
        }
        draft.replace(nodes);
    }
}
