package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Tensors of which elements are replaced, at places that are constant or told by a mask: what stays and what is written are put one behind
 * the other, and the result is gathered from both. Triangles and diagonals are such tensors as well.
 */
final class Placements implements NodeFamily {
    private static final long MAX_PAIRS = 1L << 22;
    private static final Operator PICKED = OperatorRegistry.standard().find("aten::index.Tensor");

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::index_put", Placements::put);
        table.put("aten::_unsafe_index_put", Placements::put);
        table.put("aten::index_copy", (node, scope) -> {
            if (!scope.isConstant(node.input(2))) {
                computed(node, scope, along(node, scope), node.input(3), false);
                return;
            }
            int[] places = places(node.input(2), scope);
            written(node, scope, node.input(3), Scope.dimension(scope.integer(node.input(1)), scope.facts(node.input(0)).rank()), places);
        });
        table.put("aten::index_fill", Placements::fill);
        for (String kind : new String[] {"zeros_like", "empty_like", "zeros", "empty", "new_zeros", "new_empty"}) {
            table.put("aten::" + kind, (node, scope) -> filled(node, scope, 0));
        }
        for (String kind : new String[] {"ones_like", "ones", "new_ones"}) {
            table.put("aten::" + kind, (node, scope) -> filled(node, scope, 1));
        }
        for (String kind : new String[] {"full_like", "full", "new_full"}) {
            table.put("aten::" + kind, (node, scope) -> filled(node, scope, scope.number(node.input(kind.startsWith("new") ? 2 : 1))));
        }
        table.put("aten::tril", (node, scope) -> triangle(node, scope, true));
        table.put("aten::triu", (node, scope) -> triangle(node, scope, false));
        table.put("aten::diagonal", (node, scope) -> diagonal(node, scope, integer(node, scope, 1, 0), integer(node, scope, 2, 0), integer(node, scope, 3, 1)));
        table.put("aten::diag", (node, scope) -> {
            int offset = integer(node, scope, 1, 0);
            if (scope.facts(node.input(0)).rank() == 1) {
                embedded(node, scope, offset);
            } else {
                diagonal(node, scope, offset, 0, 1);
            }
        });
        table.put("aten::diag_embed", (node, scope) -> {
            int rank = scope.facts(node.output()).rank();
            if (Scope.dimension(integer(node, scope, 2, -2), rank) != rank - 2 || Scope.dimension(integer(node, scope, 3, -1), rank) != rank - 1) {
                throw new Refused("diagonals are put into the last two dimensions", "others", "-2 and -1", "");
            }
            embedded(node, scope, integer(node, scope, 1, 0));
        });
    }

    private static int integer(Node node, Scope scope, int index, int usual) {
        return index < node.inputs().size() ? Math.toIntExact(scope.integer(node.input(index))) : usual;
    }

    /** A tensor of one number; what is to be written to holds anything before. */
    private static void filled(Node node, Scope scope, double value) {
        TensorFacts to = scope.facts(node.output());
        NetBuilder net = scope.net();
        int[] dims = Shapes.dims(to.shape());
        int count = Math.toIntExact(to.count());
        if (to.quantization() != null) {
            throw new Refused("tensors that are filled are not quantized", to.toString(), "a dtype without a scale", "");
        }
        Term made = switch (OperandTypes.of(to.dtype())) {
            case TENSOR_BOOL8 -> {
                boolean[] truths = new boolean[count];
                Arrays.fill(truths, value != 0);
                yield net.truths(truths, dims);
            }
            case TENSOR_INT32 -> {
                int[] whole = new int[count];
                Arrays.fill(whole, Math.toIntExact((long) value));
                yield net.constant(Tensor.of(whole, dims));
            }
            default -> {
                float[] reals = new float[count];
                Arrays.fill(reals, (float) value);
                yield net.floats(reals, dims);
            }
        };
        scope.define(node.output(), made);
    }

    private static int[] places(Value value, Scope scope) {
        if (!OperandTypes.isWhole(scope.facts(value).dtype())) {
            throw new Refused("places are whole numbers", scope.facts(value).toString(), "int64 or int32", "");
        }
        return Arrays.stream(scope.tensor(value).toLongArray()).mapToInt(Math::toIntExact).toArray();
    }

    private static void define(Scope scope, Value out, Term made) {
        scope.define(out, scope.net().reshape(made, Shapes.dims(scope.facts(out).shape())));
    }

    /** @param places along a dimension where the rows of {@code source} go to, the last one of several to the same place */
    static void written(Node node, Scope scope, Value source, int dimension, int... places) {
        TensorFacts known = scope.facts(node.input(0));
        if (scope.facts(source).dtype() != known.dtype()) {
            throw new Refused("what is written has the dtype of what it is written to", scope.facts(source).toString(), known.toString(), "");
        }
        int size = known.size(dimension);
        int outer = Activations.outer(known, dimension);
        int inner = Activations.inner(known, dimension);
        int[] from = IntStream.range(0, size).toArray();
        for (int i = 0; i < places.length; i++) {
            from[at(places[i], size)] = size + i;
        }
        NetBuilder net = scope.net();
        Term both = net.concatenate(List.of(scope.as(node.input(0), outer, size, inner), scope.as(source, outer, places.length, inner)), 1);
        define(scope, node.output(), net.gather(both, 1, net.indices(from)));
    }

    private static int at(int place, int size) {
        if (place < -size || place >= size) {
            throw new Refused("places must be there", String.valueOf(place), "from " + -size + " to " + (size - 1), "");
        }
        return place < 0 ? place + size : place;
    }

    /** The computed places along one dimension, as they stand among those of others. */
    private static List<Object> along(Node node, Scope scope) {
        List<Object> items = new ArrayList<>(Collections.nCopies(Scope.dimension(scope.integer(node.input(1)), scope.facts(node.input(0)).rank()), null));
        items.add(node.input(2));
        return items;
    }

    private static void fill(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        int size = known.size(dimension);
        if (!scope.isConstant(node.input(2))) {
            Term places = Lookups.flatPlaces(scope, known, along(node, scope), new int[] {dimension}, scope.facts(node.input(2)).shape(), true);
            int count = Math.toIntExact(scope.facts(node.input(2)).count());
            NetBuilder net = scope.net();
            Term each = net.cast(Lookups.hits(net, net.reshape(places, count, 1), size), OperandType.TENSOR_FLOAT32);
            Term hits = net.reduce(OperationType.REDUCE_MAX, each, 0);
            chosen(node, scope, net.test(OperationType.GREATER, net.reshape(hits, 1, size, 1), net.number(0)),
                Elementwise.number(scope, node.input(3), OperandTypes.of(known.dtype())),
                scope.as(node.input(0), Activations.outer(known, dimension), size, Activations.inner(known, dimension)));
            return;
        }
        boolean[] filled = new boolean[size];
        for (int place : places(node.input(2), scope)) {
            filled[at(place, size)] = true;
        }
        NetBuilder net = scope.net();
        int[] dims = {Activations.outer(known, dimension), size, Activations.inner(known, dimension)};
        chosen(node, scope, net.truths(filled, 1, size, 1), Elementwise.number(scope, node.input(3), OperandTypes.of(known.dtype())),
            scope.as(node.input(0), dims));
    }

    /** What {@code yes} says where a condition holds; all three broadcast to the dimensions of {@code no}. */
    private static void chosen(Node node, Scope scope, Term condition, Term yes, Term no) {
        NetBuilder net = scope.net();
        Term where = Elementwise.full(net, condition, no.dims());
        if (no.type() == OperandType.TENSOR_BOOL8) {
            Term first = net.test(OperationType.LOGICAL_AND, where, yes);
            define(scope, node.output(), net.test(OperationType.LOGICAL_OR, first, net.test(OperationType.LOGICAL_AND, net.unary(OperationType.LOGICAL_NOT, where), no)));
            return;
        }
        define(scope, node.output(), net.select(where, Elementwise.full(net, yes, no.dims()), no));
    }

    private static void put(Node node, Scope scope) {
        List<Object> items = scope.indices(node.input(1));
        List<Value> computed = items.stream().filter(Value.class::isInstance).map(Value.class::cast).collect(Streams.toList());
        boolean adds = node.inputs().size() > 3 && scope.flag(node.input(3));
        if (computed.isEmpty()) {
            constant(node, scope, items, adds);
            return;
        }
        TensorFacts known = scope.facts(computed.get(0));
        boolean single = items.stream().filter(Objects::nonNull).count() == 1;
        if (known.dtype() != DType.BOOL) {
            computed(node, scope, items, node.input(2), adds);
            return;
        }
        if (adds || !single) {
            throw new Refused("places that are written to are numbers, or told by one mask", known.toString(), "int64, or one mask", "");
        }
        masked(node, scope, computed.get(0), items.indexOf(computed.get(0)));
    }

    /** One value for all elements of which a mask is true, or a row of them for each place of it. */
    private static void masked(Node node, Scope scope, Value mask, int first) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts rows = scope.facts(mask);
        TensorFacts values = scope.facts(node.input(2));
        int last = first + rows.rank();
        boolean single = values.count() == 1;
        int[] inside = Arrays.copyOfRange(known.shape(), last, known.rank());
        boolean row = !single && Arrays.equals(values.shape(), inside);
        if (!single && !row || first > 0 && row) {
            throw new Refused("a mask is filled with one value", values.toString(), "one element", "use torch.where");
        }
        int outer = 1;
        for (int d = 0; d < first; d++) {
            outer *= known.size(d);
        }
        int places = Math.toIntExact(rows.count());
        int inner = Math.toIntExact(known.count() / outer / places);
        NetBuilder net = scope.net();
        OperandType type = OperandTypes.of(known.dtype());
        chosen(node, scope, scope.as(mask, 1, places, 1), net.cast(scope.as(node.input(2), 1, 1, single ? 1 : inner), type), scope.as(node.input(0), outer, places, inner));
    }

    /**
     * Rows of which some are written to, the last one of several to the same place.
     *
     * @param rows   (many, inner)
     * @param values (count, inner)
     * @param places real numbers from 0 to before {@code many}, one for each of the values
     */
    static Term latest(NetBuilder net, Term rows, Term values, Term places) {
        int many = rows.dims()[0];
        int count = values.dims()[0];
        if ((long) many * count > MAX_PAIRS) {
            throw new Refused("places that are written to are paired with all there are", (long) many * count + " pairs", MAX_PAIRS + " at most", "");
        }
        Term hits = net.cast(Lookups.hits(net, net.reshape(places, count, 1), many), OperandType.TENSOR_FLOAT32);
        Term numbered = net.mul(hits, net.floats(iota(1, count), count, 1));
        Term last = net.reshape(net.reduce(OperationType.REDUCE_MAX, numbered, 0), many);
        Term from = net.select(net.test(OperationType.GREATER, last, net.number(0)), net.add(last, many - 1), net.floats(iota(0, many), many));
        return net.gather(net.concatenate(List.of(rows, values), 0), 0, Lookups.whole(net, from));
    }

    private static float[] iota(int first, int count) {
        float[] all = new float[count];
        for (int i = 0; i < count; i++) {
            all[i] = first + i;
        }
        return all;
    }

    /** Places of which some are computed: picked dimensions are brought to the front and written to as one. */
    private static void computed(Node node, Scope scope, List<Object> items, Value source, boolean adds) {
        TensorFacts known = scope.facts(node.input(0));
        int[] picked = IntStream.range(0, items.size()).filter(d -> items.get(d) != null).toArray();
        int[] others = IntStream.range(0, known.rank()).filter(d -> d >= items.size() || items.get(d) == null).toArray();
        boolean together = picked[picked.length - 1] - picked[0] == picked.length - 1;
        int[] shape = Lookups.shape(scope, items, picked);
        int many = Arrays.stream(picked).map(known::size).reduce(1, Math::multiplyExact);
        int inner = Math.toIntExact(known.count() / many);
        int count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        NetBuilder net = scope.net();
        Term places = Lookups.flatPlaces(scope, known, items, picked, shape, true);
        // What is written has the other dimensions around those of the places where these stand together, and behind them where not.
        int before = together ? picked[0] : 0;
        int[] written = IntStream.concat(IntStream.concat(Arrays.stream(others).limit(before).map(known::size), Arrays.stream(shape)),
            Arrays.stream(others).skip(before).map(known::size)).toArray();
        OperandType type = OperandTypes.of(known.dtype());
        Term values = net.cast(scope.isConstant(source) ? net.constant(Lookups.expanded(scope.tensor(source), written).contiguous())
            : Elementwise.full(net, scope.as(source, Shapes.dims(scope.facts(source).shape())), written), type);
        int[] front = IntStream.concat(IntStream.concat(IntStream.range(before, before + shape.length), IntStream.range(0, before)),
            IntStream.range(before + shape.length, written.length)).toArray();
        values = net.reshape(Shapes.moved(net, values, written, front), count, inner);
        int[] moves = IntStream.concat(Arrays.stream(picked), Arrays.stream(others)).toArray();
        Term rows = net.reshape(Shapes.moved(net, scope.plain(node.input(0)), known.shape(), moves), many, inner);
        Term made;
        if (adds) {
            scope.requireFloat(node.input(0));
            if ((long) many * count > MAX_PAIRS) {
                throw new Refused("places that are added to are paired with all there are", (long) many * count + " pairs", MAX_PAIRS + " at most", "");
            }
            Term hits = net.cast(Lookups.hits(net, net.reshape(places, count, 1), many), OperandType.TENSOR_FLOAT32);
            made = net.add(rows, net.fullyConnected(net.transpose(hits, 1, 0), net.transpose(values, 1, 0), net.zeros(inner), 0, 0));
        } else {
            made = latest(net, rows, values, places);
        }
        int[] moved = Arrays.stream(moves).map(known::size).toArray();
        int[] back = new int[moves.length];
        for (int d = 0; d < moves.length; d++) {
            back[moves[d]] = d;
        }
        define(scope, node.output(), Shapes.moved(net, net.reshape(made, Shapes.dims(moved)), moved, back));
    }

    /** Constant places, which broadcast with each other, along some dimensions. */
    private static void constant(Node node, Scope scope, List<Object> indices, boolean adds) {
        TensorFacts known = scope.facts(node.input(0));
        Tensor all = Tensor.of(IntStream.range(0, Math.toIntExact(known.count())).toArray(), known.shape());
        Tensor targets = (Tensor) PICKED.kernel().call(new Object[] {all, new ScriptList(Type.Basic.TENSOR, indices)});
        TensorFacts values = scope.facts(node.input(2));
        int[] from = expanded(values.shape(), targets.sizes());
        long[] to = targets.contiguous().toLongArray();
        int count = Math.toIntExact(known.count());
        int[] sources = IntStream.range(0, count).map(i -> adds ? count + Math.toIntExact(values.count()) : i).toArray();
        boolean twice = false;
        for (int i = 0; i < to.length; i++) {
            int target = (int) to[i];
            twice |= sources[target] != (adds ? count + values.count() : target);
            sources[target] = count + from[i];
        }
        if (adds && twice) {
            computed(node, scope, indices, node.input(2), true);
            return;
        }
        NetBuilder net = scope.net();
        OperandType type = OperandTypes.of(known.dtype());
        Term self = scope.as(node.input(0), count);
        Term written = net.cast(scope.as(node.input(2), Math.toIntExact(values.count())), type);
        if (!adds) {
            define(scope, node.output(), net.gather(net.concatenate(List.of(self, written), 0), 0, net.indices(sources)));
            return;
        }
        Term zero = net.cast(net.number(0), type);
        Term added = net.gather(net.concatenate(List.of(written, zero), 0), 0, net.indices(Arrays.stream(sources).map(i -> i - count).toArray()));
        define(scope, node.output(), net.add(self, added));
    }

    /** For each element of a tensor of {@code to}, the place of the one that it broadcasts from. */
    private static int[] expanded(int[] from, int[] to) {
        int count = Arrays.stream(from).reduce(1, Math::multiplyExact);
        int[] all = IntStream.range(0, count).toArray();
        Tensor wide = Lookups.expanded(Tensor.of(all, from), to);
        return Arrays.stream(wide.contiguous().toLongArray()).mapToInt(i -> (int) i).toArray();
    }

    private static void triangle(Node node, Scope scope, boolean lower) {
        TensorFacts known = scope.facts(node.input(0));
        int rows = known.size(known.rank() - 2);
        int columns = known.size(known.rank() - 1);
        int offset = integer(node, scope, 1, 0);
        boolean[] gone = new boolean[rows * columns];
        for (int i = 0; i < gone.length; i++) {
            int beyond = i % columns - i / columns - offset;
            gone[i] = lower ? beyond > 0 : beyond < 0;
        }
        NetBuilder net = scope.net();
        Term in = scope.as(node.input(0), Math.toIntExact(known.count() / gone.length), gone.length);
        Term zero = in.type() == OperandType.TENSOR_BOOL8 ? net.truths(new boolean[1], 1, 1) : net.cast(net.number(0), in.type());
        chosen(node, scope, net.truths(gone, 1, gone.length), zero, in);
    }

    private static void diagonal(Node node, Scope scope, int offset, int first, int second) {
        TensorFacts known = scope.facts(node.input(0));
        int rank = known.rank();
        int a = Scope.dimension(first, rank);
        int b = Scope.dimension(second, rank);
        int[] order = IntStream.concat(IntStream.range(0, rank).filter(d -> d != a && d != b), IntStream.of(a, b)).toArray();
        int columns = known.size(b);
        int count = scope.facts(node.output()).size(rank - 2);
        int from = offset >= 0 ? offset : -offset * columns;
        NetBuilder net = scope.net();
        Term moved = Shapes.moved(net, scope.plain(node.input(0)), known.shape(), order);
        int area = known.size(a) * columns;
        Term rows = net.reshape(moved, Math.toIntExact(known.count() / area), area);
        define(scope, node.output(), net.gather(rows, 1, net.indices(IntStream.range(0, count).map(i -> from + i * (columns + 1)).toArray())));
    }

    /** The last dimension as the diagonal of matrices that are 0 elsewhere. */
    private static void embedded(Node node, Scope scope, int offset) {
        TensorFacts known = scope.facts(node.input(0));
        int size = known.size(known.rank() - 1);
        int side = size + Math.abs(offset);
        int outer = Math.toIntExact(known.count() / size);
        int[] from = new int[side * side];
        Arrays.fill(from, size);
        for (int i = 0; i < size; i++) {
            from[(i + Math.max(0, -offset)) * side + i + Math.max(0, offset)] = i;
        }
        NetBuilder net = scope.net();
        Term wider = net.pad(scope.as(node.input(0), outer, size), new int[2], new int[] {0, 1}, 0);
        define(scope, node.output(), net.gather(wider, 1, net.indices(from)));
    }
}
