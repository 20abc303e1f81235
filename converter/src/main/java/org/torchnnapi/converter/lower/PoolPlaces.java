package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Where the largest values of windows stand, and maps in which they are put back there. */
final class PoolPlaces {
    /** A window's elements are compared one by one. */
    private static final int MAX_WINDOW = 64;

    private PoolPlaces() {}

    /** Why there are no places of windows in a map of so many pixels; null where there are. */
    static Reason unfit(LoweringFrame frame, int height, int width) {
        int rows = frame.rows().kernel();
        int columns = frame.columns().kernel();
        return rows * columns <= MAX_WINDOW && (long) height * width < WholeNumbers.EXACT
                ? null
                : new Reason(
                        "places are those of small windows",
                        rows + " by " + columns + " of " + height + " by " + width,
                        MAX_WINDOW + " elements, of a map of less than 2^24");
    }

    /** The same of windows of several sizes, of which there are so many. */
    static Reason unfit(int[] target, int height, int width) {
        return target[0] * target[1] <= MAX_WINDOW && (long) height * width < WholeNumbers.EXACT
                ? null
                : new Reason(
                        "places are those of few windows of several sizes",
                        target[0] + " by " + target[1],
                        MAX_WINDOW + " windows");
    }

    /** Defines the largest values of windows, and the places in the map, row by row, of the first of equal ones. */
    static void define(Node node, LoweringContext context, OperandRef image, LoweringFrame frame) {
        LoweringFrame.Axis rows = frame.rows();
        LoweringFrame.Axis columns = frame.columns();
        int height = image.dims()[1];
        int width = image.dims()[2];
        NnapiBuilder nnapi = context.nnapi();
        OperandRef padded = nnapi.windows().padded(image, frame, -Float.MAX_VALUE);
        OperandRef most = null;
        OperandRef places = null;
        // From the last to the first, so that of equal ones the first counts.
        for (int i = rows.kernel() - 1; i >= 0; i--) {
            OperandRef band = nnapi.windows().met(padded, 1, rows, i, rows.count(height));
            for (int j = columns.kernel() - 1; j >= 0; j--) {
                OperandRef met = nnapi.windows().met(band, 2, columns, j, columns.count(width));
                OperandRef own = Comparisons.full(nnapi, places(nnapi, rows, i, columns, j, met, width), met.dims());
                places = places == null
                        ? own
                        : nnapi.select(nnapi.test(OperationType.GREATER_EQUAL, met, most), own, places);
                most = most == null ? met : nnapi.binary(OperationType.MAXIMUM, met, most);
            }
        }
        if (node.output(0).isUsed()) {
            Pools.define(context, node.output(0), most);
        }
        Pools.define(context, node.output(1), GatherLowering.whole(nnapi, places));
    }

    /** The same of windows of several sizes, whose ends are rounded outwards, one by one. */
    static void ofBands(Node node, LoweringContext context, OperandRef image, int... target) {
        int[] dims = image.dims();
        NnapiBuilder nnapi = context.nnapi();
        List<OperandRef> values = new ArrayList<>();
        List<OperandRef> places = new ArrayList<>();
        for (int i = 0; i < target[0] * target[1]; i++) {
            int[] rows = Pools.band(i / target[1], dims[1], target[0]);
            int[] columns = Pools.band(i % target[1], dims[2], target[1]);
            OperandRef window = nnapi.slice(nnapi.slice(image, 1, rows[0], rows[1], 1), 2, columns[0], columns[1], 1);
            OperandRef most = nnapi.reduce(OperationType.REDUCE_MAX, window, 1, 2);
            int wide = columns[1] - columns[0];
            float[] numbers = new float[(rows[1] - rows[0]) * wide];
            for (int at = 0; at < numbers.length; at++) {
                numbers[at] = (rows[0] + at / wide) * dims[2] + columns[0] + at % wide;
            }
            OperandRef own =
                    Comparisons.full(nnapi, nnapi.floats(numbers, 1, rows[1] - rows[0], wide, 1), window.dims());
            OperandRef beyond = nnapi.filled(window, window.dims(), WholeNumbers.EXACT);
            OperandRef here = nnapi.select(nnapi.test(OperationType.GREATER_EQUAL, window, most), own, beyond);
            values.add(most);
            places.add(nnapi.reduce(OperationType.REDUCE_MIN, here, 1, 2));
        }
        if (node.output(0).isUsed()) {
            Pools.define(context, node.output(0), arranged(nnapi, values, target));
        }
        Pools.define(context, node.output(1), GatherLowering.whole(nnapi, arranged(nnapi, places, target)));
    }

    /** One pixel after the other as rows of an image. */
    private static OperandRef arranged(NnapiBuilder nnapi, List<OperandRef> pixels, int... size) {
        OperandRef row = nnapi.concatenate(pixels, 1);
        return nnapi.reshape(row, row.dims()[0], size[0], size[1], row.dims()[3]);
    }

