package org.torchnnapi.converter.free;

import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Images read at places that are computed: warped by a grid, or cut into regions. */
final class Warps implements NodeFamily {
    private static final int BILINEAR = 0;
    private static final int NEAREST = 1;
    private static final int ZEROS = 0;
    private static final int BORDER = 1;
    /** A region is its image's number and two corners. */
    private static final int REGION = 5;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::grid_sampler", Warps::sample);
        table.put("aten::grid_sampler_2d", Warps::sample);
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
        if (image.rank() != 4 || mode != BILINEAR && mode != NEAREST || padding != ZEROS && padding != BORDER || image.count() >= WholeNumbers.EXACT) {
            throw new Refused("images are sampled between four pixels or at the nearest, beyond their border as 0 or as on it",
                image + ", mode " + mode + ", padding " + padding, "a feature map; mode 0 or 1; padding 0 or 1", "");
        }
        int height = image.size(2);
        int width = image.size(3);
        int points = grid.size(1) * grid.size(2);
        int batch = image.size(0);
        NetBuilder net = scope.net();
        Term places = scope.as(node.input(1), batch, points, 2);
        Term x = pixel(net, net.slice(places, 2, 0, 1, 1), width, corners, padding == BORDER);
        Term y = pixel(net, net.slice(places, 2, 1, 2, 1), height, corners, padding == BORDER);
        Term rows = net.reshape(scope.image(node.input(0)), batch * height * width, image.size(1));
        Term made;
        if (mode == NEAREST) {
            made = taken(net, rows, nearest(net, x), nearest(net, y), height, width, null);
        } else {
            Term left = net.unary(OperationType.FLOOR, x);
            Term top = net.unary(OperationType.FLOOR, y);
            Term right = net.sub(x, left);
            Term bottom = net.sub(y, top);
            made = null;
            for (int i = 0; i < 4; i++) {
                Term across = i % 2 == 0 ? net.sub(net.number(1), right) : right;
                Term down = i / 2 == 0 ? net.sub(net.number(1), bottom) : bottom;
                Term part = taken(net, rows, net.add(left, i % 2), net.add(top, i / 2), height, width, net.mul(across, down));
                made = made == null ? part : net.add(made, part);
            }
        }
        scope.define(node.output(), net.reshape(made, batch, grid.size(1), grid.size(2), image.size(1)), Scope.IMAGE);
    }

    /** Places from -1 to 1 as pixels. */
    private static Term pixel(NetBuilder net, Term place, int size, boolean corners, boolean bounded) {
        Term at = corners ? net.mul(net.add(place, 1), (size - 1) / 2.0) : net.add(net.mul(net.add(place, 1), size / 2.0), -0.5);
        return bounded ? clamped(net, at, size - 1) : at;
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

    /** Pixels times weights, and 0 beyond the border; places are (batch, points, 1). */
    private static Term taken(NetBuilder net, Term rows, Term x, Term y, int height, int width, Term weight) {
        Term inside = net.mul(within(net, x, width), within(net, y, height));
        Term places = net.add(net.mul(clamped(net, y, height - 1), width), clamped(net, x, width - 1));
        int batch = places.dims()[0];
        float[] images = new float[batch];
        for (int n = 0; n < batch; n++) {
            images[n] = (float) n * height * width;
        }
        Term all = batch == 1 ? places : net.add(places, net.floats(images, batch, 1, 1));
        int count = batch * places.dims()[1];
        Term picked = net.gather(rows, 0, Lookups.whole(net, net.reshape(all, count)));
        return net.mul(picked, net.reshape(weight == null ? inside : net.mul(weight, inside), count, 1));
    }

    /** 1 for whole numbers from 0 to before {@code size}, and 0 for others. */
    private static Term within(NetBuilder net, Term x, int size) {
        return net.mul(clamped(net, net.add(x, 1), 1), clamped(net, net.sub(net.number(size), x), 1));
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
