package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** A function of the elements of two values of floats, limited afterwards; shapes are broadcast as NumPy does. */
public record BinaryMathOp(BinaryOp op, Clamp clamp) implements Op {
    /** Pixels of all channels in one share of the work. */
    private static final int PIXELS = 64;
    /** How often an element is written in a row where it is the first operand of each of the other's. */
    private static final int REPEATED = 512;

    public static BinaryMathOp of(BinaryOp op) {
        return new BinaryMathOp(op, Clamp.NONE);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        return ValueType.floats(
                Broadcasting.shape(Require.floats("a", inputs.get(0)), Require.floats("b", inputs.get(1))));
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return Broadcasting.wish(inputs, input, output);
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        boolean turnable = isCommutative()
                || inputs.get(0).count() == 1
                || Arrays.equals(inputs.get(0).shape(), Broadcasting.shape(inputs.get(0), inputs.get(1)));
        return turnable ? Broadcasting.arrange(inputs, actual, op == BinaryOp.DIV) : LayoutAssignment.declared(2);
    }

    private boolean isCommutative() {
        return op != BinaryOp.SUB && op != BinaryOp.DIV && op != BinaryOp.PRELU;
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

    @Override
    public Op limited(Clamp limit) {
        return new BinaryMathOp(op, clamp.then(limit));
    }

    @Override
    public Step compile(Operands operands) {
        boolean turn = isCommutative()
                && !Arrays.equals(
                        operands.in(0).type().shape(), operands.out().type().shape());
        PlacedValue a = operands.in(turn ? 1 : 0);
        PlacedValue b = operands.in(turn ? 0 : 1);
        PlacedValue out = operands.out();
        if (Arrays.equals(a.type().shape(), b.type().shape())) {
            return Step.elementwise(out.size(), memory -> {
                float[] left = a.floats(memory);
                float[] right = b.floats(memory);
                float[] to = out.floats(memory);
                return (at, count) -> ElementwiseOps.binary(
                        op, left, a.at(memory) + at, right, b.at(memory) + at, to, out.at(memory) + at, count, clamp);
            });
        }
        if (b.type().count() == 1 && out.size() == a.size()) {
            return Step.elementwise(out.size(), memory -> {
                float[] left = a.floats(memory);
                float[] right = b.floats(memory);
                float[] to = out.floats(memory);
                return (at, count) -> ElementwiseOps.binary(
                        op, left, a.at(memory) + at, right[b.at(memory)], to, out.at(memory) + at, count, clamp);
            });
        }
        if (a.type().count() == 1 && out.size() == b.size()) {
            return Step.elementwise(out.size(), memory -> {
                float[] left = new float[Math.min(out.size(), REPEATED)];
                float[] right = b.floats(memory);
                float[] to = out.floats(memory);
                return (at, count) -> {
                    // Not before it runs: until then the element may not be there.
                    Arrays.fill(left, a.floats(memory)[a.at(memory)]);
                    for (int i = 0; i < count; i += left.length) {
                        int some = Math.min(left.length, count - i);
                        ElementwiseOps.binary(
                                op, left, 0, right, b.at(memory) + at + i, to, out.at(memory) + at + i, some, clamp);
                    }
                };
            });
        }
        if (Arrays.equals(a.type().shape(), out.type().shape())) {
            for (ImageLayout order : new ImageLayout[] {ImageLayout.NCHW, ImageLayout.NHWC}) {
                if (out.storage().suits(order)
                        && Broadcasting.isPerChannel(b.type(), a.type(), ImageStorage.channelAxis(order))) {
                    int channels = a.type().dimension(ImageStorage.channelAxis(order));
                    int batch = a.type().dimension(0);
                    return perChannel(
                            a,
                            b,
                            out,
                            out.storage().layout(order, out.type()),
                            batch,
                            channels,
                            a.type().count() / batch / channels);
                }
            }
            int times = Broadcasting.times(b.type(), a.type());
            if (times > 0) {
                return perChannel(a, b, out, ImageLayout.NHWC, 1, b.type().count(), times);
            }
            int each = Broadcasting.timesEach(b.type(), a.type());
            if (each > 0) {
                return perChannel(a, b, out, ImageLayout.NCHW, 1, b.type().count(), each);
            }
        }
        int axis = Broadcasting.blockAxis(out.type().shape());
        if (axis >= 0) {
            return blocks(a, b, out, axis);
        }
        return Broadcasting.rows(new Operands(List.of(a, b), out), memory -> {
            float[] left = a.floats(memory);
            float[] right = b.floats(memory);
            float[] to = out.floats(memory);
            return (atA, stepA, atB, stepB, at, count) -> row(left, atA, stepA, right, atB, stepB, to, at, count);
        });
    }

    /** {@code b} has a value for each channel, the same for all images or one set for each. */
    private Step perChannel(
            PlacedValue a, PlacedValue b, PlacedValue out, ImageLayout layout, int batch, int channels, int pixels) {
        int imageB = b.type().count() == channels ? 0 : channels;
        int imageSize = out.imageSize();
        int block = layout.block(channels);
        if (block == channels) {
            return Step.images(batch, (pixels + PIXELS - 1) / PIXELS, memory -> {
                        float[] left = a.floats(memory);
                        float[] right = b.floats(memory);
                        float[] to = out.floats(memory);
                        return (image, begin, end) -> {
                            int at = image * imageSize + begin * PIXELS * channels;
                            ElementwiseOps.perChannel(
                                    op,
                                    ImageLayout.NHWC,
                                    channels,
                                    Math.min(end * PIXELS, pixels) - begin * PIXELS,
                                    left,
                                    a.at(memory) + at,
                                    right,
                                    b.at(memory) + image * imageB,
                                    to,
                                    out.at(memory) + at,
                                    clamp);
                        };
                    })
                    .joined(out.size());
        }
        Step step = Step.images(batch, (channels + block - 1) / block, memory -> {
            float[] left = a.floats(memory);
            float[] right = b.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end) -> {
                int at = image * imageSize + begin * block * pixels;
                ElementwiseOps.perChannel(
                        op,
                        layout,
                        Math.min(end * block, channels) - begin * block,
                        pixels,
                        left,
                        a.at(memory) + at,
                        right,
                        b.at(memory) + image * imageB + begin * block,
                        to,
                        out.at(memory) + at,
                        clamp);
            };
        });
        return layout == ImageLayout.BLOCKED ? step.joinedChannels(out.size()) : step.joined(out.size());
    }

