package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Operators that keep the elements and give them another shape or order, and those that do nothing at inference. */
final class Shapes implements NodeFamily {
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
        if (scope.facts(node.input(0)).rank() <= NetBuilder.MAX_RANK && to.rank() <= NetBuilder.MAX_RANK && sizesOfOne(node, scope, from, to)) {
            return;
        }
        boolean rows = from.rank() == 4 && to.rank() == 2 && from.size(0) == to.size(0) && from.dtype() == DType.FLOAT32;
        if (rows && Arrays.equals(scope.order(node.input(0)), Scope.IMAGE)) {
            scope.flatten(node.output(), node.input(0));
            return;
        }
        scope.define(node.output(), scope.net().reshape(scope.plain(node.input(0)), to.rank() > NetBuilder.MAX_RANK ? folded(to.shape()) : Scope.boxed(to.shape())));
    }

    /** Adding or dropping dimensions of 1 keeps the order in which NNAPI has the others. */
    private static boolean sizesOfOne(Node node, Scope scope, TensorFacts from, TensorFacts to) {
        List<Integer> left = longer(from);
        List<Integer> right = longer(to);
        int[] order = scope.order(node.input(0));
        if (left.size() != right.size() || Arrays.equals(order, Scope.identity(order.length)) || to.rank() == 0) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (from.size(left.get(i)) != to.size(right.get(i))) {
                return false;
            }
        }
        List<Integer> made = new ArrayList<>();
        for (int d : order) {
            if (left.contains(d)) {
                made.add(right.get(left.indexOf(d)));
            }
        }
        for (int d = 0; d < to.rank(); d++) {
            if (!right.contains(d)) {
                made.add(Math.min(d, made.size()), d);
            }
        }
        int[] dims = made.stream().mapToInt(to::size).toArray();
        scope.define(node.output(), scope.net().reshape(scope.in(node.input(0), order), dims), made.stream().mapToInt(d -> d).toArray());
        return true;
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
    static int[] folded(int[] shape) {
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
        if (from.length <= NetBuilder.MAX_RANK) {
            scope.rename(node.output(), node.input(0), from);
        } else {
            scope.define(node.output(), moved(scope.net(), scope.plain(node.input(0)), scope.facts(node.input(0)).shape(), from));
        }
    }

    /** Moves the dimensions of a tensor of any rank; dimension d of the result is dimension {@code from[d]}. */
    static Term moved(NetBuilder net, Term in, int[] shape, int... from) {
        List<Integer> order = new ArrayList<>();
        for (int d : from) {
            if (shape[d] != 1) {
                order.add(d);
            }
        }
        // Neighbours that stay neighbours are one dimension.
        List<int[]> blocks = new ArrayList<>();
        for (int d : order) {
            int[] last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
            if (last != null && nextLong(shape, last[1]) == d) {
                last[1] = d;
                last[2] *= shape[d];
            } else {
                blocks.add(new int[] {d, d, shape[d]});
            }
        }
        List<int[]> now = new ArrayList<>(blocks);
        now.sort((a, b) -> Integer.compare(a[0], b[0]));
        Term term = in;
        if (now.size() <= NetBuilder.MAX_RANK) {
            int[] dims = now.stream().mapToInt(b -> b[2]).toArray();
            int[] moves = blocks.stream().mapToInt(now::indexOf).toArray();
            return now.isEmpty() ? in : net.transpose(net.reshape(term, dims), moves);
        }
        // Otherwise one block after the other changes places with those before it.
        for (int i = 0; i < blocks.size(); i++) {
            int at = now.indexOf(blocks.get(i));
            if (at != i) {
                int[] dims = {product(now, 0, i), product(now, i, at), now.get(at)[2], product(now, at + 1, now.size())};
                term = net.transpose(net.reshape(term, dims), 0, 2, 1, 3);
                now.add(i, now.remove(at));
            }
        }
        return term;
    }

    /** The next dimension of more than one element, or -1. */
    private static int nextLong(int[] shape, int dimension) {
        for (int d = dimension + 1; d < shape.length; d++) {
            if (shape[d] != 1) {
                return d;
            }
        }
        return -1;
    }

    private static int product(List<int[]> blocks, int from, int to) {
        int product = 1;
        for (int[] block : blocks.subList(from, to)) {
            product *= block[2];
        }
        return product;
    }

    private static void expand(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        tile(node, scope, from, to);
    }

    private static void repeat(Node node, Scope scope) {
        tile(node, scope, scope.facts(node.input(0)), scope.facts(node.output()));
    }

    private static void tile(Node node, Scope scope, TensorFacts from, TensorFacts to) {
        int[] dims = new int[to.rank()];
        Arrays.fill(dims, 1);
        System.arraycopy(from.shape(), 0, dims, dims.length - from.rank(), from.rank());
        // Neighbouring dimensions that are repeated as a whole, or not at all, are one.
        List<int[]> groups = new ArrayList<>();
        for (int d = 0; d < dims.length; d++) {
            int times = to.size(d) / dims[d];
            int[] last = groups.isEmpty() ? null : groups.get(groups.size() - 1);
            if (last != null && (times == 1 && last[1] == 1 || dims[d] == 1 && last[0] == 1)) {
                last[0] *= dims[d];
                last[1] *= times;
            } else {
                groups.add(new int[] {dims[d], times});
            }
        }
        if (groups.isEmpty()) {
            scope.alias(node.output(), node.input(0));
            return;
        }
        if (groups.size() > NetBuilder.MAX_RANK) {
            throw new Refused("tensors of many dimensions are repeated in few ways", from + " to " + to, "four groups of dimensions at most", "");
        }
        Term in = scope.net().reshape(scope.plain(node.input(0)), groups.stream().mapToInt(g -> g[0]).toArray());
        Term tiled = scope.net().tile(in, groups.stream().mapToInt(g -> g[1]).toArray());
        scope.define(node.output(), scope.net().reshape(tiled, to.rank() > NetBuilder.MAX_RANK ? folded(to.shape()) : Scope.boxed(to.shape())));
    }

    private static void channelShuffle(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int groups = Math.toIntExact(scope.integer(node.input(1)));
        Term image = scope.image(node.input(0));
        int channels = known.size(1);
        Term split = scope.net().reshape(image, known.size(0) * known.size(2) * known.size(3), groups, channels / groups);
        scope.define(node.output(), scope.net().reshape(scope.net().transpose(split, 0, 2, 1), image.dims()), Scope.IMAGE);
    }

    /** (N, C r r, H, W) to (N, C, H r, W r). */
    private static void pixelShuffle(Node node, Scope scope) {
        TensorFacts to = scope.facts(node.output());
        int r = Math.toIntExact(scope.integer(node.input(1)));
        int[] split = {to.size(0), to.size(1), r, r, to.size(2) / r, to.size(3) / r};
        Term made = moved(scope.net(), scope.plain(node.input(0)), split, 0, 1, 4, 2, 5, 3);
        scope.define(node.output(), scope.net().reshape(made, to.shape()));
    }

    private static void pixelUnshuffle(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        int r = Math.toIntExact(scope.integer(node.input(1)));
        int[] split = {from.size(0), from.size(1), from.size(2) / r, r, from.size(3) / r, r};
        Term made = moved(scope.net(), scope.plain(node.input(0)), split, 0, 1, 3, 5, 2, 4);
        scope.define(node.output(), scope.net().reshape(made, to.shape()));
    }
}
