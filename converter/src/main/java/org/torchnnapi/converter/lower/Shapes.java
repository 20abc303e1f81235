package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;

/** Operators that keep the elements and give them another shape or order, and those that do nothing at inference. */
public final class Shapes implements NodeFamily {
    @Override
    public void register(NodeLoweringTable table) {
        for (String kind : List.of(
                "aten::reshape",
                "aten::view",
                "aten::flatten",
                "aten::squeeze",
                "aten::unsqueeze",
                "aten::_unsafe_view",
                "aten::unflatten",
                "aten::view_as",
                "aten::reshape_as",
                "aten::ravel")) {
            table.put(kind, Shapes::reshape);
        }
        for (String kind : List.of(
                "aten::contiguous",
                "aten::clone",
                "aten::detach",
                "aten::dropout",
                "aten::feature_dropout",
                "aten::alias",
                "aten::requires_grad_")) {
            table.plan(kind, Shapes::same);
        }
        table.plan("aten::to", Shapes::to);
        table.plan("aten::type_as", Shapes::to);
        table.plan("aten::float", Shapes::to);
        table.put("aten::permute", Shapes::permute);
        table.put("aten::transpose", Shapes::transpose);
        table.put("aten::swapaxes", Shapes::transpose);
        table.put("aten::swapdims", Shapes::transpose);
        table.put("aten::t", Shapes::transposeMatrix);
        table.put("aten::mT", Shapes::transposeMatrix);
        table.plan("aten::expand", Shapes::tile);
        table.plan("aten::expand_as", Shapes::tile);
        table.plan("aten::repeat", Shapes::tile);
        table.plan("aten::tile", Shapes::tile);
        table.plan("aten::as_tensor", Shapes::same);
        table.put("aten::channel_shuffle", Shapes::channelShuffle);
        table.put("aten::pixel_shuffle", Shapes::pixelShuffle);
        table.put("aten::pixel_unshuffle", Shapes::pixelUnshuffle);
    }

    /** A value that differs from its input in type only where the input is of that type already. */
    private static LoweringPlan same(Node node, LoweringContext context) {
        if (!context.facts(node.output()).equals(context.facts(node.input(0)))) {
            return LoweringPlan.refused(
                    "the operator must not change its input here",
                    context.facts(node.output()).toString(),
                    context.facts(node.input(0)).toString());
        }
        return () -> context.alias(node.output(), node.input(0));
    }

    private static LoweringPlan to(Node node, LoweringContext context) {
        TensorFacts from = context.facts(node.input(0));
        TensorFacts out = context.facts(node.output());
        boolean whole = (OperandTypes.isWhole(from.dtype()) || OperandTypes.isShort(from.dtype()))
                && OperandTypes.isWhole(out.dtype());
        boolean real = OperandTypes.isReal(from.dtype()) && OperandTypes.isReal(out.dtype());
        if (from.dtype() != out.dtype() && (out.dtype() == DType.FLOAT16 || out.dtype() == DType.BFLOAT16)) {
            return LoweringPlan.refused(
                    "casts to half precision round, which NNAPI's real numbers do not",
                    "a cast from " + from + " to " + out,
                    "float32 or float64");
        }
        if (from.dtype() == out.dtype() || whole || real) {
            return () -> context.alias(node.output(), node.input(0));
        }
        OperandType type = OperandTypes.of(out.dtype());
        boolean castable =
                from.quantization() == null && out.quantization() == null && OperandTypes.of(from.dtype()) != null;
        if (!castable) {
            return LoweringPlan.refused(
                    "NNAPI's CAST converts between float32, int32 and truth values here",
                    "a cast from " + from + " to " + out,
                    "dtypes without scales");
        }
        return () -> Elementwise.each(
                node,
                context,
                x -> WholeNumbers.wrapped(context.nnapi(), context.nnapi().cast(x, type), out.dtype()));
    }

    static void reshape(Node node, LoweringContext context) {
        TensorFacts from = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        if (from.equals(to)) {
            context.alias(node.output(), node.input(0));
            return;
        }
        boolean rows =
                from.rank() == 4 && to.rank() == 2 && from.size(0) == to.size(0) && from.dtype() == DType.FLOAT32;
        if (rows && Arrays.equals(context.order(node.input(0)), LoweringContext.IMAGE)) {
            context.flatten(node.output(), node.input(0));
            return;
        }
        List<Split> splits = arranged(node, context, from, to);
        int[] before = splits.stream()
                .flatMap(split -> split.from().stream())
                .mapToInt(d -> d)
                .toArray();
        int[] after = completed(
                to,
                splits.stream()
                        .flatMap(split -> split.to().stream())
                        .mapToInt(d -> d)
                        .toArray(),
                LoweringContext.identity(to.rank()));
        OperandRef moved = context.nnapi()
                .reshape(
                        context.in(node.input(0), completed(from, before, context.order(node.input(0)))),
                        dims(Arrays.stream(after).map(to::size).toArray()));
        context.define(node.output(), moved, after);
    }

