package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Operators that keep the elements and give them another shape or order, and those that do nothing at inference. */
public final class Shapes implements NodeFamily {
    @Override
    public void register(Map<String, NodeLowering> table) {
        for (String kind : List.of("aten::reshape", "aten::view", "aten::flatten", "aten::squeeze", "aten::unsqueeze", "aten::_unsafe_view",
            "aten::unflatten", "aten::view_as", "aten::reshape_as", "aten::ravel")) {
            table.put(kind, Shapes::reshape);
        }
        for (String kind : List.of("aten::contiguous", "aten::clone", "aten::detach", "aten::dropout", "aten::feature_dropout", "aten::alias", "aten::requires_grad_")) {
            table.put(kind, Shapes::same);
        }
        table.put("aten::to", Shapes::to);
        table.put("aten::type_as", Shapes::to);
        table.put("aten::float", Shapes::to);
        table.put("aten::permute", Shapes::permute);
        table.put("aten::transpose", Shapes::transpose);
        table.put("aten::swapaxes", Shapes::transpose);
        table.put("aten::swapdims", Shapes::transpose);
        table.put("aten::t", Shapes::transposeMatrix);
        table.put("aten::mT", Shapes::transposeMatrix);
        table.put("aten::expand", Shapes::expand);
        table.put("aten::expand_as", Shapes::expand);
        table.put("aten::repeat", Shapes::repeat);
        table.put("aten::tile", Shapes::repeat);
        table.put("aten::as_tensor", Shapes::same);
        table.put("aten::channel_shuffle", Shapes::channelShuffle);
        table.put("aten::pixel_shuffle", Shapes::pixelShuffle);
        table.put("aten::pixel_unshuffle", Shapes::pixelUnshuffle);
    }

    /** A value that differs from its input in type only where the input is of that type already. */
    private static void same(Node node, Scope scope) {
        if (!scope.facts(node.output()).equals(scope.facts(node.input(0)))) {
            throw new Refused("the operator must not change its input here", scope.facts(node.output()).toString(), scope.facts(node.input(0)).toString(), "");
        }
        scope.alias(node.output(), node.input(0));
    }

    private static void to(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts out = scope.facts(node.output());
        boolean whole = (OperandTypes.isWhole(from.dtype()) || OperandTypes.isShort(from.dtype())) && OperandTypes.isWhole(out.dtype());
        boolean real = OperandTypes.isReal(from.dtype()) && OperandTypes.isReal(out.dtype());
        if (from.dtype() != out.dtype() && (out.dtype() == DType.FLOAT16 || out.dtype() == DType.BFLOAT16)) {
            throw new Refused("casts to half precision round, which NNAPI's real numbers do not", "a cast from " + from + " to " + out, "float32 or float64", "");
        }
        if (from.dtype() == out.dtype() || whole || real) {
            scope.alias(node.output(), node.input(0));
            return;
        }
        OperandType type = OperandTypes.of(out.dtype());
        boolean castable = from.quantization() == null && out.quantization() == null && OperandTypes.of(from.dtype()) != null;
        if (!castable) {
            throw new Refused("NNAPI's CAST converts between float32, int32 and truth values here", "a cast from " + from + " to " + out, "dtypes without scales", "");
        }
        Elementwise.each(node, scope, x -> WholeNumbers.wrapped(scope.net(), scope.net().cast(x, type), out.dtype()));
    }

    static void reshape(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        if (from.equals(to)) {
            scope.alias(node.output(), node.input(0));
            return;
        }
        boolean rows = from.rank() == 4 && to.rank() == 2 && from.size(0) == to.size(0) && from.dtype() == DType.FLOAT32;
        if (rows && Arrays.equals(scope.order(node.input(0)), Scope.IMAGE)) {
            scope.flatten(node.output(), node.input(0));
            return;
        }
        List<Split> splits = arranged(node, scope, from, to);
        int[] before = splits.stream().flatMap(split -> split.from().stream()).mapToInt(d -> d).toArray();
        int[] after = completed(to, splits.stream().flatMap(split -> split.to().stream()).mapToInt(d -> d).toArray(), Scope.identity(to.rank()));
        Term moved = scope.net().reshape(scope.in(node.input(0), completed(from, before, scope.order(node.input(0)))), dims(Arrays.stream(after).map(to::size).toArray()));
        scope.define(node.output(), moved, after);
    }

    /** The order that a tensor has if it leaves its long dimensions in this order; otherwise one in which those of 1 stand about where they belong. */
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
     * The order of a tensor's dimensions, as near as can be to that in which it was computed, in which a change of its shape moves no element: what
     * becomes one dimension, or is made of one, lies together.
     */
    private static List<Split> arranged(Node node, Scope scope, TensorFacts from, TensorFacts to) {
        List<Integer> order = Arrays.stream(scope.order(node.input(0))).filter(d -> from.size(d) != 1).boxed().collect(Streams.toList());
        List<Split> splits = splits(from, to);
        List<Split> kept = new ArrayList<>(splits);
        // What moves with its neighbours moves quickly, so that the last dimension of each stays where it is.
        kept.sort(Comparator.comparingInt(split -> order.indexOf(split.from().get(split.from().size() - 1))));
        return moves(order, from, kept) < moves(order, from, splits) ? kept : splits;
    }

