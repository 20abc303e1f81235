package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.BoxRegression;
import org.torchnnapi.kernels.BoxSuppression;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Boxes moved by regressions and clipped to their image, see {@link BoxRegression}. Inputs: boxes {@code [boxes, 4]};
 * regressions {@code [boxes, classes * 4]} of floats or bytes; the image of each box {@code [boxes]}; the images'
 * heights and widths {@code [images, 2]}. Result: {@code [boxes, classes * 4]}. An execution with a box that ends
 * before it starts, or of no image, fails.
 */
public record BoxTransformOp() implements Op {
    private static final int BOX = BoxSuppression.BOX;

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 4, 4);
        ValueType boxes = Require.floats("boxes", inputs.get(0));
        Require.rank("boxes", boxes, 2);
        int count = boxes.dimension(0);
        Require.sameShape("boxes", boxes, new int[] {count, BOX});
        ValueType deltas = Require.notInts("regressions", inputs.get(1));
        Require.rank("regressions", deltas, 2);
        Require.sameShape("regressions", deltas, new int[] {count, deltas.dimension(1) / BOX * BOX});
        Require.sameShape(
                "images of boxes", Require.element("images of boxes", inputs.get(2), Element.INT32), new int[] {count});
        ValueType sizes = Require.floats("sizes of images", inputs.get(3));
        Require.rank("sizes of images", sizes, 2);
        Require.sameShape("sizes of images", sizes, new int[] {sizes.dimension(0), 2});
        return ValueType.floats(deltas.shape());
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue boxes = operands.in(0);
        PlacedValue deltas = operands.in(1);
        PlacedValue images = operands.in(2);
        PlacedValue sizes = operands.in(3);
        PlacedValue out = operands.out();
        int numbers = deltas.type().dimension(1);
        float[] reals = deltas.isFloat() ? null : ByteValues.of(deltas.type());
        float[] exponentials = reals == null ? null : BoxRegression.exponentials(reals);
        return new Step(boxes.type().dimension(0), memory -> {
            float[] corners = boxes.floats(memory);
            int[] imageOf = images.ints(memory);
            float[] extents = sizes.floats(memory);
            float[] to = out.floats(memory);
            return (begin, end) -> {
                for (int i = begin; i < end; i++) {
                    int box = boxes.at(memory) + BOX * i;
                    requireOrdered(corners, box);
                    int extent = sizes.at(memory)
                            + 2
                                    * image(
                                            imageOf[images.at(memory) + i],
                                            sizes.type().dimension(0));
                    int from = deltas.at(memory) + numbers * i;
                    int at = out.at(memory) + numbers * i;
                    if (reals == null) {
                        BoxRegression.regress(
                                corners,
                                box,
                                1,
                                deltas.floats(memory),
                                from,
                                numbers / BOX,
                                extents[extent],
                                extents[extent + 1],
                                to,
                                at);
                    } else {
                        BoxRegression.regress(
                                corners,
                                box,
                                1,
                                deltas.bytes(memory),
                                from,
                                numbers / BOX,
                                reals,
                                exponentials,
                                extents[extent],
                                extents[extent + 1],
                                to,
                                at);
                    }
                }
            };
        });
    }

    private static int image(int image, int images) {
        if (image < 0 || image >= images) {
            throw new IllegalArgumentException("image of a box: " + image + " (expected: 0 to " + (images - 1) + ")");
        }
        return image;
    }

    private static void requireOrdered(float[] corners, int at) {
        if (!(corners[at] <= corners[at + 2] && corners[at + 1] <= corners[at + 3])) {
            throw new IllegalArgumentException("box: (" + corners[at] + ", " + corners[at + 1] + ", " + corners[at + 2]
                    + ", " + corners[at + 3] + ") (expected: x1 <= x2 and y1 <= y2)");
        }
    }

    @Override
    public String label() {
        return "axis-aligned bbox transform";
    }
}
