package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
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
        return ValueType.bytes(
                output, Broadcasting.shape(Require.bytes("a", inputs.get(0)), Require.bytes("b", inputs.get(1))));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage wanted) {
        return Broadcasting.wish(inputs, input, wanted);
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        if (Arrays.equals(inputs.get(0).shape(), inputs.get(1).shape())) {
            return LayoutAssignment.alike(inputs, actual, false);
        }
        boolean blocked = Arrays.stream(actual).anyMatch(ImageStorage::isBlocked);
        return blocked ? LayoutAssignment.declared(2) : Broadcasting.arrange(inputs, actual, false);
    }

    @Override
    public Op expanded(int rank, int axis) {
        return this;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return Arrays.equals(
                operands.in(input).type().shape(), operands.out().type().shape());
    }

    /** Work on rows of {@code count} bytes, as {@link ByteProduct#run}. */
    private interface Rows {
        void run(byte[] a, int atA, byte[] b, int atB, int stepB, int rowB, byte[] out, int at, int count, int rows);
    }

    @Override
    public Step compile(Operands operands) {
        boolean turn = !Arrays.equals(
                operands.in(0).type().shape(), operands.out().type().shape());
        PlacedValue a = operands.in(turn ? 1 : 0);
        PlacedValue b = operands.in(turn ? 0 : 1);
        PlacedValue out = operands.out();
        ByteProduct product = product(operands.in(0).type(), operands.in(1).type());
        Rows rows = rows(product, turn);
        if (Arrays.equals(a.type().shape(), b.type().shape())) {
            return Step.elementwise(out.size(), memory -> {
                byte[] left = a.bytes(memory);
                byte[] right = b.bytes(memory);
                byte[] to = out.bytes(memory);
                return (at, count) -> rows.run(
                        left, a.at(memory) + at, right, b.at(memory) + at, 1, 0, to, out.at(memory) + at, count, 1);
            });
        }
        if (Arrays.equals(a.type().shape(), out.type().shape())) {
            for (ImageLayout order : new ImageLayout[] {ImageLayout.NCHW, ImageLayout.NHWC}) {
                if (out.storage().suits(order)
                        && Broadcasting.isPerChannel(b.type(), a.type(), ImageStorage.channelAxis(order))) {
                    return perChannel(rows, a, b, out, order);
                }
            }
        }
        Rows turned = rows(product, !turn);
        return Broadcasting.rows(new Operands(List.of(a, b), out), memory -> {
            byte[] left = a.bytes(memory);
            byte[] right = b.bytes(memory);
            byte[] to = out.bytes(memory);
            return (atA, stepA, atB, stepB, at, count) -> {
                if (stepA == 1 || count == 1) {
                    rows.run(left, atA, right, atB, stepB, 0, to, at, count, 1);
                } else {
                    turned.run(right, atB, left, atA, stepA, 0, to, at, count, 1);
                }
            };
        });
    }

    /** {@code b} has a byte for each channel, the same for all images or one set for each. */
    private static Step perChannel(Rows rows, PlacedValue a, PlacedValue b, PlacedValue out, ImageLayout order) {
        int batch = a.type().dimension(0);
        int channels = a.type().dimension(ImageStorage.channelAxis(order));
        int pixels = a.type().count() / batch / channels;
        int imageB = b.type().count() == channels ? 0 : channels;
        boolean last = out.storage().layout(order, out.type()) == ImageLayout.NHWC;
        int count = last ? channels : pixels;
        return Step.images(batch, last ? pixels : channels, memory -> {
                    byte[] left = a.bytes(memory);
                    byte[] right = b.bytes(memory);
                    byte[] to = out.bytes(memory);
                    return (image, begin, end) -> {
                        int at = image * channels * pixels + begin * count;
                        rows.run(
                                left,
                                a.at(memory) + at,
                                right,
                                b.at(memory) + image * imageB + (last ? 0 : begin),
                                last ? 1 : 0,
                                last ? 0 : 1,
                                to,
                                out.at(memory) + at,
                                count,
                                end - begin);
                    };
                })
                .joined(out.size());
    }

    /** The product that the table is of, if that is faster; null otherwise. */
    private ByteProduct product(ValueType a, ValueType b) {
        return ByteProduct.isFast() && a.element() == output.element() && b.element() == output.element()
                ? ByteProduct.of(
                        table,
                        output.element() == Element.INT8,
                        a.scale(),
                        a.zeroPoint(),
                        b.scale(),
                        b.zeroPoint(),
                        output.scale(),
                        output.zeroPoint())
                : null;
    }

    /**
     * Multiplied, or looked up.
     *
     * @param product null where there is none
     * @param turn whether the second input comes first
     */
    private Rows rows(ByteProduct product, boolean turn) {
        if (product != null) {
            return (turn ? product.swapped() : product)::run;
        }
        byte[] turned = turn ? new byte[table.length] : table;
        for (int i = 0; turn && i < table.length; i++) {
            turned[(i & 0xff) << 8 | i >> 8] = table[i];
        }
        return (left, atA, right, atB, stepB, rowB, to, at, count, rows) -> {
            for (int row = 0; row < rows; row++) {
                Quantizing.lookUpPairs(
                        left,
                        atA + row * count,
                        1,
                        right,
                        atB + row * rowB,
                        stepB,
                        to,
                        at + row * count,
                        count,
                        turned);
            }
        };
    }

    @Override
    public String label() {
        return "binary lookup table";
    }
}
