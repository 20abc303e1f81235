package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Operators that take parts of tensors or put tensors together. */
final class TensorShapeLowering implements NodeFamily {
    @Override
    public void register(NodeLoweringTable table) {
        table.put("aten::slice", TensorShapeLowering::slice);
        table.put("aten::narrow", TensorShapeLowering::narrow);
        table.put("aten::select", TensorShapeLowering::select);
        table.plan("aten::cat", TensorShapeLowering::concatenate);
        table.put("aten::stack", TensorShapeLowering::stack);
        table.plan("aten::roll", TensorShapeLowering::roll);
        table.put("aten::unfold", TensorShapeLowering::unfold);
        table.put("aten::col2im", TensorShapeLowering::windows);
        table.plan("aten::slice_scatter", (node, context) -> {
            int size = context.facts(node.input(0))
                    .size(context.dimension(
                            node.input(2), context.facts(node.input(0)).rank()));
            return context.integer(node.input(5)) == 1
                    ? () -> replaced(
                            node, context, bound(node, context, 3, 0, size), bound(node, context, 4, size, size))
                    : ElementGather.alongOne(node, context, 2, 1);
        });
        table.put("aten::select_scatter", (node, context) -> {
            int size = context.facts(node.input(0))
                    .size(context.dimension(
                            node.input(2), context.facts(node.input(0)).rank()));
            long index = context.integer(node.input(3));
            int at = (int) (index < 0 ? index + size : index);
            replaced(node, context, at, at + 1);
        });
        table.put("aten::flip", TensorShapeLowering::flip);
        table.plan("aten::constant_pad_nd", TensorShapeLowering::pad);
        table.plan("aten::pad", TensorShapeLowering::pad);
        table.plan("aten::reflection_pad2d", (node, context) -> mirrored(node, context, true));
        table.plan("aten::reflection_pad1d", (node, context) -> mirrored(node, context, true));
        table.plan("aten::reflection_pad3d", (node, context) -> mirrored(node, context, true));
        table.plan("aten::replication_pad3d", (node, context) -> mirrored(node, context, false));
        table.plan("aten::replication_pad2d", (node, context) -> mirrored(node, context, false));
        table.plan("aten::replication_pad1d", (node, context) -> mirrored(node, context, false));
    }

    /** A dimension of a tensor between those before and those behind it, whatever the rank. */
    record Along(OperandRef term, int dimension, int[] order) {
        static Along of(LoweringContext context, Value value, int dimension) {
            TensorFacts known = context.facts(value);
            if (known.rank() == 0) {
                return new Along(context.as(value, 1, 1, 1), 1, null);
            }
            int[] order = context.order(value);
            int at = LoweringContext.place(order, dimension);
            return known.rank() > NnapiBuilder.MAX_RANK
                    ? new Along(context.around(value, order, at, at), 1, order)
                    : new Along(context.in(value, order), at, order);
        }

        /** Defines a result of the same rank. */
        void define(LoweringContext context, Value value, OperandRef made) {
            if (order == null) {
                context.shaped(value, made);
            } else {
                context.define(value, made, order);
            }
        }
    }

    private static int clamp(long index, int size) {
        return (int) Math.max(0, Math.min(size, index < 0 ? index + size : index));
    }

    /** Where a slice begins or ends. */
    private static int bound(Node node, LoweringContext context, int index, int usual, int size) {
        return context.isNone(node.input(index)) ? usual : clamp(context.integer(node.input(index)), size);
    }

    private static void slice(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int dimension = context.dimension(node.input(1), known.rank());
        int size = known.size(dimension);
        int begin = bound(node, context, 2, 0, size);
        int end = bound(node, context, 3, size, size);
        int step = context.int32(node.input(4));
        if (begin == 0 && end == size && step == 1) {
            context.alias(node.output(), node.input(0));
            return;
        }
        Along along = Along.of(context, node.input(0), dimension);
        along.define(context, node.output(), context.nnapi().slice(along.term(), along.dimension(), begin, end, step));
    }

