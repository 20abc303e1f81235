package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Operators that take parts of tensors or put tensors together. */
final class Selections implements NodeFamily {
    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::slice", Selections::slice);
        table.put("aten::narrow", Selections::narrow);
        table.put("aten::select", Selections::select);
        table.put("aten::cat", Selections::concatenate);
        table.put("aten::concat", Selections::concatenate);
        table.put("aten::stack", Selections::stack);
        table.put("aten::roll", Selections::roll);
        table.put("aten::unfold", Selections::unfold);
        table.put("aten::im2col", Selections::columns);
        table.put("aten::col2im", Selections::windows);
        table.put("aten::slice_scatter", (node, scope) -> {
            int step = Math.toIntExact(scope.integer(node.input(5)));
            int dimension = Scope.dimension(scope.integer(node.input(2)), scope.facts(node.input(0)).rank());
            int size = scope.facts(node.input(0)).size(dimension);
            int from = scope.isNone(node.input(3)) ? 0 : clamp(scope.integer(node.input(3)), size);
            int to = scope.isNone(node.input(4)) ? size : clamp(scope.integer(node.input(4)), size);
            if (step == 1) {
                replaced(node, scope, from, to);
            } else {
                int places = Math.max(0, (to - from + step - 1) / step);
                Placements.written(node, scope, node.input(1), dimension, IntStream.range(0, places).map(i -> from + i * step).toArray());
            }
        });
        table.put("aten::select_scatter", (node, scope) -> {
            int size = scope.facts(node.input(0)).size(Scope.dimension(scope.integer(node.input(2)), scope.facts(node.input(0)).rank()));
            long index = scope.integer(node.input(3));
            int at = (int) (index < 0 ? index + size : index);
            replaced(node, scope, at, at + 1);
        });
        table.put("aten::flip", Selections::flip);
        table.put("aten::constant_pad_nd", Selections::pad);
        table.put("aten::pad", Selections::pad);
        table.put("aten::reflection_pad2d", (node, scope) -> mirrored(node, scope, true));
        table.put("aten::reflection_pad1d", (node, scope) -> mirrored(node, scope, true));
        table.put("aten::reflection_pad3d", (node, scope) -> mirrored(node, scope, true));
        table.put("aten::replication_pad3d", (node, scope) -> mirrored(node, scope, false));
        table.put("aten::replication_pad2d", (node, scope) -> mirrored(node, scope, false));
        table.put("aten::replication_pad1d", (node, scope) -> mirrored(node, scope, false));
    }

    /** A dimension of a tensor between those before and those behind it, whatever the rank. */
    private record Along(Term term, int dimension, int[] order) {
        static Along of(Scope scope, Value value, int dimension) {
            TensorFacts known = scope.facts(value);
            if (known.rank() == 0) {
                return new Along(scope.as(value, 1, 1, 1), 1, null);
            }
            int[] order = scope.order(value);
            int at = Scope.place(order, dimension);
            return known.rank() > NetBuilder.MAX_RANK ? new Along(scope.around(value, order, at, at), 1, order) : new Along(scope.in(value, order), at, order);
        }

        /** Defines a result of the same rank. */
        void define(Scope scope, Value value, Term made) {
            if (order == null) {
                scope.define(value, made);
            } else {
                scope.define(value, made, order);
            }
        }
    }

    private static int clamp(long index, int size) {
        return (int) Math.max(0, Math.min(size, index < 0 ? index + size : index));
    }

    private static void slice(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        int size = known.size(dimension);
        int begin = scope.isNone(node.input(2)) ? 0 : clamp(scope.integer(node.input(2)), size);
        int end = scope.isNone(node.input(3)) ? size : clamp(scope.integer(node.input(3)), size);
        int step = Math.toIntExact(scope.integer(node.input(4)));
        if (begin == 0 && end == size && step == 1) {
            scope.alias(node.output(), node.input(0));
            return;
        }
        Along along = Along.of(scope, node.input(0), dimension);
        along.define(scope, node.output(), scope.net().slice(along.term(), along.dimension(), begin, end, step));
    }

    private static void narrow(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        int begin = clamp(scope.integer(node.input(2)), known.size(dimension));
        Along along = Along.of(scope, node.input(0), dimension);
        along.define(scope, node.output(), scope.net().slice(along.term(), along.dimension(), begin, begin + Math.toIntExact(scope.integer(node.input(3))), 1));
    }

    private static void select(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        long index = scope.integer(node.input(2));
        int at = (int) (index < 0 ? index + known.size(dimension) : index);
        dropped(scope, node.output(), node.input(0), dimension, at);
    }

    /** One element of a dimension, which goes. */
    private static void dropped(Scope scope, Value out, Value in, int dimension, int at) {
        Along along = Along.of(scope, in, dimension);
        Term part = scope.net().slice(along.term(), along.dimension(), at, at + 1, 1);
        TensorFacts to = scope.facts(out);
        if (along.order() == null || to.rank() == 0) {
            scope.define(out, scope.net().reshape(part, Scope.boxed(to.shape())));
            return;
        }
        int[] order = Arrays.stream(along.order()).filter(d -> d != dimension).map(d -> d > dimension ? d - 1 : d).toArray();
        scope.define(out, scope.net().reshape(part, Shapes.dims(Arrays.stream(order).map(to::size).toArray())), order);
    }

    private static void concatenate(Node node, Scope scope) {
        List<Value> items = scope.items(node.input(0)).stream().filter(item -> !scope.isEmpty(item)).collect(Streams.toList());
        join(node, scope, items, Scope.dimension(scope.integer(node.input(1)), scope.facts(node.output()).rank()));
    }

    private static void join(Node node, Scope scope, List<Value> items, int dimension) {
        TensorFacts out = scope.facts(node.output());
        for (Value item : items) {
            TensorFacts known = scope.facts(item);
            if (known.dtype() != out.dtype() && (known.quantization() != null || out.quantization() != null)) {
                throw new Refused("joined tensors have one dtype", scope.facts(item) + " in " + out, "equal dtypes", "");
            }
        }
        Value leading = items.stream().filter(item -> !scope.isConstant(item)).findFirst().orElse(items.get(0));
        int[] order = scope.order(leading);
        int at = Scope.place(order, dimension);
        boolean many = out.rank() > NetBuilder.MAX_RANK;
        List<Term> parts = items.stream().map(item -> typed(scope, many ? scope.around(item, order, at, at) : scope.in(item, order), item, out)).collect(Streams.toList());
        scope.define(node.output(), scope.net().concatenate(parts, many ? 1 : at), order);
    }

    /** What is joined has the dtype of the result. */
    private static Term typed(Scope scope, Term part, Value item, TensorFacts out) {
        return scope.facts(item).dtype() == out.dtype() ? part : scope.net().cast(part, OperandTypes.of(out.dtype()));
    }

    private static void stack(Node node, Scope scope) {
        TensorFacts out = scope.facts(node.output());
        int dimension = Scope.dimension(scope.integer(node.input(1)), out.rank());
        int[] dims = {Activations.outer(out, dimension), 1, Activations.inner(out, dimension)};
        List<Term> parts = scope.items(node.input(0)).stream().map(item -> scope.as(item, dims)).collect(Streams.toList());
        scope.define(node.output(), scope.net().reshape(scope.net().concatenate(parts, 1),
            out.rank() > NetBuilder.MAX_RANK ? Shapes.folded(out.shape()) : out.shape()));
    }

    /** A tensor with some of its elements, those of {@code from} to before {@code to} in the dimension of input 2, from input 1. */
    private static void replaced(Node node, Scope scope, int from, int to) {
        TensorFacts known = scope.facts(node.input(0));
        int dimension = Scope.dimension(scope.integer(node.input(2)), known.rank());
        int size = known.size(dimension);
        int outer = Activations.outer(known, dimension);
        int inner = Activations.inner(known, dimension);
        NetBuilder net = scope.net();
        List<Term> parts = new ArrayList<>();
        if (from > 0) {
            parts.add(net.slice(scope.as(node.input(0), outer, size, inner), 1, 0, from, 1));
        }
        if (to > from) {
            parts.add(net.cast(scope.as(node.input(1), outer, to - from, inner), OperandTypes.of(known.dtype())));
        }
        if (to < size) {
            parts.add(net.slice(scope.as(node.input(0), outer, size, inner), 1, to, size, 1));
        }
        scope.define(node.output(), net.reshape(net.concatenate(parts, 1), known.rank() > NetBuilder.MAX_RANK ? Shapes.folded(known.shape()) : known.shape()));
    }

    /** Windows of one dimension, which become a last dimension. */
    private static void unfold(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        int size = Math.toIntExact(scope.integer(node.input(2)));
        int step = Math.toIntExact(scope.integer(node.input(3)));
        int count = to.size(dimension);
        int outer = Activations.outer(known, dimension);
        int inner = Activations.inner(known, dimension);
        NetBuilder net = scope.net();
        int[] places = IntStream.range(0, count * size).map(i -> i / size * step + i % size).toArray();
        Term windows = net.gather(scope.as(node.input(0), outer, known.size(dimension), inner), 1, net.indices(places));
        Term last = net.transpose(net.reshape(windows, outer, count, size, inner), 0, 1, 3, 2);
        scope.define(node.output(), net.reshape(last, to.rank() > NetBuilder.MAX_RANK ? Shapes.folded(to.shape()) : to.shape()));
    }

    /** The windows of a sliding kernel as columns: all of them are picked at once from the padded image. */
    private static void columns(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        scope.requireFloat(node.input(0));
        if (known.rank() != 4) {
            throw new Refused("windows are taken from batches of images", known.toString(), "rank 4 (N, C, H, W)", "");
        }
        int[] kernel = scope.integers(node.input(1));
        Frame frame = Frame.of(kernel.length == 1 ? new int[] {kernel[0], kernel[0]} : kernel, scope.integers(node.input(4)), scope.integers(node.input(3)),
            scope.integers(node.input(2)));
        int height = known.size(2) + frame.rows().before() + frame.rows().after();
        int width = known.size(3) + frame.columns().before() + frame.columns().after();
        int down = frame.rows().count(known.size(2));
        int across = frame.columns().count(known.size(3));
        int[] places = new int[frame.rows().kernel() * frame.columns().kernel() * down * across];
        int at = 0;
        for (int i = 0; i < frame.rows().kernel(); i++) {
            for (int j = 0; j < frame.columns().kernel(); j++) {
                for (int y = 0; y < down; y++) {
                    for (int x = 0; x < across; x++) {
                        places[at++] = (y * frame.rows().stride() + i * frame.rows().dilation()) * width + x * frame.columns().stride() + j * frame.columns().dilation();
                    }
                }
            }
        }
        NetBuilder net = scope.net();
        Term image = scope.plain(node.input(0));
        Term padded = frame.isPadded() ? net.pad(image, new int[] {0, 0, frame.rows().before(), frame.columns().before()},
            new int[] {0, 0, frame.rows().after(), frame.columns().after()}, 0) : image;
        Term picked = net.gather(net.reshape(padded, known.size(0) * known.size(1), height * width), 1, net.indices(places));
        scope.define(node.output(), net.reshape(picked, to.shape()));
    }

    /** Columns as sliding windows that are added up: a transposed convolution that has each column's element at its place of the window. */
    private static void windows(Node node, Scope scope) {
        TensorFacts to = scope.facts(node.output());
        scope.requireFloat(node.input(0));
        int[] kernel = scope.integers(node.input(2));
        Frame frame = Frame.of(kernel.length == 1 ? new int[] {kernel[0], kernel[0]} : kernel, scope.integers(node.input(5)), scope.integers(node.input(4)),
            scope.integers(node.input(3)));
        int height = to.size(to.rank() - 2);
        int width = to.size(to.rank() - 1);
        int planes = Math.toIntExact(to.count() / height / width);
        int down = frame.rows().count(height);
        int across = frame.columns().count(width);
        int places = frame.rows().kernel() * frame.columns().kernel();
        float[] weight = new float[places * places];
        for (int i = 0; i < places; i++) {
            weight[i * places + i] = 1;
        }
        NetBuilder net = scope.net();
        Term columns = net.transpose(net.reshape(scope.plain(node.input(0)), planes, places, down * across), 0, 2, 1);
        Term made = Convolutions.transposed(net, net.reshape(columns, planes, down, across, places),
            Tensor.of(weight, places, 1, frame.rows().kernel(), frame.columns().kernel()), null, frame, 1, height - frame.rows().extent(down),
            width - frame.columns().extent(across));
        scope.define(node.output(), net.reshape(made, to.shape()));
    }

    private static void roll(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int[] shifts = scope.integers(node.input(1));
        int[] dimensions = scope.integers(node.input(2));
        if (dimensions.length != shifts.length || known.rank() > NetBuilder.MAX_RANK) {
            throw new Refused("rolls name their dimensions", Arrays.toString(dimensions), "one per shift", "");
        }
        int[] order = scope.order(node.input(0));
        Term term = scope.in(node.input(0), order);
        for (int i = 0; i < shifts.length; i++) {
            int dimension = Scope.dimension(dimensions[i], known.rank());
            int at = Scope.place(order, dimension);
            int size = known.size(dimension);
            int cut = Math.floorMod(-shifts[i], size);
            if (cut != 0) {
                term = scope.net().concatenate(List.of(scope.net().slice(term, at, cut, size, 1), scope.net().slice(term, at, 0, cut, 1)), at);
            }
        }
        scope.define(node.output(), term, order);
    }

    private static void flip(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        if (known.rank() > NetBuilder.MAX_RANK) {
            Term made = scope.plain(node.input(0));
            for (int dimension : scope.integers(node.input(1))) {
                int d = Scope.dimension(dimension, known.rank());
                int size = known.size(d);
                made = picked(scope.net(), made, known.shape(), d, IntStream.range(0, size).map(i -> size - 1 - i).toArray());
            }
            scope.define(node.output(), scope.net().reshape(made, Shapes.dims(known.shape())));
            return;
        }
        int[] order = scope.order(node.input(0));
        Term term = scope.in(node.input(0), order);
        for (int dimension : scope.integers(node.input(1))) {
            int d = Scope.dimension(dimension, known.rank());
            int size = known.size(d);
            term = scope.net().gather(term, Scope.place(order, d),
                scope.net().indices(IntStream.range(0, size).map(i -> size - 1 - i).toArray()));
        }
        scope.define(node.output(), term, order);
    }

    private static void pad(Node node, Scope scope) {
        boolean named = node.is("aten::pad");
        String mode = named ? scope.text(node.input(2)) : "constant";
        if (mode.equals("circular")) {
            repeated(node, scope, (i, size) -> Math.floorMod(i, size));
            return;
        }
        if (mode.equals("reflect") || mode.equals("replicate")) {
            mirrored(node, scope, mode.equals("reflect"));
            return;
        }
        if (!mode.equals("constant")) {
            throw new Refused("padding is constant, reflected, replicated or circular", mode, "constant, reflect, replicate or circular", "");
        }
        Value given = scope.optional(node, named ? 3 : 2);
        double value = given == null ? 0 : scope.number(given);
        TensorFacts known = scope.facts(node.input(0));
        int[] amounts = scope.integers(node.input(1));
        if (known.rank() > NetBuilder.MAX_RANK) {
            scope.define(node.output(), paddedOneByOne(scope, node.input(0), value, amounts));
            return;
        }
        int[] order = scope.order(node.input(0));
        int[] before = new int[order.length];
        int[] after = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            int pair = known.rank() - 1 - order[i];
            if (2 * pair + 1 < amounts.length) {
                before[i] = amounts[2 * pair];
                after[i] = amounts[2 * pair + 1];
            }
        }
        if (Arrays.stream(amounts).allMatch(a -> a == 0)) {
            scope.alias(node.output(), node.input(0));
            return;
        }
        // What is taken away instead of added goes first.
        Term kept = scope.in(node.input(0), order);
        for (int i = 0; i < order.length; i++) {
            kept = scope.net().slice(kept, i, Math.max(0, -before[i]), kept.dims()[i] + Math.min(0, after[i]), 1);
            before[i] = Math.max(0, before[i]);
            after[i] = Math.max(0, after[i]);
        }
        boolean grows = Arrays.stream(before).anyMatch(a -> a > 0) || Arrays.stream(after).anyMatch(a -> a > 0);
        scope.define(node.output(), grows ? scope.net().pad(kept, before, after, value) : kept, order);
    }

    /** Padding of many dimensions, one after the other. */
    private static Term paddedOneByOne(Scope scope, Value in, double value, int... amounts) {
        NetBuilder net = scope.net();
        int[] dims = scope.facts(in).shape();
        Term made = scope.plain(in);
        for (int pair = 0; 2 * pair < amounts.length; pair++) {
            int d = dims.length - 1 - pair;
            int before = amounts[2 * pair];
            int after = amounts[2 * pair + 1];
            int outer = Arrays.stream(dims, 0, d).reduce(1, Math::multiplyExact);
            int inner = Arrays.stream(dims, d + 1, dims.length).reduce(1, Math::multiplyExact);
            Term rows = net.slice(net.reshape(made, outer, dims[d], inner), 1, Math.max(0, -before), dims[d] + Math.min(0, after), 1);
            boolean grows = before > 0 || after > 0;
            made = grows ? net.pad(rows, new int[] {0, Math.max(0, before), 0}, new int[] {0, Math.max(0, after), 0}, value) : rows;
            dims[d] += before + after;
        }
        return net.reshape(made, Shapes.dims(dims));
    }

    /** Padding with elements of the tensor itself, which are gathered. */
    private static void mirrored(Node node, Scope scope, boolean reflects) {
        repeated(node, scope, (i, size) -> reflects ? (i < 0 ? -i : i >= size ? 2 * size - 2 - i : i) : Math.max(0, Math.min(size - 1, i)));
    }

    /** @param place where an element is taken from that stands before, in or behind a dimension of a size */
    private static void repeated(Node node, Scope scope, IntBinaryOperator place) {
        TensorFacts known = scope.facts(node.input(0));
        int[] amounts = scope.integers(node.input(1));
        if (Arrays.stream(amounts).anyMatch(a -> a < 0)) {
            throw new Refused("padding with a tensor's own elements adds to it", known + " by " + Arrays.toString(amounts), "amounts >= 0", "");
        }
        boolean many = known.rank() > NetBuilder.MAX_RANK;
        int[] order = many ? Scope.identity(known.rank()) : scope.order(node.input(0));
        int[] dims = known.shape();
        Term term = scope.in(node.input(0), order);
        for (int pair = 0; 2 * pair < amounts.length; pair++) {
            int d = known.rank() - 1 - pair;
            int size = known.size(d);
            int before = amounts[2 * pair];
            int[] from = IntStream.range(-before, size + amounts[2 * pair + 1]).map(i -> place.applyAsInt(i, size)).toArray();
            if (many) {
                term = picked(scope.net(), term, dims, d, from);
                dims[d] = from.length;
            } else if (from.length != size) {
                term = scope.net().gather(term, Scope.place(order, d), scope.net().indices(from));
            }
        }
        scope.define(node.output(), many ? scope.net().reshape(term, Shapes.dims(dims)) : term, order);
    }

    /** Places along a dimension of a tensor of any rank, as (before, places, behind). */
    private static Term picked(NetBuilder net, Term in, int[] dims, int d, int... from) {
        int outer = Arrays.stream(dims, 0, d).reduce(1, Math::multiplyExact);
        int inner = Arrays.stream(dims, d + 1, dims.length).reduce(1, Math::multiplyExact);
        return net.gather(net.reshape(in, outer, dims[d], inner), 1, net.indices(from));
    }
}
