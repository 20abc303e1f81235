package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Quantization;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Any function of a byte: an activation, or a change of scale.
 *
 * @param table the result by the unsigned value of the input, 256 bytes
 * @param output what the result's bytes stand for
 */
public record Table(byte[] table, Quantization output) implements Elementwise {
    public Table {
        if (table.length != 256) {
            throw new IllegalArgumentException("table: " + table.length + " bytes (expected: 256)");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.bytes(output, Require.bytes("input", Require.only(inputs)).shape());
    }

    @Override
    public Step compile(Operands operands) {
        Operand in = operands.in(0);
        Operand out = operands.out();
        return Step.elementwise(out.size(), memory -> {
            byte[] from = in.bytes(memory);
            byte[] to = out.bytes(memory);
            return (at, count) -> Quantizing.lookUp(from, in.offset() + at, to, out.offset() + at, count, table);
        });
    }

    @Override
    public String label() {
        return "table";
    }
}