    /** By blocks of the axes from {@code axis} on, whose elements are brought together where they do not lie so. */
    private Step blocks(PlacedValue a, PlacedValue b, PlacedValue out, int axis) {
        int[] dims = out.type().shape();
        int[] stepsA = Broadcasting.steps(a.type().shape(), dims);
        int[] stepsB = Broadcasting.steps(b.type().shape(), dims);
        int[] placesA = Broadcasting.places(dims, stepsA, axis);
        int[] placesB = Broadcasting.places(dims, stepsB, axis);
        int[] outer = Arrays.copyOf(dims, axis + 1);
        int size = out.type().count();
        for (int i = 0; i < axis; i++) {
            size /= dims[i];
        }
        int block = size;
        return new Step(out.type().count() / block, memory -> {
            float[] left = a.floats(memory);
            float[] right = b.floats(memory);
            float[] to = out.floats(memory);
            return (begin, end) -> {
                float[] together = placesA == null ? left : new float[block];
                float[] others = placesB == null ? right : new float[block];
                for (int unit = begin; unit < end; unit++) {
                    int atA = together(left, a.at(memory) + StridedBlock.at(unit, outer, stepsA), placesA, together);
                    int atB = together(right, b.at(memory) + StridedBlock.at(unit, outer, stepsB), placesB, others);
                    ElementwiseOps.binary(
                            op, together, atA, others, atB, to, out.at(memory) + unit * block, block, clamp);
                }
            };
        });
    }

    /** Where the elements begin that are brought together if they lie apart. */
    private static int together(float[] from, int at, int[] places, float[] to) {
        if (places == null) {
            return at;
        }
        for (int i = 0; i < places.length; i++) {
            to[i] = from[at + places[i]];
        }
        return 0;
    }

    private void row(float[] a, int atA, int stepA, float[] b, int atB, int stepB, float[] out, int at, int count) {
        if (stepA == 1 && stepB == 1) {
            ElementwiseOps.binary(op, a, atA, b, atB, out, at, count, clamp);
        } else if (stepA == 1) {
            ElementwiseOps.binary(op, a, atA, b[atB], out, at, count, clamp);
        } else {
            for (int i = 0; i < count; i++) {
                out[at + i] = clamp.apply(op.apply(a[atA + i * stepA], b[atB + i * stepB]));
            }
        }
    }

    @Override
    public String label() {
        return op.name().toLowerCase(Locale.ROOT) + (clamp.isNone() ? "" : " " + clamp.label());
    }
}
