package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Elements of the second value where the first, of flags, is true, else of the third; all of one shape. */
public record Select() implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 3, 3);
        ValueType a = inputs.get(1);
        Require.sameShape("condition", Require.element("condition", inputs.get(0), Element.BOOL8), a.shape());
        Require.sameElements("third", inputs.get(2), a);
        Require.sameShape("third", inputs.get(2), a.shape());
        return a;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return input > 0;
    }

    @Override
    public Step compile(Operands operands) {
        Operand condition = operands.in(0);
        Operand a = operands.in(1);
        Operand b = operands.in(2);
        Operand out = operands.out();
        return Step.elementwise(out.size(), switch (out.type().element().store()) {
            case FLOATS -> memory -> {
                byte[] flags = condition.bytes(memory);
                float[] yes = a.floats(memory);
                float[] no = b.floats(memory);
                float[] to = out.floats(memory);
                return (at, count) -> {
                    int atFlag = condition.at(memory) + at;
                    int atYes = a.at(memory) + at;
                    int atNo = b.at(memory) + at;
                    int target = out.at(memory) + at;
                    for (int i = 0; i < count; i++) {
                        to[target + i] = flags[atFlag + i] != 0 ? yes[atYes + i] : no[atNo + i];
                    }
                };
            };
            case INTS -> memory -> {
                byte[] flags = condition.bytes(memory);
                int[] yes = a.ints(memory);
                int[] no = b.ints(memory);
                int[] to = out.ints(memory);
                return (at, count) -> {
                    int atFlag = condition.at(memory) + at;
                    int atYes = a.at(memory) + at;
                    int atNo = b.at(memory) + at;
                    int target = out.at(memory) + at;
                    for (int i = 0; i < count; i++) {
                        to[target + i] = flags[atFlag + i] != 0 ? yes[atYes + i] : no[atNo + i];
                    }
                };
            };
            case BYTES -> memory -> {
                byte[] flags = condition.bytes(memory);
                byte[] yes = a.bytes(memory);
                byte[] no = b.bytes(memory);
                byte[] to = out.bytes(memory);
                return (at, count) -> {
                    int atFlag = condition.at(memory) + at;
                    int atYes = a.at(memory) + at;
                    int atNo = b.at(memory) + at;
                    int target = out.at(memory) + at;
                    for (int i = 0; i < count; i++) {
                        to[target + i] = flags[atFlag + i] != 0 ? yes[atYes + i] : no[atNo + i];
                    }
                };
            };
        });
    }

    @Override
    public String label() {
        return "select";
    }
}
