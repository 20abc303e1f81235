package org.torchnnapi.torchscript.interp;

import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Objects and their attributes. */
final class ObjectSteps {
    /** A class seen before and the slot the attribute has in it. */
    private record Found(ClassType type, int slot) {
        static Found of(ScriptObject object, String attribute) {
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
        private final String name;
        private Found found;

        GetAttribute(Node node, int[] inputs, int[] outputs) {
            super(node);
            this.object = inputs[0];
            this.output = outputs[0];
            this.name = (String) node.attribute("name");
        }

        @Override
        int run(Frame frame, int at) {
            ScriptObject owner = (ScriptObject) frame.slots[object];
            Found known = found;
            if (known == null || known.type() != owner.type()) {
                known = Found.of(owner, name);
                found = known;
            }
            frame.slots[output] = owner.slot(known.slot());
            return at + 1;
        }
    }

    static final class SetAttribute extends Step {
        private final int object;
        private final int value;
        private final String name;

        SetAttribute(Node node, int[] inputs) {
            super(node);
            this.object = inputs[0];
            this.value = inputs[1];
            this.name = (String) node.attribute("name");
        }

        @Override
        int run(Frame frame, int at) {
            ((ScriptObject) frame.slots[object]).set(name, frame.slots[value]);
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
