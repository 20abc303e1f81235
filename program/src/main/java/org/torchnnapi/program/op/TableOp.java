package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Any function of a byte: an activation, or a change of scale.
 *
 * @param table the result by the unsigned value of the input, 256 bytes
 * @param output what the result's bytes stand for
 */
public record TableOp(byte[] table, ByteQuantization output) implements ElementwiseOp {
    public TableOp {
        if (table.length != 256) {
            throw new IllegalArgumentException("table: " + table.length + " bytes (expected: 256)");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.bytes(
                output, Require.bytes("input", Require.only(inputs)).shape());
    }

    @Override
    public Op limited(int min, int max) {
        return new TableOp(limited(table, output, min, max), output);
    }

    /** The rule with its outputs, which stand for what {@code output} says, limited once more. */
    static Requantization limited(Requantization rule, ByteQuantization output, int min, int max) {
        return rule.table() == null
                ? rule.limited(min, max)
                : rule.alone().mapped(limited(rule.table(), output, min, max));
    }

    private static byte[] limited(byte[] table, ByteQuantization output, int min, int max) {
        byte[] limited = new byte[table.length];
        for (int i = 0; i < limited.length; i++) {
            limited[i] = (byte) Math.min(Math.max(output.element().isSigned() ? table[i] : table[i] & 0xff, min), max);
        }
        return limited;
    }

    /**
     * The limits [least, largest] if the table does no more than limit bytes to them, which stand for the same before
     * and after; else null.
     */
    public int[] limits(ValueType in) {
        if (in.element() != output.element() || in.scale() != output.scale() || in.zeroPoint() != output.zeroPoint()) {
            return null;
        }
        int[] limits = {value(output.element().min()), value(output.element().max())};
        for (int i = output.element().min(); i <= output.element().max(); i++) {
            if (value(i) != Math.min(Math.max(i, limits[0]), limits[1])) {
                return null;
            }
        }
        return limits;
    }

    private int value(int in) {
        byte result = table[in & 0xff];
        return output.element().isSigned() ? result : result & 0xff;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (at, count) -> Quantizing.lookUp(from, in.at(memory) + at, to, out.at(memory) + at, count, table);
        });
    }

    @Override
    public String label() {
        return "lookup table";
    }
}
