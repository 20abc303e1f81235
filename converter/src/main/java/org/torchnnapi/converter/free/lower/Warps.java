package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Images and volumes read at places that are computed: warped by a grid, or cut into regions. */
final class Warps implements NodeFamily {
    private static final int BILINEAR = 0;
    private static final int NEAREST = 1;
    private static final int ZEROS = 0;
    private static final int REFLECTION = 2;
    /** A region is its image's number and two corners. */
    private static final int REGION = 5;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::grid_sampler", Warps::sample);
        table.put("aten::grid_sampler_2d", Warps::sample);
        table.put("aten::grid_sampler_3d", Warps::sample);
        table.put("torchvision::roi_align", Warps::regions);
    }

    private static void sample(Node node, Scope scope) {
        TensorFacts image = scope.facts(node.input(0));
        TensorFacts grid = scope.facts(node.input(1));
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.input(1));
        long mode = scope.integer(node.input(2));
        long padding = scope.integer(node.input(3));
        boolean corners = scope.flag(node.input(4));
        boolean known = image.rank() == 4 || image.rank() == Volumes.RANK;
        if (!known || mode != BILINEAR && mode != NEAREST || padding < ZEROS || padding > REFLECTION || image.count() >= WholeNumbers.EXACT) {
            throw new Refused("images and volumes are sampled between their pixels or at the nearest, beyond their border as 0, as on it or mirrored",
                image + ", mode " + mode + ", padding " + padding, "a feature map or volume; mode 0 or 1; padding 0, 1 or 2", "");
        }
        int axes = image.rank() - 2;
        int[] sizes = Arrays.copyOfRange(image.shape(), 2, image.rank());
        int batch = image.size(0);
        int points = Math.toIntExact(grid.count() / batch / axes);
        NetBuilder net = scope.net();
        Term places = scope.as(node.input(1), batch, points, axes);
        Term[] at = new Term[axes];
        for (int axis = 0; axis < axes; axis++) {
            // Places are told from the last dimension on.
            int from = axes - 1 - axis;
            at[axis] = pixel(net, net.slice(places, 2, from, from + 1, 1), sizes[axis], corners, padding);
        }
        int[] order = axes == 2 ? Scope.IMAGE : Scope.VOLUME;
        Term rows = net.reshape(scope.in(node.input(0), order), Math.toIntExact(image.count() / image.size(1)), image.size(1));
        boolean reachesBeyond = padding == ZEROS;
        Term made = mode == NEAREST ? nearest(net, rows, at, sizes, reachesBeyond) : between(net, rows, at, sizes, reachesBeyond);
        int[] to = Arrays.stream(order).map(scope.facts(node.output())::size).toArray();
        scope.define(node.output(), net.reshape(made, Shapes.dims(to)), order);
    }

    /**
     * Pixels along one axis, (batch, points, 1).
     *
     * @param place  whole numbers of pixels that are there
     * @param weight how much they count: 0 where they stand for what is beyond the border; null where all count 1
     */
    private record Along(Term place, Term weight) {
        /** @param reachesBeyond whether there are places beyond the border, which do not count */
        static Along of(NetBuilder net, Term at, int size, boolean reachesBeyond, Term weight) {
            Term place = clamped(net, at, size - 1);
            if (!reachesBeyond) {
                return new Along(place, weight);
            }
            Term beyond = net.sub(at, place);
            Term inside = net.unary(OperationType.RELU, net.sub(net.number(1), net.mul(beyond, beyond)));
            return new Along(place, weight == null ? inside : net.mul(weight, inside));
        }
    }

    private static Term nearest(NetBuilder net, Term rows, Term[] at, int[] sizes, boolean reachesBeyond) {
        Along[] chosen = new Along[at.length];
        for (int axis = 0; axis < at.length; axis++) {
            chosen[axis] = Along.of(net, nearest(net, at[axis]), sizes[axis], reachesBeyond, null);
        }
        return taken(net, rows, chosen, sizes);
    }

    /** The pixels on both sides in each direction, by how near they are. */
    private static Term between(NetBuilder net, Term rows, Term[] at, int[] sizes, boolean reachesBeyond) {
        Along[][] sides = new Along[at.length][];
        for (int axis = 0; axis < at.length; axis++) {
            Term first = net.unary(OperationType.FLOOR, at[axis]);
            Term behind = net.sub(at[axis], first);
            sides[axis] = new Along[] {Along.of(net, first, sizes[axis], reachesBeyond, net.sub(net.number(1), behind)),
                Along.of(net, net.add(first, 1), sizes[axis], reachesBeyond, behind)};
        }
        Term made = null;
        for (int corner = 0; corner < 1 << at.length; corner++) {
            Along[] chosen = new Along[at.length];
            for (int axis = 0; axis < at.length; axis++) {
                chosen[axis] = sides[axis][corner >> axis & 1];
            }
            Term part = taken(net, rows, chosen, sizes);
            made = made == null ? part : net.add(made, part);
        }
        return made;
    }

    /** Places from -1 to 1 as pixels. */
    private static Term pixel(NetBuilder net, Term place, int size, boolean corners, long padding) {
        Term at = corners ? net.mul(net.add(place, 1), (size - 1) / 2.0) : net.add(net.mul(net.add(place, 1), size / 2.0), -0.5);
        Term inside = padding == REFLECTION ? mirrored(net, at, corners ? 0 : -0.5, corners ? size - 1 : size) : at;
        return padding == ZEROS ? at : clamped(net, inside, size - 1);
    }

    /** Places mirrored at {@code least} and {@code span} behind it, as often as it takes. */
    private static Term mirrored(NetBuilder net, Term at, double least, int span) {
        if (span == 0) {
            return net.filled(at, at.dims(), 0);
        }
        Term distance = net.unary(OperationType.ABS, net.add(at, -least));
        Term times = net.unary(OperationType.FLOOR, net.mul(distance, 1.0 / span));
        Term half = net.mul(times, 0.5);
        Term odd = net.mul(net.sub(half, net.unary(OperationType.FLOOR, half)), 2);
        Term rest = net.sub(distance, net.mul(times, span));
        Term back = net.mul(odd, net.sub(net.number(span), net.mul(rest, 2)));
        return net.add(net.add(rest, back), least);
    }

    private static Term clamped(NetBuilder net, Term x, double most) {
        return net.binary(OperationType.MINIMUM, net.unary(OperationType.RELU, x), net.number(most));
    }

    /** The nearest whole number, of two the even one. */
    static Term nearest(NetBuilder net, Term x) {
        Term up = net.unary(OperationType.FLOOR, net.add(x, 0.5));
        Term tie = net.cast(net.test(OperationType.EQUAL, net.sub(up, x), net.number(0.5)), OperandType.TENSOR_FLOAT32);
        Term half = net.mul(up, 0.5);
        Term odd = net.mul(net.sub(half, net.unary(OperationType.FLOOR, half)), 2);
        return net.sub(up, net.mul(tie, odd));
    }

    /** Pixels times weights, the first dimension's places first. */
    private static Term taken(NetBuilder net, Term rows, Along[] chosen, int[] sizes) {
        Term weight = null;
        Term places = null;
        int area = 1;
        for (int axis = 0; axis < chosen.length; axis++) {
            Along own = chosen[axis];
            weight = weight == null || own.weight() == null ? own.weight() : net.mul(weight, own.weight());
            places = places == null ? own.place() : net.add(net.mul(places, sizes[axis]), own.place());
            area *= sizes[axis];
        }
        int batch = places.dims()[0];
        float[] images = new float[batch];
        for (int n = 0; n < batch; n++) {
            images[n] = (float) n * area;
        }
        Term all = batch == 1 ? places : net.add(places, net.floats(images, batch, 1, 1));
        int count = batch * places.dims()[1];
        Term picked = net.gather(rows, 0, Lookups.whole(net, net.reshape(all, count)));
        return weight == null ? picked : net.mul(picked, net.reshape(weight, count, 1));
    }

    private static void regions(Node node, Scope scope) {
        TensorFacts image = scope.facts(node.input(0));
        TensorFacts regions = scope.facts(node.input(1));
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.input(1));
        if (image.rank() != 4 || regions.rank() != 2 || regions.size(1) != REGION || scope.flag(node.input(6))) {
            throw new Refused("ROI_ALIGN takes regions of at least a pixel, whose corners are not moved by half a one", image + ", " + regions, "aligned=False", "");
        }
        float stride = (float) (1 / scope.number(node.input(2)));
        boolean ordered = inside(node.input(1), 1, stride, image.size(3), scope) & inside(node.input(1), 2, stride, image.size(2), scope);
        NetBuilder net = scope.net();
        Term rows = scope.plain(node.input(1));
        Term images = Lookups.whole(net, net.reshape(net.slice(rows, 1, 0, 1, 1), regions.size(0)));
        Term corners = net.slice(rows, 1, 1, REGION, 1);
        if (!ordered) {
            // A region whose corners change places has the size of a pixel from its first one on, as one that ends there.
            Term first = net.slice(rows, 1, 1, 3, 1);
            corners = net.concatenate(List.of(first, net.binary(OperationType.MAXIMUM, net.slice(rows, 1, 3, REGION, 1), first)), 1);
        }
        long samples = Math.max(0, scope.integer(node.input(5)));
        scope.define(node.output(), net.windows().regions(scope.image(node.input(0)), corners, images, Math.toIntExact(scope.integer(node.input(3))),
            Math.toIntExact(scope.integer(node.input(4))), stride, Math.toIntExact(samples)), Scope.IMAGE);
    }

    /**
     * Refuses regions that may reach beyond the feature map, which torchvision's operator takes and NNAPI's fails at. Samples of a region that is
     * narrower than a pixel lie up to a pixel behind its first corner; beyond the map torchvision's count as 0 and NNAPI's as its last pixels.
     *
     * @param corner the place of a first corner in its row; that of the second is behind the first's two
     * @return whether the second corner is not before the first
     */
    private static boolean inside(Value regions, int corner, float stride, int size, Scope scope) {
        Bounds first = Bounds.of(regions, corner, scope);
        Bounds second = Bounds.of(regions, corner + 2, scope);
        if (!(first.least() >= 0 && pixels(first.greatest(), stride) <= size - 1 && pixels(second.greatest(), stride) <= size)) {
            throw new Refused("ROI_ALIGN takes regions that lie in the feature map", "coordinates from " + first.least() + " to " + first.greatest() + " and up to "
                + second.greatest(), "from 0 to " + (size - 1) * stride + " and up to " + size * stride + " whatever the inputs are",
                "clamp first corners to the last pixel and second ones to the end of the map");
        }
        return first.greatest() <= second.least();
    }

    /** A coordinate in the map's pixels, however a device divides. */
    private static float pixels(double coordinate, float stride) {
        return Math.max((float) coordinate / stride, (float) coordinate * (1 / stride));
    }
}
