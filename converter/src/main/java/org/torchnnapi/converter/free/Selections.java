package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

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
        table.put("aten::flip", Selections::flip);
        table.put("aten::constant_pad_nd", Selections::pad);
        table.put("aten::pad", Selections::pad);
        table.put("aten::reflection_pad2d", (node, scope) -> mirrored(node, scope, true));
        table.put("aten::reflection_pad1d", (node, scope) -> mirrored(node, scope, true));
        table.put("aten::replication_pad2d", (node, scope) -> mirrored(node, scope, false));
        table.put("aten::replication_pad1d", (node, scope) -> mirrored(node, scope, false));
        table.put("aten::index_select", Selections::indexSelect);
        table.put("aten::index", Selections::index);
        table.put("aten::embedding", Selections::embedding);
    }

    /** A dimension of a tensor between those before and those behind it, whatever the rank. */
    private record Along(Term term, int dimension, int[] order) {
        static Along of(Scope scope, Value value, int dimension) {
            TensorFacts known = scope.facts(value);
            if (known.rank() > NetBuilder.MAX_RANK || known.rank() == 0) {
                Term flat = scope.as(value, Activations.outer(known, dimension), known.size(dimension), Activations.inner(known, dimension));
                return new Along(flat, 1, null);
            }
            int[] order = scope.order(value);
            return new Along(scope.in(value, order), Arrays.stream(order).boxed().collect(Streams.toList()).indexOf(dimension), order);
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
            scope.define(out, scope.net().reshape(part, to.rank() > NetBuilder.MAX_RANK ? Shapes.folded(to.shape()) : Scope.boxed(to.shape())));
            return;
        }
        int[] order = Arrays.stream(along.order()).filter(d -> d != dimension).map(d -> d > dimension ? d - 1 : d).toArray();
        scope.define(out, scope.net().reshape(part, Arrays.stream(order).map(to::size).toArray()), order);
    }

    private static void concatenate(Node node, Scope scope) {
        List<Value> items = scope.items(node.input(0)).stream().filter(item -> !isEmpty(scope, item)).collect(Streams.toList());
        join(node, scope, items, Scope.dimension(scope.integer(node.input(1)), scope.facts(node.output()).rank()));
    }

    /** PyTorch skips vectors without elements. */
    private static boolean isEmpty(Scope scope, Value item) {
        return scope.isConstant(item) && scope.tensor(item).numel() == 0;
    }

    private static void join(Node node, Scope scope, List<Value> items, int dimension) {
        TensorFacts out = scope.facts(node.output());
        for (Value item : items) {
            if (scope.facts(item).dtype() != out.dtype()) {
                throw new Refused("joined tensors have one dtype", scope.facts(item) + " in " + out, "equal dtypes", "");
            }
        }
        if (out.rank() > NetBuilder.MAX_RANK) {
            List<Term> parts = items.stream().map(item -> scope.as(item, Activations.outer(out, dimension), scope.facts(item).size(dimension),
                Activations.inner(out, dimension))).collect(Streams.toList());
            scope.define(node.output(), scope.net().concatenate(parts, 1));
            return;
        }
        Value leading = items.stream().filter(item -> !scope.isConstant(item)).findFirst().orElse(items.get(0));
        int[] order = scope.order(leading);
        int at = Arrays.stream(order).boxed().collect(Streams.toList()).indexOf(dimension);
        scope.define(node.output(), scope.net().concatenate(items.stream().map(item -> scope.in(item, order)).collect(Streams.toList()), at), order);
    }

    private static void stack(Node node, Scope scope) {
        TensorFacts out = scope.facts(node.output());
        int dimension = Scope.dimension(scope.integer(node.input(1)), out.rank());
        int[] dims = {Activations.outer(out, dimension), 1, Activations.inner(out, dimension)};
        List<Term> parts = scope.items(node.input(0)).stream().map(item -> scope.as(item, dims)).collect(Streams.toList());
        scope.define(node.output(), scope.net().reshape(scope.net().concatenate(parts, 1),
            out.rank() > NetBuilder.MAX_RANK ? Shapes.folded(out.shape()) : out.shape()));
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
            int at = Arrays.stream(order).boxed().collect(Streams.toList()).indexOf(dimension);
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
            throw new Refused("flips have four dimensions at most", known.toString(), "rank 4 or less", "");
        }
        int[] order = scope.order(node.input(0));
        Term term = scope.in(node.input(0), order);
        for (int dimension : scope.integers(node.input(1))) {
            int d = Scope.dimension(dimension, known.rank());
            int size = known.size(d);
            term = scope.net().gather(term, Arrays.stream(order).boxed().collect(Streams.toList()).indexOf(d),
                scope.net().indices(IntStream.range(0, size).map(i -> size - 1 - i).toArray()));
        }
        scope.define(node.output(), term, order);
    }

    private static void pad(Node node, Scope scope) {
        boolean named = node.is("aten::pad");
        String mode = named ? scope.text(node.input(2)) : "constant";
        if (mode.equals("reflect") || mode.equals("replicate")) {
            mirrored(node, scope, mode.equals("reflect"));
            return;
        }
        if (!mode.equals("constant")) {
            throw new Refused("padding is constant, reflected or replicated", mode, "constant, reflect or replicate", "");
        }
        Value given = scope.optional(node, named ? 3 : 2);
        double value = given == null ? 0 : scope.number(given);
        TensorFacts known = scope.facts(node.input(0));
        int[] amounts = scope.integers(node.input(1));
        if (known.rank() > NetBuilder.MAX_RANK || Arrays.stream(amounts).anyMatch(a -> a < 0)) {
            throw new Refused("padding adds elements to four dimensions at most", known + " by " + Arrays.toString(amounts), "amounts >= 0", "");
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
        scope.define(node.output(), scope.net().pad(scope.in(node.input(0), order), before, after, value), order);
    }

    /** Padding with elements of the tensor itself, which are gathered. */
    private static void mirrored(Node node, Scope scope, boolean reflects) {
        TensorFacts known = scope.facts(node.input(0));
        int[] amounts = scope.integers(node.input(1));
        if (known.rank() > NetBuilder.MAX_RANK || Arrays.stream(amounts).anyMatch(a -> a < 0)) {
            throw new Refused("padding adds elements to four dimensions at most", known + " by " + Arrays.toString(amounts), "amounts >= 0", "");
        }
        int[] order = scope.order(node.input(0));
        Term term = scope.in(node.input(0), order);
        for (int pair = 0; 2 * pair < amounts.length; pair++) {
            int d = known.rank() - 1 - pair;
            int size = known.size(d);
            int before = amounts[2 * pair];
            int[] from = IntStream.range(-before, size + amounts[2 * pair + 1]).map(i -> reflects ? (i < 0 ? -i : i >= size ? 2 * size - 2 - i : i)
                : Math.max(0, Math.min(size - 1, i))).toArray();
            if (from.length != size) {
                term = scope.net().gather(term, Arrays.stream(order).boxed().collect(Streams.toList()).indexOf(d), scope.net().indices(from));
            }
        }
        scope.define(node.output(), term, order);
    }

    private static void indexSelect(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        gather(node, scope, Scope.dimension(scope.integer(node.input(1)), known.rank()), scope.tensor(node.input(2)));
    }

    /** One index tensor, a constant one, along one dimension. */
    private static void index(Node node, Scope scope) {
        List<Object> given = indices(node, scope);
        int dimension = -1;
        for (int d = 0; d < given.size(); d++) {
            if (given.get(d) != null && dimension >= 0) {
                throw new Refused("elements are picked along one dimension", "several index tensors", "one", "");
            }
            dimension = given.get(d) != null ? d : dimension;
        }
        Tensor indices = (Tensor) given.get(dimension);
        gather(node, scope, dimension, indices);
    }

    private static List<Object> indices(Node node, Scope scope) {
        if (scope.constant(node.input(1)) instanceof ScriptList list) {
            return list.items();
        }
        throw new Refused("indices must be known at conversion", node.input(1).type().text(), "constant index tensors", "");
    }

    private static void gather(Node node, Scope scope, int dimension, Tensor indices) {
        TensorFacts known = scope.facts(node.input(0));
        if (indices.dtype().isFloating() || indices.dtype() == org.torchnnapi.tensor.DType.BOOL || indices.dtype() == org.torchnnapi.tensor.DType.UINT8) {
            throw new Refused("indices are whole numbers", indices.toString(), "int64", "");
        }
        int size = known.size(dimension);
        int[] rows = Arrays.stream(indices.toLongArray()).mapToInt(i -> Math.toIntExact(i < 0 ? i + size : i)).toArray();
        Term flat = scope.as(node.input(0), Activations.outer(known, dimension), size, Activations.inner(known, dimension));
        Term picked = scope.net().gather(flat, 1, scope.net().indices(rows));
        int[] out = scope.facts(node.output()).shape();
        scope.define(node.output(), scope.net().reshape(picked, out.length > NetBuilder.MAX_RANK ? Shapes.folded(out) : Scope.boxed(out)));
    }

    private static void embedding(Node node, Scope scope) {
        Term table = scope.plain(node.input(0));
        TensorFacts places = scope.facts(node.input(1));
        if (table.type() != OperandType.TENSOR_FLOAT32 || !OperandTypes.isWhole(places.dtype()) || places.rank() > 2) {
            throw new Refused("embeddings look rows of real numbers up", places.toString(), "whole numbers of rank 1 or 2", "");
        }
        scope.define(node.output(), scope.net().gather(table, 0, scope.plain(node.input(1))));
    }
}
