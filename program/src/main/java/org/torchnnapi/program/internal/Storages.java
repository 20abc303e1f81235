package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.ValueType;

/**
 * Decides how every value lies. Backwards, each operation says how it would like its inputs; forwards, each takes them
 * as they come or has them converted, and lays its result as it is wished where that costs nothing.
 */
final class Storages implements Pass {
    private record Converted(int value, ImageStorage storage) {}

    @Override
    public void run(MutableGraph draft) {
        new Decision(draft).run();
    }

    private static final class Decision {
        private final MutableGraph draft;
        private final ImageStorage[] wishes;
        private final boolean[] wished;
        private final ImageStorage[] outside;
        private final List<OpGraph.Node> nodes = new ArrayList<>();
        private final Map<Converted, Integer> converted = new HashMap<>();

        Decision(MutableGraph draft) {
            this.draft = draft;
            wishes = new ImageStorage[draft.values()];
            wished = new boolean[wishes.length];
            outside = new ImageStorage[wishes.length];
        }

        void run() {
            for (int output : draft.outputs()) {
                outside[output] = draft.storage(output);
                wish(output, outside[output]);
            }
            List<OpGraph.Node> given = draft.nodes();
            for (int i = given.size() - 1; i >= 0; i--) {
                OpGraph.Node node = given.get(i);
                List<ValueType> types = draft.types(node.inputs());
                for (int j = 0; j < node.inputs().length; j++) {
                    wish(node.inputs()[j], node.op().wish(types, j, wishes[node.output()]));
                }
            }
            for (int value = 0; value < wishes.length; value++) {
                if (draft.isConstant(value)) {
                    draft.lay(value, ImageStorage.DECLARED);
                }
            }
            for (OpGraph.Node node : given) {
                arrange(node);
            }
            int[] outputs = draft.outputs();
            for (int i = 0; i < outputs.length; i++) {
                outputs[i] = convert(outputs[i], outside[outputs[i]]);
            }
            draft.replace(nodes);
        }

        /** Users who want different things are all served by what suits the producer. */
        private void wish(int value, ImageStorage storage) {
            wishes[value] = wished[value] && wishes[value] != storage ? null : storage;
            wished[value] = true;
        }

        private void arrange(OpGraph.Node node) {
            int[] inputs = node.inputs().clone();
            ImageStorage[] actual = new ImageStorage[inputs.length];
            for (int j = 0; j < inputs.length; j++) {
                actual[j] = draft.storage(inputs[j]);
            }
            LayoutAssignment arrangement = node.op().arrange(draft.types(inputs), actual, wishes[node.output()]);
            for (int j = 0; j < inputs.length; j++) {
                inputs[j] = convert(inputs[j], arrangement.inputs()[j]);
            }
            draft.lay(node.output(), arrangement.output());
            nodes.add(new OpGraph.Node(node.op(), inputs, node.output()));
        }

        private int convert(int value, ImageStorage to) {
            ImageStorage from = draft.storage(value);
            if (from == to) {
                return value;
            }
            Integer known = converted.get(new Converted(value, to));
            if (known != null) {
                return known;
            }
            if (from.order() != null && to.order() != null && from.order() != to.order()) {
                return convert(convert(value, ImageStorage.DECLARED), to);
            }
            Relayout relayout = new Relayout(from, to);
            Object constant = null;
            if (draft.isConstant(value)) {
                PlacedValue in = new PlacedValue(draft.type(value), from, draft.constant(value), 0);
                constant = ConstantEvaluation.of(
                        relayout, new Operands(List.of(in), new PlacedValue(draft.type(value), to, null, -1)));
            }
            int result = draft.add(draft.type(value), constant, to);
            if (constant == null) {
                nodes.add(new OpGraph.Node(relayout, new int[] {value}, result));
            }
            converted.put(new Converted(value, to), result);
            return result;
        }
    }
}
