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
                throw new IllegalArgumentException("attribute: " + attribute + " (expected: an attribute of " + object.type().name() + ")");
            }
            return new Found(object.type(), slot);
        }
    }

    private ObjectSteps() {
    }

    static final class GetAttribute extends Step {
        private final int object;
        private final int output;
        private Found found;

        GetAttribute(Node node, int[] inputs, int[] outputs) {
            super(node);
            this.object = inputs[0];
            this.output = outputs[0];
        }

        @Override
        int run(Frame frame, int at) {
            ScriptObject owner = (ScriptObject) frame.slots[object];
            Found known = found;
            if (known == null || known.type() != owner.type()) {
                known = Found.of(owner, node);
                found = known;
            }
            Object value = owner.slot(known.slot());
            if (frame.execution.hook != null) {
                frame.execution.hook.read(owner, known.slot(), value);
            }
            frame.slots[output] = value;
            return at + 1;
        }
    }

    static final class SetAttribute extends Step {
        private final int object;
        private final int value;
        private Found found;

        SetAttribute(Node node, int[] inputs) {
            super(node);
            this.object = inputs[0];
            this.value = inputs[1];
        }

        @Override
        int run(Frame frame, int at) {
            ScriptObject owner = (ScriptObject) frame.slots[object];
            Found known = found;
            if (known == null || known.type() != owner.type()) {
                known = Found.of(owner, node);
                found = known;
            }
            frame.execution.acts(node);
            owner.slot(known.slot(), frame.slots[value]);
            return at + 1;
        }
    }

    /** An object before its {@code __init__} ran. */
    static final class Create extends Step {
        private final ClassType type;
        private final int output;

        Create(Node node, int output) {
            super(node);
            this.type = (ClassType) node.output().type();
            this.output = output;
        }

        @Override
        int run(Frame frame, int at) {
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
