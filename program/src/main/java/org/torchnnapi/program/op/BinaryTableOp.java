package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.StorageArrangement;
import org.torchnnapi.program.ValueType;

/**
 * Any function of two bytes; shapes are broadcast as NumPy does.
 *
 * @param table the result by 256 times the unsigned value of the first byte plus that of the second, 65536 bytes
 * @param output what the result's bytes stand for
 */
public record BinaryTableOp(byte[] table, ByteQuantization output) implements Op {
    public BinaryTableOp {
        if (table.length != 1 << 16) {
            throw new IllegalArgumentException("table: " + table.length + " bytes (expected: 65536)");
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        return ValueType.bytes(output, Broadcasting.shape(Require.bytes("a", inputs.get(0)), Require.bytes("b", inputs.get(1))));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage wanted) {
        return Broadcasting.wish(inputs, input, wanted);
    }

    @Override
    public StorageArrangement arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        boolean equal = Arrays.equals(inputs.get(0).shape(), inputs.get(1).shape());
        return equal ? StorageArrangement.alike(inputs, actual, false) : StorageArrangement.declared(2);
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return Arrays.equals(operands.in(input).type().shape(), operands.out().type().shape());
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue a = operands.in(0);
        PlacedValue b = operands.in(1);
        PlacedValue out = operands.out();
        if (Arrays.equals(a.type().shape(), b.type().shape())) {
            return Step.elementwise(out.size(), memory -> {
                byte[] left = a.bytes(memory);
                byte[] right = b.bytes(memory);
                byte[] to = out.bytes(memory);
                return (at, count) -> Quantizing.lookUpPairs(left, a.at(memory) + at, 1, right, b.at(memory) + at, 1, to, out.at(memory) + at, count,
                        table);
            });
        }
        return Broadcasting.rows(operands, memory -> {
            byte[] left = a.bytes(memory);
            byte[] right = b.bytes(memory);
            byte[] to = out.bytes(memory);
            return (atA, stepA, atB, stepB, at, count) -> Quantizing.lookUpPairs(left, atA, stepA, right, atB, stepB, to, at, count, table);
        });
    }

    @Override
    public String label() {
        return "table of pairs";
    }
}
