package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ReshapeOp;

/**
 * Moves reshapes that leave a dimension of one element out of images behind the operations that read them, where those
 * are the same with that dimension ({@link Op#expanded}). A one-dimensional convolution is one of images between two
 * reshapes; behind this pass its bias, activation and addend are found beside it, and what follows it element by
 * element stays in the image's layout up to the next convolution. Reshapes of reshapes become one, or none.
 */
final class SinkReshapes implements Pass {
    private static final int IMAGE_RANK = 4;

    @Override
    public void run(MutableGraph draft) {
        new Sinking(draft).run();
    }

    private static final class Sinking {
        private final MutableGraph draft;
        private final List<OpGraph.Node> out = new ArrayList<>();
        /** What each value is a reshape of, itself no reshape. */
        private final Map<Integer, Integer> sources = new HashMap<>();
        /** Values in the places of those that are the same. */
        private final Map<Integer, Integer> same = new HashMap<>();

        Sinking(MutableGraph draft) {
            this.draft = draft;
        }

        void run() {
            for (OpGraph.Node node : draft.nodes()) {
                int[] inputs = node.inputs().clone();
                for (int i = 0; i < inputs.length; i++) {
                    inputs[i] = same.getOrDefault(inputs[i], inputs[i]);
                }
                if (node.op() instanceof ReshapeOp) {
                    reshape(inputs[0], node.output());
                } else if (!sink(node.op(), inputs, node.output())) {
                    out.add(new OpGraph.Node(node.op(), inputs, node.output()));
                }
            }
            draft.replace(out);
        }

        private void reshape(int input, int output) {
            int source = sources.getOrDefault(input, input);
            int[] shape = draft.type(output).shape();
            if (Arrays.equals(draft.type(source).shape(), shape) && !draft.isOutput(output)) {
                same.put(output, source);
                return;
            }
            out.add(new OpGraph.Node(new ReshapeOp(shape), new int[] {source}, output));
            sources.put(output, source);
        }

        /** Whether the operation was put before the reshape of its largest input. */
        private boolean sink(Op op, int[] inputs, int output) {
            int largest = 0;
            for (int i = 1; i < inputs.length; i++) {
                largest = draft.type(inputs[i]).count()
                                > draft.type(inputs[largest]).count()
                        ? i
                        : largest;
            }
            int axis = inputs.length == 0 ? -1 : leftOut(inputs[largest]);
            Op expanded = axis < 0 ? null : op.expanded(IMAGE_RANK - 1, axis);
            if (expanded == null) {
                return false;
            }
            int[] images = new int[inputs.length];
            for (int i = 0; i < inputs.length; i++) {
                images[i] = expanded(inputs[i], IMAGE_RANK - 1 - axis);
            }
            int result = draft.addInPlaceOf(expanded.result(draft.types(images)), null, output);
            out.add(new OpGraph.Node(expanded, images, result));
            reshape(result, output);
            return true;
        }

        /** Before which axis of a value one of the image was left out that it is a reshape of; -1 if it is no such. */
        private int leftOut(int value) {
            Integer source = sources.get(value);
            int[] shape = draft.type(value).shape();
            if (source == null
                    || shape.length != IMAGE_RANK - 1
                    || draft.type(source).rank() != IMAGE_RANK) {
                return -1;
            }
            int[] image = draft.type(source).shape();
            int axis = 0;
            while (axis < shape.length && shape[axis] == image[axis]) {
                axis++;
            }
            return Arrays.equals(ValueType.inserted(shape, axis, 1), image) ? axis : -1;
        }

        /**
         * A value with a dimension of one element before its last {@code behind} ones; as it is where it has fewer
         * dimensions than an image's reshape and none before those.
         */
        private int expanded(int value, int behind) {
            ValueType type = draft.type(value);
            if (type.rank() < IMAGE_RANK - 1 && type.rank() <= behind) {
                return value;
            }
            int[] shape = ValueType.inserted(type.shape(), type.rank() - behind, 1);
            Object constant = draft.constant(value);
            int expanded = draft.addInPlaceOf(type.withShape(shape), constant, value);
            if (constant != null) {
                return expanded;
            }
            reshape(value, expanded);
            return same.getOrDefault(expanded, expanded);
        }
    }
}
