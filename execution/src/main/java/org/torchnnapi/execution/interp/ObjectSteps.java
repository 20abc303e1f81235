package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Objects and their attributes. */
final class ObjectSteps {
    /** A class seen before and the slot the attribute has in it; byte code may know the slot only. */
    private record Found(ClassType type, int slot) {
        static Found of(ScriptObject object, Node node) {
            String attribute = (String) node.attribute("name");
            if (attribute == null && node.attribute("slot") instanceof Long number) {
                return new Found(object.type(), (int) (long) number);
            }
            int slot = object.type().slot(attribute);
            if (slot < 0) {
                throw new IllegalArgumentException("attribute: " + attribute + " (expected: an attribute of "
                        + object.type().name() + ")");
            }
            return new Found(object.type(), slot);
        }
    }

    private ObjectSteps() {}

    /** What is done with an attribute of an object in a slot. */
    private abstract static class AttributeStep extends GraphStep {
        private final int object;
        private Found found;

        AttributeStep(Node node, int object) {
            super(node);
            this.object = object;
        }

        @Override
        final int run(SlotFrame frame, int at) {
            ScriptObject owner = (ScriptObject) frame.slots[object];
            Found known = found;
            if (known == null || known.type() != owner.type()) {
                known = Found.of(owner, node);
                found = known;
            }
            run(frame, owner, known.slot());
            return at + 1;
        }

        abstract void run(SlotFrame frame, ScriptObject owner, int slot);
    }

    static final class GetAttribute extends AttributeStep {
        private final int output;

        GetAttribute(Node node, int[] inputs, int[] outputs) {
            super(node, inputs[0]);
            this.output = outputs[0];
        }

        @Override
        void run(SlotFrame frame, ScriptObject owner, int slot) {
            Object value = owner.slot(slot);
            if (frame.execution.hook != null) {
                frame.execution.hook.read(owner, slot, value);
            }
            frame.slots[output] = value;
        }
    }

    static final class SetAttribute extends AttributeStep {
        private final int value;

        SetAttribute(Node node, int[] inputs) {
            super(node, inputs[0]);
            this.value = inputs[1];
        }

        @Override
        void run(SlotFrame frame, ScriptObject owner, int slot) {
            frame.execution.acts(node);
            owner.slot(slot, frame.slots[value]);
        }
    }

    /** An object before its {@code __init__} ran. */
    static final class Create extends GraphStep {
        private final ClassType type;
        private final int output;

        Create(Node node, int output) {
            super(node);
            this.type = (ClassType) node.output().type();
            this.output = output;
        }

        @Override
        int run(SlotFrame frame, int at) {
            frame.execution.acts(node);
            if (type.kind() == ClassType.Kind.CUSTOM) {
                CustomClass custom = frame.execution.interpreter.customClass(type.name());
                frame.slots[output] = new CustomObject(custom, custom.create());
            } else {
                frame.slots[output] = new ScriptObject(type);
            }
            return at + 1;
        }
    }
}