    private static void narrow(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int dimension = context.dimension(node.input(1), known.rank());
        int begin = clamp(context.integer(node.input(2)), known.size(dimension));
        Along along = Along.of(context, node.input(0), dimension);
        along.define(
                context,
                node.output(),
                context.nnapi().slice(along.term(), along.dimension(), begin, begin + context.int32(node.input(3)), 1));
    }

    private static void select(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int dimension = context.dimension(node.input(1), known.rank());
        long index = context.integer(node.input(2));
        int at = (int) (index < 0 ? index + known.size(dimension) : index);
        dropped(context, node.output(), node.input(0), dimension, at);
    }

    /** One element of a dimension, which goes. */
    private static void dropped(LoweringContext context, Value out, Value in, int dimension, int at) {
        Along along = Along.of(context, in, dimension);
        OperandRef part = context.nnapi().slice(along.term(), along.dimension(), at, at + 1, 1);
        TensorFacts to = context.facts(out);
        if (along.order() == null || to.rank() == 0) {
            context.shaped(out, part);
            return;
        }
        context.shaped(out, part, LoweringContext.without(along.order(), dimension));
    }

    private static LoweringPlan concatenate(Node node, LoweringContext context) {
        List<Value> items = context.items(node.input(0)).stream()
                .filter(item -> !context.isEmpty(item))
                .collect(Streams.toList());
        return join(
                node,
                context,
                items,
                context.dimension(node.input(1), context.facts(node.output()).rank()));
    }

    private static LoweringPlan join(Node node, LoweringContext context, List<Value> items, int dimension) {
        TensorFacts out = context.facts(node.output());
        for (Value item : items) {
            TensorFacts known = context.facts(item);
            if (known.dtype() != out.dtype() && (known.quantization() != null || out.quantization() != null)) {
                return LoweringPlan.refused(
                        "joined tensors have one dtype", context.facts(item) + " in " + out, "equal dtypes");
            }
        }
        return () -> {
            Value leading = items.stream()
                    .filter(item -> !context.isConstant(item))
                    .findFirst()
                    .orElse(items.get(0));
            int[] order = context.order(leading);
            int at = LoweringContext.place(order, dimension);
            boolean many = out.rank() > NnapiBuilder.MAX_RANK;
            List<OperandRef> parts = items.stream()
                    .map(item -> typed(
                            context, many ? context.around(item, order, at, at) : context.in(item, order), item, out))
                    .collect(Streams.toList());
            context.define(node.output(), context.nnapi().concatenate(parts, many ? 1 : at), order);
        };
    }

    /** What is joined has the dtype of the result. */
    private static OperandRef typed(LoweringContext context, OperandRef part, Value item, TensorFacts out) {
        return context.facts(item).dtype() == out.dtype()
                ? part
                : context.nnapi().cast(part, OperandTypes.of(out.dtype()));
    }

    private static void stack(Node node, LoweringContext context) {
        TensorFacts out = context.facts(node.output());
        int dimension = context.dimension(node.input(1), out.rank());
        int[] dims = {Activations.outer(out, dimension), 1, Activations.inner(out, dimension)};
        List<OperandRef> parts = context.items(node.input(0)).stream()
                .map(item -> context.as(item, dims))
                .collect(Streams.toList());
        context.shaped(node.output(), context.nnapi().concatenate(parts, 1));
    }

    /**
     * A tensor with some of its elements, those of {@code from} to before {@code to} in the dimension of input 2, from
     * input 1.
     */
    private static void replaced(Node node, LoweringContext context, int from, int to) {
        TensorFacts known = context.facts(node.input(0));
        int dimension = context.dimension(node.input(2), known.rank());
        int size = known.size(dimension);
        int outer = Activations.outer(known, dimension);
        int inner = Activations.inner(known, dimension);
        NnapiBuilder nnapi = context.nnapi();
        List<OperandRef> parts = new ArrayList<>();
        if (from > 0) {
            parts.add(nnapi.slice(context.as(node.input(0), outer, size, inner), 1, 0, from, 1));
        }
        if (to > from) {
            parts.add(nnapi.cast(context.as(node.input(1), outer, to - from, inner), OperandTypes.of(known.dtype())));
        }
        if (to < size) {
            parts.add(nnapi.slice(context.as(node.input(0), outer, size, inner), 1, to, size, 1));
        }
        context.shaped(node.output(), nnapi.concatenate(parts, 1));
    }