    /**
     * The order that a tensor has if it leaves its long dimensions in this order; otherwise one in which those of 1
     * stand about where they belong.
     */
    private static int[] completed(TensorFacts known, int[] longer, int... order) {
        if (Arrays.equals(Arrays.stream(order).filter(d -> known.size(d) != 1).toArray(), longer)) {
            return order;
        }
        List<Integer> made = Arrays.stream(longer).boxed().collect(Collectors.toCollection(ArrayList::new));
        for (int d = 0; d < known.rank(); d++) {
            if (known.size(d) == 1) {
                made.add(Math.min(d, made.size()), d);
            }
        }
        return made.stream().mapToInt(d -> d).toArray();
    }

    /** Neighbouring dimensions, none of 1, that become other neighbouring dimensions of as many elements. */
    private record Split(List<Integer> from, List<Integer> to) {}

    /** The fewest dimensions each that a change of shape makes of one another. */
    private static List<Split> splits(TensorFacts from, TensorFacts to) {
        List<Integer> left = longer(from);
        List<Integer> right = longer(to);
        List<Split> out = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < left.size()) {
            int a = i;
            int b = j;
            long before = from.size(left.get(i++));
            long after = to.size(right.get(j++));
            while (before != after) {
                if (before < after) {
                    before *= from.size(left.get(i++));
                } else {
                    after *= to.size(right.get(j++));
                }
            }
            out.add(new Split(left.subList(a, i), right.subList(b, j)));
        }
        return out;
    }

    /**
     * The order of a tensor's dimensions, as near as can be to that in which it was computed, in which a change of its
     * shape moves no element: what becomes one dimension, or is made of one, lies together.
     */
    private static List<Split> arranged(Node node, LoweringContext context, TensorFacts from, TensorFacts to) {
        List<Integer> order = Arrays.stream(context.order(node.input(0)))
                .filter(d -> from.size(d) != 1)
                .boxed()
                .collect(Streams.toList());
        List<Split> splits = splits(from, to);
        List<Split> kept = new ArrayList<>(splits);
        // What moves with its neighbours moves quickly, so that the last dimension of each stays where it is.
        kept.sort(Comparator.comparingInt(
                split -> order.indexOf(split.from().get(split.from().size() - 1))));
        return moves(order, from, kept) < moves(order, from, splits) ? kept : splits;
    }

    /** What it costs to bring dimensions from one order to another. */
    private static double moves(List<Integer> order, TensorFacts known, List<Split> splits) {
        int[] shape = order.stream().mapToInt(known::size).toArray();
        return TransposeDecomposition.of(
                        shape,
                        splits.stream()
                                .flatMap(split -> split.from().stream())
                                .mapToInt(order::indexOf)
                                .toArray())
                .cost();
    }

    private static List<Integer> longer(TensorFacts known) {
        List<Integer> out = new ArrayList<>();
        for (int d = 0; d < known.rank(); d++) {
            if (known.size(d) != 1) {
                out.add(d);
            }
        }
        return out;
    }

    /** The same sizes behind as many of 1 as make so many. */
    static int[] widened(int rank, int... shape) {
        int[] dims = new int[rank];
        Arrays.fill(dims, 1);
        System.arraycopy(shape, 0, dims, rank - shape.length, shape.length);
        return dims;
    }

    /** The product of some of the sizes. */
    static int product(int[] sizes, int from, int to) {
        return Arrays.stream(sizes, from, to).reduce(1, Math::multiplyExact);
    }

    /** A shape as NNAPI's tensors can have it, with one to four dimensions: leading ones are made one. */
    public static int[] dims(int... shape) {
        int folded = shape.length - NnapiBuilder.MAX_RANK;
        if (folded <= 0) {
            return LoweringContext.boxed(shape);
        }
        int[] dims = Arrays.copyOfRange(shape, folded, shape.length);
        dims[0] = product(shape, 0, folded + 1);
        return dims;
    }

    private static void permute(Node node, LoweringContext context) {
        int rank = context.facts(node.input(0)).rank();
        int[] from = Arrays.stream(context.integers(node.input(1)))
                .map(d -> LoweringContext.dimension(d, rank))
                .toArray();
        permute(node, context, from);
    }

    private static void transpose(Node node, LoweringContext context) {
        int rank = context.facts(node.input(0)).rank();
        int[] from = LoweringContext.identity(rank);
        int a = context.dimension(node.input(1), rank);
        int b = context.dimension(node.input(2), rank);
        from[a] = b;
        from[b] = a;
        permute(node, context, from);
    }

    private static void transposeMatrix(Node node, LoweringContext context) {
        permute(node, context, turned(context.facts(node.input(0)).rank()));
    }

    /** The last two of so many dimensions the other way round. */
    private static int[] turned(int rank) {
        int[] order = LoweringContext.identity(rank);
        if (rank > 1) {
            order[rank - 1] = rank - 2;
            order[rank - 2] = rank - 1;
        }
        return order;
    }

    static void permute(Node node, LoweringContext context, int... from) {
        context.rename(node.output(), node.input(0), from);
    }

    /** Moves the dimensions of a tensor of any rank; dimension d of the result is dimension {@code from[d]}. */
    static OperandRef moved(NnapiBuilder nnapi, OperandRef in, int[] shape, int... from) {
        return TransposeDecomposition.of(shape, from).apply(nnapi, in);
    }

    /** Repeats dimensions in the order in which the tensor was computed; new ones come first. */
    private static LoweringPlan tile(Node node, LoweringContext context) {
        TensorFacts from = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        int[] order = context.order(node.input(0));
        int added = to.rank() - from.rank();
        int[] placed = IntStream.concat(
                        IntStream.range(0, added), Arrays.stream(order).map(d -> d + added))
                .toArray();
        // Neighbouring dimensions that are repeated as a whole, or not at all, are one.
        List<int[]> groups = new ArrayList<>();
        for (int d : placed) {
            int size = d < added ? 1 : from.size(d - added);
            int times = to.size(d) / size;
            int[] last = groups.isEmpty() ? null : groups.get(groups.size() - 1);
            if (last != null && (times == 1 && last[1] == 1 || size == 1 && last[0] == 1)) {
                last[0] *= size;
                last[1] *= times;
            } else {
                groups.add(new int[] {size, times});
            }
        }
        if (groups.isEmpty()) {
            return () -> context.alias(node.output(), node.input(0));
        }
        if (groups.size() > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused(
                    "tensors of many dimensions are repeated in few ways",
                    from + " to " + to,
                    "four groups of dimensions at most");
        }
        return () -> {
            OperandRef in = context.nnapi()
                    .reshape(
                            context.in(node.input(0), order),
                            groups.stream().mapToInt(g -> g[0]).toArray());
            OperandRef tiled =
                    context.nnapi().tile(in, groups.stream().mapToInt(g -> g[1]).toArray());
            context.shaped(node.output(), tiled, placed);
        };
    }

    private static void channelShuffle(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int groups = context.int32(node.input(1));
        OperandRef image = context.image(node.input(0));
        int channels = known.size(1);
        context.define(
                node.output(), regrouped(context.nnapi(), image, groups, channels / groups), LoweringContext.IMAGE);
    }

    /** (N, C r r, H, W) to (N, C, H r, W r). */
    private static void pixelShuffle(Node node, LoweringContext context) {
        TensorFacts to = context.facts(node.output());
        int r = context.int32(node.input(1));
        if (isImage(node, context)) {
            // PyTorch has the channels of the result first, DEPTH_TO_SPACE last.
            OperandRef image = regrouped(context.nnapi(), context.image(node.input(0)), to.size(1), r * r);
            context.define(node.output(), context.nnapi().depthToSpace(image, r), LoweringContext.IMAGE);
            return;
        }
        int[] split = {to.size(0), to.size(1), r, r, to.size(2) / r, to.size(3) / r};
        OperandRef made = moved(context.nnapi(), context.plain(node.input(0)), split, 0, 1, 4, 2, 5, 3);
        context.shaped(node.output(), made);
    }

    private static void pixelUnshuffle(Node node, LoweringContext context) {
        TensorFacts from = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        int r = context.int32(node.input(1));
        if (isImage(node, context)) {
            OperandRef image = context.nnapi().spaceToDepth(context.image(node.input(0)), r);
            context.define(
                    node.output(), regrouped(context.nnapi(), image, r * r, from.size(1)), LoweringContext.IMAGE);
            return;
        }
        int[] split = {from.size(0), from.size(1), from.size(2) / r, r, from.size(3) / r, r};
        OperandRef made = moved(context.nnapi(), context.plain(node.input(0)), split, 0, 1, 3, 5, 2, 4);
        context.shaped(node.output(), made);
    }

    private static boolean isImage(Node node, LoweringContext context) {
        return Arrays.equals(context.order(node.input(0)), LoweringContext.IMAGE)
                && OperandTypes.of(context.facts(node.input(0)).dtype()) != OperandType.TENSOR_INT32;
    }

    /** Channels of an image, {@code a} times {@code b} of them, as {@code b} times {@code a}. */
    private static OperandRef regrouped(NnapiBuilder nnapi, OperandRef image, int a, int b) {
        return a == 1 || b == 1
                ? image
                : nnapi.reshape(
                        nnapi.transpose(nnapi.reshape(image, image.count() / (a * b), a, b), 0, 2, 1), image.dims());
    }
}
