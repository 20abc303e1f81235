package org.torchnnapi.execution.interp;

import java.util.List;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Taking containers apart. */
final class ContainerSteps {
    private ContainerSteps() {}

    static final class Unpack extends GraphStep {
        private final int input;
        private final int[] outputs;

        Unpack(Node node, int input, int[] outputs) {
            super(node);
            this.input = input;
            this.outputs = outputs;
        }

        @Override
        int run(SlotFrame frame, int at) {
            Object value = frame.slots[input];
            List<Object> items = value instanceof ScriptTuple tuple ? tuple.items() : ((ScriptList) value).items();
            if (items.size() != outputs.length) {
                throw new IllegalArgumentException(
                        "Expected " + outputs.length + " elements in a list but found " + items.size());
            }
            for (int i = 0; i < outputs.length; i++) {
                frame.slots[outputs[i]] = items.get(i);
            }
            return at + 1;
        }
    }
}