    /** Windows of one dimension, which become a last dimension. */
    private static void unfold(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        int dimension = context.dimension(node.input(1), known.rank());
        int size = context.int32(node.input(2));
        int step = context.int32(node.input(3));
        int count = to.size(dimension);
        int outer = Activations.outer(known, dimension);
        int inner = Activations.inner(known, dimension);
        int[] places = IntStream.range(0, count * size)
                .map(i -> i / size * step + i % size)
                .toArray();
        OperandRef windows = context.nnapi()
                .gather(
                        context.as(node.input(0), outer, known.size(dimension), inner),
                        1,
                        context.nnapi().indices(places));
        int[] order = IntStream.concat(
                        IntStream.rangeClosed(0, dimension),
                        IntStream.concat(IntStream.of(known.rank()), IntStream.range(dimension + 1, known.rank())))
                .toArray();
        context.shaped(node.output(), windows, order);
    }

    /**
     * Columns as sliding windows that are added up: a transposed convolution that has each column's element at its
     * place of the window.
     */
    private static void windows(Node node, LoweringContext context) {
        TensorFacts to = context.facts(node.output());
        context.requireFloat(node.input(0));
        int[] kernel = context.integers(node.input(2));
        LoweringFrame frame = LoweringFrame.of(
                kernel.length == 1 ? new int[] {kernel[0], kernel[0]} : kernel,
                context.integers(node.input(5)),
                context.integers(node.input(4)),
                context.integers(node.input(3)));
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
        NnapiBuilder nnapi = context.nnapi();
        OperandRef columns =
                nnapi.transpose(nnapi.reshape(context.plain(node.input(0)), planes, places, down * across), 0, 2, 1);
        OperandRef made = Convolutions.transposed(
                nnapi,
                nnapi.reshape(columns, planes, down, across, places),
                Tensor.of(
                        weight,
                        places,
                        1,
                        frame.rows().kernel(),
                        frame.columns().kernel()),
                null,
                frame,
                1,
                height - frame.rows().extent(down),
                width - frame.columns().extent(across));
        context.shaped(node.output(), made);
    }

    private static LoweringPlan roll(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int[] shifts = context.integers(node.input(1));
        int[] dimensions = context.integers(node.input(2));
        if (dimensions.length != shifts.length || known.rank() > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused("rolls name their dimensions", Arrays.toString(dimensions), "one per shift");
        }
        return () -> {
            int[] order = context.order(node.input(0));
            OperandRef term = context.in(node.input(0), order);
            for (int i = 0; i < shifts.length; i++) {
                int dimension = LoweringContext.dimension(dimensions[i], known.rank());
                int at = LoweringContext.place(order, dimension);
                int size = known.size(dimension);
                int cut = Math.floorMod(-shifts[i], size);
                if (cut != 0) {
                    term = context.nnapi()
                            .concatenate(
                                    List.of(
                                            context.nnapi().slice(term, at, cut, size, 1),
                                            context.nnapi().slice(term, at, 0, cut, 1)),
                                    at);
                }
            }
            context.define(node.output(), term, order);
        };
    }

    private static void flip(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        Set<Integer> turned = new HashSet<>();
        for (int dimension : context.integers(node.input(1))) {
            turned.add(LoweringContext.dimension(dimension, known.rank()));
        }
        ElementGather.along(context, node.output(), node.input(0), context.order(node.input(0)), d -> {
            int last = known.size(d) - 1;
            return turned.contains(d)
                    ? IntStream.rangeClosed(0, last).map(i -> last - i).toArray()
                    : null;
        });
    }