    /** What it costs to bring dimensions from one order to another. */
    private static double moves(List<Integer> order, TensorFacts known, List<Split> splits) {
        int[] shape = order.stream().mapToInt(known::size).toArray();
        return DimensionMoves.of(shape, splits.stream().flatMap(split -> split.from().stream()).mapToInt(order::indexOf).toArray()).cost();
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

    /** Leading dimensions made one, so that four remain. */
    public static int[] folded(int[] shape) {
        int[] dims = Arrays.copyOfRange(shape, shape.length - NetBuilder.MAX_RANK, shape.length);
        for (int d = 0; d < shape.length - NetBuilder.MAX_RANK; d++) {
            dims[0] = Math.multiplyExact(dims[0], shape[d]);
        }
        return dims;
    }

    /** A shape as NNAPI's tensors can have it, with one to four dimensions. */
    static int[] dims(int... shape) {
        return shape.length > NetBuilder.MAX_RANK ? folded(shape) : Scope.boxed(shape);
    }

    private static void permute(Node node, Scope scope) {
        int rank = scope.facts(node.input(0)).rank();
        int[] from = Arrays.stream(scope.integers(node.input(1))).map(d -> Scope.dimension(d, rank)).toArray();
        permute(node, scope, from);
    }

    private static void transpose(Node node, Scope scope) {
        int rank = scope.facts(node.input(0)).rank();
        int[] from = Scope.identity(rank);
        int a = Scope.dimension(scope.integer(node.input(1)), rank);
        int b = Scope.dimension(scope.integer(node.input(2)), rank);
        from[a] = b;
        from[b] = a;
        permute(node, scope, from);
    }

    private static void transposeMatrix(Node node, Scope scope) {
        permute(node, scope, turned(scope.facts(node.input(0)).rank()));
    }

    /** The last two of so many dimensions the other way round. */
    private static int[] turned(int rank) {
        int[] order = Scope.identity(rank);
        if (rank > 1) {
            order[rank - 1] = rank - 2;
            order[rank - 2] = rank - 1;
        }
        return order;
    }

    static void permute(Node node, Scope scope, int... from) {
        scope.rename(node.output(), node.input(0), from);
    }

    /** Moves the dimensions of a tensor of any rank; dimension d of the result is dimension {@code from[d]}. */
    static Term moved(NetBuilder net, Term in, int[] shape, int... from) {
        return DimensionMoves.of(shape, from).apply(net, in);
    }

    private static void expand(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        tile(node, scope, from, to);
    }

    private static void repeat(Node node, Scope scope) {
        tile(node, scope, scope.facts(node.input(0)), scope.facts(node.output()));
    }

    /** Repeats dimensions in the order in which the tensor was computed; new ones come first. */
    private static void tile(Node node, Scope scope, TensorFacts from, TensorFacts to) {
        int[] order = scope.order(node.input(0));
        int added = to.rank() - from.rank();
        int[] placed = IntStream.concat(IntStream.range(0, added), Arrays.stream(order).map(d -> d + added)).toArray();
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
            scope.alias(node.output(), node.input(0));
            return;
        }
        if (groups.size() > NetBuilder.MAX_RANK) {
            throw new Refused("tensors of many dimensions are repeated in few ways", from + " to " + to, "four groups of dimensions at most", "");
        }
        Term in = scope.net().reshape(scope.in(node.input(0), order), groups.stream().mapToInt(g -> g[0]).toArray());
        Term tiled = scope.net().tile(in, groups.stream().mapToInt(g -> g[1]).toArray());
        scope.define(node.output(), scope.net().reshape(tiled, dims(Arrays.stream(placed).map(to::size).toArray())), placed);
    }

    private static void channelShuffle(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int groups = Math.toIntExact(scope.integer(node.input(1)));
        Term image = scope.image(node.input(0));
        int channels = known.size(1);
        scope.define(node.output(), regrouped(scope.net(), image, groups, channels / groups), Scope.IMAGE);
    }

    /** (N, C r r, H, W) to (N, C, H r, W r). */
    private static void pixelShuffle(Node node, Scope scope) {
        TensorFacts to = scope.facts(node.output());
        int r = Math.toIntExact(scope.integer(node.input(1)));
        if (isImage(node, scope)) {
            // PyTorch has the channels of the result first, DEPTH_TO_SPACE last.
            Term image = regrouped(scope.net(), scope.image(node.input(0)), to.size(1), r * r);
            scope.define(node.output(), scope.net().depthToSpace(image, r), Scope.IMAGE);
            return;
        }
        int[] split = {to.size(0), to.size(1), r, r, to.size(2) / r, to.size(3) / r};
        Term made = moved(scope.net(), scope.plain(node.input(0)), split, 0, 1, 4, 2, 5, 3);
        scope.define(node.output(), scope.net().reshape(made, to.shape()));
    }

    private static void pixelUnshuffle(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        int r = Math.toIntExact(scope.integer(node.input(1)));
        if (isImage(node, scope)) {
            Term image = scope.net().spaceToDepth(scope.image(node.input(0)), r);
            scope.define(node.output(), regrouped(scope.net(), image, r * r, from.size(1)), Scope.IMAGE);
            return;
        }
        int[] split = {from.size(0), from.size(1), from.size(2) / r, r, from.size(3) / r, r};
        Term made = moved(scope.net(), scope.plain(node.input(0)), split, 0, 1, 3, 5, 2, 4);
        scope.define(node.output(), scope.net().reshape(made, to.shape()));
    }

    private static boolean isImage(Node node, Scope scope) {
        return Arrays.equals(scope.order(node.input(0)), Scope.IMAGE) && OperandTypes.of(scope.facts(node.input(0)).dtype()) != OperandType.TENSOR_INT32;
    }

    /** Channels of an image, {@code a} times {@code b} of them, as {@code b} times {@code a}. */
    private static Term regrouped(NetBuilder net, Term image, int a, int b) {
        return a == 1 || b == 1 ? image : net.reshape(net.transpose(net.reshape(image, image.count() / (a * b), a, b), 0, 2, 1), image.dims());
    }
}
