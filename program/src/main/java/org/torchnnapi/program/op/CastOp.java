package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Elements as they are stored, as another kind of number: scales and zero points play no part. Floats are cut off
 * towards zero, a NaN becomes 0, and what is too large or too small the largest or smallest there is.
 *
 * @param to what the result is; its shape is the input's
 */
public record CastOp(ValueType to) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return to.withShape(Require.only(inputs).shape());
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        Element from = in.type().element();
        return Step.elementwise(out.size(), memory -> {
            Reader reader = reader(from, in.array(memory));
            Writer writer = writer(to.element(), out.array(memory));
            return (at, count) -> {
                int source = in.at(memory) + at;
                int target = out.at(memory) + at;
                for (int i = 0; i < count; i++) {
                    writer.write(target + i, reader.read(source + i));
                }
            };
        });
    }

    @FunctionalInterface
    private interface Reader {
        double read(int at);
    }

    @FunctionalInterface
    private interface Writer {
        void write(int at, double value);
    }

    private static Reader reader(Element element, Object array) {
        return switch (element) {
            case FLOAT32 -> at -> ((float[]) array)[at];
            case INT32 -> at -> ((int[]) array)[at];
            case INT8 -> at -> ((byte[]) array)[at];
            case UINT8 -> at -> ((byte[]) array)[at] & 0xff;
            case BOOL8 -> at -> ((byte[]) array)[at] == 0 ? 0 : 1;
        };
    }

    private static Writer writer(Element element, Object array) {
        return switch (element) {
            case FLOAT32 -> (at, value) -> ((float[]) array)[at] = (float) value;
            case INT32 -> (at, value) -> ((int[]) array)[at] = (int) value;
            case INT8, UINT8, BOOL8 ->
                (at, value) ->
                        ((byte[]) array)[at] = (byte) Math.max(element.min(), Math.min(element.max(), (int) value));
        };
    }

    @Override
    public String label() {
        return "cast";
    }
}