    private static LoweringPlan pad(Node node, LoweringContext context) {
        boolean named = node.is("aten::pad");
        String mode = named ? context.text(node.input(2)) : "constant";
        if (mode.equals("circular")) {
            return repeated(node, context, (i, size) -> Math.floorMod(i, size));
        }
        if (mode.equals("reflect") || mode.equals("replicate")) {
            return mirrored(node, context, mode.equals("reflect"));
        }
        if (!mode.equals("constant")) {
            return LoweringPlan.refused(
                    "padding is constant, reflected, replicated or circular",
                    mode,
                    "constant, reflect, replicate or circular");
        }
        Value given = context.optional(node, named ? 3 : 2);
        double value = given == null ? 0 : context.number(given);
        if (value != 0 && context.facts(node.input(0)).quantization() != null) {
            return LoweringPlan.refused("quantized tensors are padded with 0", String.valueOf(value), "0");
        }
        return () -> {
            TensorFacts known = context.facts(node.input(0));
            int[] amounts = context.integers(node.input(1));
            if (known.rank() > NnapiBuilder.MAX_RANK) {
                context.define(node.output(), paddedOneByOne(context, node.input(0), value, amounts));
                return;
            }
            int[] order = context.order(node.input(0));
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
                context.alias(node.output(), node.input(0));
                return;
            }
            context.define(
                    node.output(),
                    padded(context.nnapi(), context.in(node.input(0), order), before, after, value),
                    order);
        };
    }

    /** What is taken away instead of added goes first, unless nothing would be left. */
    private static OperandRef padded(NnapiBuilder nnapi, OperandRef in, int[] before, int[] after, double value) {
        int[] more = Arrays.stream(before).map(a -> Math.max(0, a)).toArray();
        int[] behind = Arrays.stream(after).map(a -> Math.max(0, a)).toArray();
        boolean grows = IntStream.of(more).sum() + IntStream.of(behind).sum() > 0;
        boolean left = IntStream.range(0, before.length)
                .allMatch(d -> in.dims()[d] + Math.min(0, before[d]) + Math.min(0, after[d]) > 0);
        OperandRef made = grows && !left ? nnapi.pad(in, more, behind, value) : in;
        for (int d = 0; d < before.length; d++) {
            made = nnapi.slice(made, d, Math.max(0, -before[d]), made.dims()[d] + Math.min(0, after[d]), 1);
        }
        return grows && left ? nnapi.pad(made, more, behind, value) : made;
    }

    /** Padding of many dimensions, one after the other. */
    private static OperandRef paddedOneByOne(LoweringContext context, Value in, double value, int... amounts) {
        NnapiBuilder nnapi = context.nnapi();
        int[] dims = context.facts(in).shape();
        OperandRef made = context.plain(in);
        for (int pair = 0; 2 * pair < amounts.length; pair++) {
            int d = dims.length - 1 - pair;
            int before = amounts[2 * pair];
            int after = amounts[2 * pair + 1];
            int outer = Shapes.product(dims, 0, d);
            int inner = Shapes.product(dims, d + 1, dims.length);
            made = padded(
                    nnapi,
                    nnapi.reshape(made, outer, dims[d], inner),
                    new int[] {0, before, 0},
                    new int[] {0, after, 0},
                    value);
            dims[d] += before + after;
        }
        return nnapi.reshape(made, Shapes.dims(dims));
    }

    /** Padding with elements of the tensor itself, which are gathered. */
    private static LoweringPlan mirrored(Node node, LoweringContext context, boolean reflects) {
        return repeated(
                node,
                context,
                (i, size) -> reflects
                        ? (i < 0 ? -i : i >= size ? 2 * size - 2 - i : i)
                        : Math.max(0, Math.min(size - 1, i)));
    }

    /** @param place where an element is taken from that stands before, in or behind a dimension of a size */
    private static LoweringPlan repeated(Node node, LoweringContext context, IntBinaryOperator place) {
        TensorFacts known = context.facts(node.input(0));
        int[] amounts = context.integers(node.input(1));
        if (Arrays.stream(amounts).anyMatch(a -> a < 0)) {
            return LoweringPlan.refused(
                    "padding with a tensor's own elements adds to it",
                    known + " by " + Arrays.toString(amounts),
                    "amounts >= 0");
        }
        return () -> ElementGather.along(context, node.output(), node.input(0), context.order(node.input(0)), d -> {
            int pair = 2 * (known.rank() - 1 - d);
            int size = known.size(d);
            return pair >= amounts.length
                    ? null
                    : IntStream.range(-amounts[pair], size + amounts[pair + 1])
                            .map(i -> place.applyAsInt(i, size))
                            .toArray();
        });
    }
}
