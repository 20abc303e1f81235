package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** Images and volumes read at places that are computed: warped by a grid, or cut into regions. */
final class GridSamplerLowering implements NodeFamily {
    private static final int BILINEAR = 0;
    private static final int NEAREST = 1;
    private static final int ZEROS = 0;
    private static final int REFLECTION = 2;
    /** A region is its image's number and two corners. */
    private static final int REGION = 5;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::grid_sampler", GridSamplerLowering::sample);
        table.plan("aten::grid_sampler_2d", GridSamplerLowering::sample);
        table.plan("aten::grid_sampler_3d", GridSamplerLowering::sample);
        table.plan("torchvision::roi_align", GridSamplerLowering::regions);
    }

    private static LoweringPlan sample(Node node, LoweringContext context) {
        TensorFacts image = context.facts(node.input(0));
        TensorFacts grid = context.facts(node.input(1));
        context.requireFloat(node.input(0));
        context.requireFloat(node.input(1));
        long mode = context.integer(node.input(2));
        long padding = context.integer(node.input(3));
        boolean corners = context.flag(node.input(4));
        boolean known = image.rank() == 4 || image.rank() == Volumes.RANK;
        if (!known
                || mode != BILINEAR && mode != NEAREST
                || padding < ZEROS
                || padding > REFLECTION
                || image.count() >= WholeNumbers.EXACT) {
            return LoweringPlan.refused(
                    "images and volumes are sampled between their pixels or at the nearest, beyond their border as "
                            + "0, as on it or mirrored",
                    image + ", mode " + mode + ", padding " + padding,
                    "a feature map or volume; mode 0 or 1; padding 0, 1 or 2");
        }
        return () -> {
            int axes = image.rank() - 2;
            int[] sizes = Arrays.copyOfRange(image.shape(), 2, image.rank());
            int batch = image.size(0);
            int points = Math.toIntExact(grid.count() / batch / axes);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef places = context.as(node.input(1), batch, points, axes);
            OperandRef[] at = new OperandRef[axes];
            for (int axis = 0; axis < axes; axis++) {
                // Places are told from the last dimension on.
                int from = axes - 1 - axis;
                at[axis] = pixel(nnapi, nnapi.slice(places, 2, from, from + 1, 1), sizes[axis], corners, padding);
            }
            int[] order = axes == 2 ? LoweringContext.IMAGE : LoweringContext.VOLUME;
            OperandRef rows = nnapi.reshape(
                    context.in(node.input(0), order), Math.toIntExact(image.count() / image.size(1)), image.size(1));
            boolean reachesBeyond = padding == ZEROS;
            OperandRef made = mode == NEAREST
                    ? nearest(nnapi, rows, at, sizes, reachesBeyond)
                    : between(nnapi, rows, at, sizes, reachesBeyond);
            int[] to =
                    Arrays.stream(order).map(context.facts(node.output())::size).toArray();
            context.define(node.output(), nnapi.reshape(made, Shapes.dims(to)), order);
        };
    }

    /**
     * Pixels along one axis, (batch, points, 1).
     *
     * @param place whole numbers of pixels that are there
     * @param weight how much they count: 0 where they stand for what is beyond the border; null where all count 1
     */
    private record Along(OperandRef place, OperandRef weight) {
        /** @param reachesBeyond whether there are places beyond the border, which do not count */
        static Along of(NnapiBuilder nnapi, OperandRef at, int size, boolean reachesBeyond, OperandRef weight) {
            OperandRef place = clamped(nnapi, at, size - 1);
            if (!reachesBeyond) {
                return new Along(place, weight);
            }
            OperandRef beyond = nnapi.sub(at, place);
            OperandRef inside = nnapi.unary(OperationType.RELU, nnapi.sub(nnapi.number(1), nnapi.mul(beyond, beyond)));
            return new Along(place, weight == null ? inside : nnapi.mul(weight, inside));
        }
    }

    private static OperandRef nearest(
            NnapiBuilder nnapi, OperandRef rows, OperandRef[] at, int[] sizes, boolean reachesBeyond) {
        Along[] chosen = new Along[at.length];
        for (int axis = 0; axis < at.length; axis++) {
            chosen[axis] = Along.of(nnapi, nearest(nnapi, at[axis]), sizes[axis], reachesBeyond, null);
        }
        return taken(nnapi, rows, chosen, sizes);
    }

    /** The pixels on both sides in each direction, by how near they are. */
    private static OperandRef between(
            NnapiBuilder nnapi, OperandRef rows, OperandRef[] at, int[] sizes, boolean reachesBeyond) {
        Along[][] sides = new Along[at.length][];
        for (int axis = 0; axis < at.length; axis++) {
            OperandRef first = nnapi.unary(OperationType.FLOOR, at[axis]);
            OperandRef behind = nnapi.sub(at[axis], first);
            sides[axis] = new Along[] {
                Along.of(nnapi, first, sizes[axis], reachesBeyond, nnapi.sub(nnapi.number(1), behind)),
                Along.of(nnapi, nnapi.add(first, 1), sizes[axis], reachesBeyond, behind)
            };
        }
        OperandRef made = null;
        for (int corner = 0; corner < 1 << at.length; corner++) {
            Along[] chosen = new Along[at.length];
            for (int axis = 0; axis < at.length; axis++) {
                chosen[axis] = sides[axis][corner >> axis & 1];
            }
            OperandRef part = taken(nnapi, rows, chosen, sizes);
            made = made == null ? part : nnapi.add(made, part);
        }
        return made;
    }

    /** Places from -1 to 1 as pixels. */
    private static OperandRef pixel(NnapiBuilder nnapi, OperandRef place, int size, boolean corners, long padding) {
        OperandRef at = corners
                ? nnapi.mul(nnapi.add(place, 1), (size - 1) / 2.0)
                : nnapi.add(nnapi.mul(nnapi.add(place, 1), size / 2.0), -0.5);
        OperandRef inside =
                padding == REFLECTION ? mirrored(nnapi, at, corners ? 0 : -0.5, corners ? size - 1 : size) : at;
        return padding == ZEROS ? at : clamped(nnapi, inside, size - 1);
    }

    /** Places mirrored at {@code least} and {@code span} behind it, as often as it takes. */
    private static OperandRef mirrored(NnapiBuilder nnapi, OperandRef at, double least, int span) {
        if (span == 0) {
            return nnapi.filled(at, at.dims(), 0);
        }
        OperandRef distance = nnapi.unary(OperationType.ABS, nnapi.add(at, -least));
        OperandRef times = nnapi.unary(OperationType.FLOOR, nnapi.mul(distance, 1.0 / span));
        OperandRef half = nnapi.mul(times, 0.5);
        OperandRef odd = nnapi.mul(nnapi.sub(half, nnapi.unary(OperationType.FLOOR, half)), 2);
        OperandRef rest = nnapi.sub(distance, nnapi.mul(times, span));
        OperandRef back = nnapi.mul(odd, nnapi.sub(nnapi.number(span), nnapi.mul(rest, 2)));
        return nnapi.add(nnapi.add(rest, back), least);
    }

    private static OperandRef clamped(NnapiBuilder nnapi, OperandRef x, double most) {
        return nnapi.binary(OperationType.MINIMUM, nnapi.unary(OperationType.RELU, x), nnapi.number(most));
    }

    /** The nearest whole number, of two the even one. */
    static OperandRef nearest(NnapiBuilder nnapi, OperandRef x) {
        OperandRef up = nnapi.unary(OperationType.FLOOR, nnapi.add(x, 0.5));
        OperandRef tie = nnapi.cast(
                nnapi.test(OperationType.EQUAL, nnapi.sub(up, x), nnapi.number(0.5)), OperandType.TENSOR_FLOAT32);
        OperandRef half = nnapi.mul(up, 0.5);
        OperandRef odd = nnapi.mul(nnapi.sub(half, nnapi.unary(OperationType.FLOOR, half)), 2);
        return nnapi.sub(up, nnapi.mul(tie, odd));
    }

    /** Pixels times weights, the first dimension's places first. */
    private static OperandRef taken(NnapiBuilder nnapi, OperandRef rows, Along[] chosen, int[] sizes) {
        OperandRef weight = null;
        OperandRef places = null;
        int area = 1;
        for (int axis = 0; axis < chosen.length; axis++) {
            Along own = chosen[axis];
            weight = weight == null || own.weight() == null ? own.weight() : nnapi.mul(weight, own.weight());
            places = places == null ? own.place() : nnapi.add(nnapi.mul(places, sizes[axis]), own.place());
            area *= sizes[axis];
        }
        int batch = places.dims()[0];
        float[] images = new float[batch];
        for (int n = 0; n < batch; n++) {
            images[n] = (float) n * area;
        }
        OperandRef all = batch == 1 ? places : nnapi.add(places, nnapi.floats(images, batch, 1, 1));
        int count = batch * places.dims()[1];
        OperandRef picked = nnapi.gather(rows, 0, GatherLowering.whole(nnapi, nnapi.reshape(all, count)));
        return weight == null ? picked : nnapi.mul(picked, nnapi.reshape(weight, count, 1));
    }

    private static LoweringPlan regions(Node node, LoweringContext context) {
        TensorFacts image = context.facts(node.input(0));
        TensorFacts regions = context.facts(node.input(1));
        context.requireFloat(node.input(0));
        context.requireFloat(node.input(1));
        if (image.rank() != 4 || regions.rank() != 2 || regions.size(1) != REGION || context.flag(node.input(6))) {
            return LoweringPlan.refused(
                    "ROI_ALIGN takes regions of at least a pixel, whose corners are not moved by half a one",
                    image + ", " + regions,
                    "aligned=False");
        }
        float stride = (float) (1 / context.number(node.input(2)));
        boolean ordered = true;
        for (int corner = 1; corner <= 2; corner++) {
            Bounds first = Bounds.of(node.input(1), corner, context);
            Bounds second = Bounds.of(node.input(1), corner + 2, context);
            Reason beyond = beyond(first, second, stride, image.size(4 - corner));
            if (beyond != null) {
                return LoweringPlan.refused(beyond);
            }
            ordered &= first.greatest() <= second.least();
        }
        boolean inOrder = ordered;
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef rows = context.plain(node.input(1));
            OperandRef images =
                    GatherLowering.whole(nnapi, nnapi.reshape(nnapi.slice(rows, 1, 0, 1, 1), regions.size(0)));
            OperandRef corners = nnapi.slice(rows, 1, 1, REGION, 1);
            if (!inOrder) {
                // A region whose corners change places has the size of a pixel from its first one on, as one that ends
                // there.
                OperandRef first = nnapi.slice(rows, 1, 1, 3, 1);
                corners = nnapi.concatenate(
                        List.of(first, nnapi.binary(OperationType.MAXIMUM, nnapi.slice(rows, 1, 3, REGION, 1), first)),
                        1);
            }
            long samples = Math.max(0, context.integer(node.input(5)));
            context.define(
                    node.output(),
                    nnapi.windows()
                            .regions(
                                    context.image(node.input(0)),
                                    corners,
                                    images,
                                    context.int32(node.input(3)),
                                    context.int32(node.input(4)),
                                    stride,
                                    Math.toIntExact(samples)),
                    LoweringContext.IMAGE);
        };
    }

    /**
     * Why regions may reach beyond the feature map, which torchvision's operator takes and NNAPI's fails at; null where
     * they do not. Samples of a region that is narrower than a pixel lie up to a pixel behind its first corner; beyond
     * the map torchvision's count as 0 and NNAPI's as its last pixels.
     */
    private static Reason beyond(Bounds first, Bounds second, float stride, int size) {
        return first.least() >= 0
                        && pixels(first.greatest(), stride) <= size - 1
                        && pixels(second.greatest(), stride) <= size
                ? null
                : new Reason(
                        "ROI_ALIGN takes regions that lie in the feature map",
                        "coordinates from " + first.least() + " to " + first.greatest() + " and up to "
                                + second.greatest(),
                        "from 0 to " + (size - 1) * stride + " and up to " + size * stride + " whatever the inputs are",
                        "clamp first corners to the last pixel and second ones to the end of the map");
    }

    /** A coordinate in the map's pixels, however a device divides. */
    private static float pixels(double coordinate, float stride) {
        return Math.max((float) coordinate / stride, (float) coordinate * (1 / stride));
    }
}