    /** The places in the map that {@code met}, of one place of the windows, has, (1, height, width, 1). */
    private static OperandRef places(
            NnapiBuilder nnapi,
            LoweringFrame.Axis rows,
            int i,
            LoweringFrame.Axis columns,
            int j,
            OperandRef met,
            int width) {
        int high = met.dims()[1];
        int wide = met.dims()[2];
        float[] places = new float[high * wide];
        for (int y = 0; y < high; y++) {
            for (int x = 0; x < wide; x++) {
                int row = y * rows.stride() - rows.before() + i * rows.dilation();
                places[y * wide + x] = row * width + x * columns.stride() - columns.before() + j * columns.dilation();
            }
        }
        return nnapi.floats(places, 1, high, wide, 1);
    }

    /**
     * Puts the values of a pool, or what came of them, back where they stood: into windows that lie beside each other.
     */
    static LoweringPlan unpool(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        TensorFacts to = context.facts(node.output());
        Node pool = origin(node.input(1));
        TensorFacts map = pool == null ? null : context.facts(pool.input(0));
        if (map == null || !Arrays.equals(map.shape(), to.shape())) {
            return LoweringPlan.refused(
                    "values go back into a map as large as the one that was pooled",
                    to.toString(),
                    map == null ? "the places of a pool of feature maps" : map.toString(),
                    "give output_size the size of what was pooled");
        }
        LoweringFrame frame = frame(pool, context);
        if (frame == null
                || frame.isPadded()
                || frame.isDilated()
                || frame.rows().stride() != frame.rows().kernel()
                || frame.columns().stride() != frame.columns().kernel()) {
            return LoweringPlan.refused(
                    "values go back into windows that lie beside each other",
                    frame == null ? "windows of several sizes" : frame.toString(),
                    "a pool whose stride is its kernel, without padding");
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef values = Pools.image(context, node.input(0));
            OperandRef places = nnapi.cast(Pools.image(context, node.input(1)), OperandType.TENSOR_FLOAT32);
            LoweringFrame.Axis rows = frame.rows();
            LoweringFrame.Axis columns = frame.columns();
            int[] dims = values.dims();
            int width = to.size(to.rank() - 1);
            OperandRef nothing = nnapi.filled(values, dims, 0);
            List<OperandRef> bands = new ArrayList<>();
            for (int i = 0; i < rows.kernel(); i++) {
                List<OperandRef> parts = new ArrayList<>();
                for (int j = 0; j < columns.kernel(); j++) {
                    OperandRef here =
                            nnapi.test(OperationType.EQUAL, places, places(nnapi, rows, i, columns, j, values, width));
                    parts.add(
                            nnapi.reshape(nnapi.select(here, values, nothing), dims[0] * dims[1], dims[2], 1, dims[3]));
                }
                bands.add(nnapi.reshape(
                        nnapi.concatenate(parts, 2), dims[0] * dims[1], 1, dims[2] * columns.kernel() * dims[3]));
            }
            OperandRef made = nnapi.reshape(
                    nnapi.concatenate(bands, 1), dims[0], dims[1] * rows.kernel(), dims[2] * columns.kernel(), dims[3]);
            Pools.define(
                    context, node.output(), fitted(nnapi, fitted(nnapi, made, 1, to.size(to.rank() - 2)), 2, width));
        };
    }

    /** Without what is beyond a size, or with zeros up to it. */
    private static OperandRef fitted(NnapiBuilder nnapi, OperandRef in, int dimension, int size) {
        int missing = size - in.dims()[dimension];
        int[] after = new int[in.rank()];
        after[dimension] = Math.max(0, missing);
        return missing > 0 ? nnapi.pad(in, new int[in.rank()], after, 0) : nnapi.slice(in, dimension, 0, size, 1);
    }

    /** The pool of feature maps that places came of, or null. */
    private static Node origin(Value places) {
        Node made = places.definition();
        boolean pool = made != null
                && (made.is("aten::max_pool2d_with_indices") || made.is("aten::adaptive_max_pool2d"))
                && made.output(1) == places;
        return pool ? made : null;
    }

    /** The windows of a pool; null where they have several sizes. */
    private static LoweringFrame frame(Node pool, LoweringContext context) {
        if (!pool.is("aten::adaptive_max_pool2d")) {
            return LoweringFrame.of(
                    context.integers(pool.input(1)),
                    context.integers(pool.input(2)),
                    context.integers(pool.input(3)),
                    context.integers(pool.input(4)));
        }
        TensorFacts map = context.facts(pool.input(0));
        TensorFacts pooled = context.facts(pool.output(0));
        int rank = map.rank();
        int[] kernel = {map.size(rank - 2) / pooled.size(rank - 2), map.size(rank - 1) / pooled.size(rank - 1)};
        return kernel[0] * pooled.size(rank - 2) == map.size(rank - 2)
                        && kernel[1] * pooled.size(rank - 1) == map.size(rank - 1)
                ? LoweringFrame.of(kernel, kernel, new int[] {0}, new int[] {1})
                : null;
    }
}
