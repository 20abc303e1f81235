package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Indexing by tensors: index, index_put, and selecting, filling and adding along one dimension. */
public final class TensorAdvancedIndexing implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        for (String form : new String[] {
            ".Tensor(Tensor self, Tensor?[] indices)", ".Tensor_hacked_twin(Tensor self, Tensor[] indices)"
        }) {
            r.op(
                    "aten::index" + form + " -> Tensor",
                    a -> index(tensor(a, 0), tensors(a, 1)),
                    OperatorTrait.LINEAR,
                    OperatorTrait.LOOKS_UP);
        }
        for (String form :
                new String[] {"(Tensor self, Tensor?[] indices", ".hacked_twin(Tensor self, Tensor[] indices"}) {
            r.op(
                    "aten::index_put" + form + ", Tensor values, bool accumulate=False) -> Tensor",
                    a -> put(
                            TensorConversions.copy(tensor(a, 0), MemoryFormat.PRESERVE),
                            tensors(a, 1),
                            tensor(a, 2),
                            flag(a, 3)),
                    OperatorTrait.KEEPS_SHAPE);
        }
        r.op(
                "aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
                        + "Tensor(a!)",
                a -> put(tensor(a, 0), tensors(a, 1), tensor(a, 2), flag(a, 3)),
                OperatorTrait.KEEPS_SHAPE,
                OperatorTrait.WRITES_REPEATED);
        r.op(
                "aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, "
                        + "bool unsafe=False) -> Tensor(a!)",
                a -> put(tensor(a, 0), tensors(a, 1), tensor(a, 2), flag(a, 3)));
        r.op(
                "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
                a -> take(tensor(a, 0), integer(a, 1), tensor(a, 2)),
                OperatorTrait.LINEAR,
                OperatorTrait.LOOKS_UP);
        r.composite(
                "aten::take(Tensor self, Tensor index) -> Tensor",
                a -> {
                    Tensor index = tensor(a, 1);
                    return TensorViews.reshape(
                            take(TensorViews.reshape(tensor(a, 0), -1L), 0, TensorViews.reshape(index, -1L)),
                            index.sizes());
                },
                "return torch.index(torch.reshape(self, [-1]), annotate(List[Optional[Tensor]], [index]))");
        Registrar keeping = r.with(OperatorTrait.KEEPS_SHAPE);
        for (boolean inPlace : new boolean[] {false, true}) {
            String mark = inPlace ? "_" : "";
            String self = inPlace ? "Tensor(a!) self" : "Tensor self";
            String result = inPlace ? "Tensor(a!)" : "Tensor";
            keeping.op(
                    "aten::index_add" + mark + "(" + self
                            + ", int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> " + result,
                    a -> add(
                            target(a, inPlace, MemoryFormat.CONTIGUOUS),
                            integer(a, 1),
                            tensor(a, 2),
                            BinaryOps.multiply(tensor(a, 3), scalar(a, 4))));
            keeping.op(
                    "aten::index_copy" + mark + "(" + self + ", int dim, Tensor index, Tensor source) -> " + result,
                    a -> copy(target(a, inPlace, MemoryFormat.CONTIGUOUS), integer(a, 1), tensor(a, 2), tensor(a, 3)));
            for (String kind : new String[] {"Scalar", "Tensor"}) {
                keeping.op(
                        "aten::index_fill" + mark + ".int_" + kind + "(" + self + ", int dim, Tensor index, " + kind
                                + " value) -> " + result,
                        a -> fill(
                                target(a, inPlace, MemoryFormat.PRESERVE), integer(a, 1), tensor(a, 2), operand(a, 3)),
                        OperatorTrait.WRITES_REPEATED);
            }
        }
    }

    private static Tensor target(Object[] a, boolean inPlace, MemoryFormat format) {
        return inPlace ? tensor(a, 0) : TensorConversions.copy(tensor(a, 0), format);
    }

    /** A view that has a dimension to be indexed: a number counts as a list of one. */
    private static Tensor listed(Tensor t) {
        return t.rank() == 0 ? TensorViews.unsqueeze(t, 0) : t;
    }

    private static long[] positions(Tensor index, int size) {
        if (!index.dtype().isIntegral()) {
            throw new IllegalArgumentException("index: " + index + " (expected: an integer tensor)");
        }
        long[] given = Elements.longs(index).clone();
        for (int i = 0; i < given.length; i++) {
            if (given[i] < 0 || given[i] >= size) {
                throw new IndexOutOfBoundsException("index out of range in self");
            }
        }
        return given;
    }

    /** Elements at positions along a dimension: index_select. */
    static Tensor take(Tensor t, long dim, Tensor index) {
        if (t.rank() == 0) {
            // A number is one element however often it is picked.
            Tensor picked = take(TensorViews.unsqueeze(t, 0), dim, index);
            return TensorViews.reshape(picked.numel() == 0 ? t : TensorViews.select(picked, 0, 0), new int[0]);
        }
        int d = Shape.wrap(dim, t.rank());
        long[] at = index.numel() == 0 ? new long[0] : wrapped(index, t.sizes()[d]);
        int[] sizes = t.sizes().clone();
        sizes[d] = at.length;
        Tensor out = Tensors.strided(t.dtype(), sizes, Shape.contiguousStrides(sizes), t.quantization());
        Tensor source = t.contiguous();
        int inner = 1;
        for (int i = d + 1; i < t.rank(); i++) {
            inner *= t.sizes()[i];
        }
        int unit = t.dtype().isComplex() ? 2 : 1;
        int outer = 1;
        for (int i = 0; i < d; i++) {
            outer *= t.sizes()[i];
        }
        Object from = source.storage().array();
        Object to = out.storage().array();
        for (int n = 0; inner > 0 && n < outer; n++) {
            for (int i = 0; i < at.length; i++) {
                System.arraycopy(
                        from,
                        unit * (source.offset() + (n * t.sizes()[d] + (int) at[i]) * inner),
                        to,
                        unit * (n * at.length + i) * inner,
                        unit * inner);
            }
        }
        return out;
    }

    private static long[] wrapped(Tensor index, int size) {
        long[] given = Elements.longs(index).clone();
        for (int i = 0; i < given.length; i++) {
            given[i] = IndexPlaces.position(given[i], size);
        }
        return given;
    }

    private static Tensor add(Tensor t, long dim, Tensor index, Tensor source) {
        Tensor rows = listed(t);
        long[] at = positions(index, rows.size(dim));
        for (int i = 0; i < at.length; i++) {
            Tensor slot = TensorViews.select(rows, dim, at[i]);
            Tensors.copyInto(
                    slot, BinaryOps.add(slot, source.rank() == 0 ? source : TensorViews.select(source, dim, i), 1L));
        }
        return t;
    }

    private static Tensor copy(Tensor t, long dim, Tensor index, Tensor source) {
        if (index.rank() > 1) {
            throw new IllegalArgumentException(
                    "index_copy_(): Index should have dimension 1 or 0 (got " + index.rank() + ")");
        }
        Tensor rows = listed(t);
        long[] at = positions(index, rows.size(dim));
        for (int i = 0; i < at.length; i++) {
            Tensors.copyInto(
                    TensorViews.select(rows, dim, at[i]),
                    source.rank() == 0 ? source : TensorViews.select(source, dim, i));
        }
        return t;
    }

    private static Tensor fill(Tensor t, long dim, Tensor index, Object value) {
        Tensor rows = listed(t);
        int d = Shape.wrap(dim, rows.rank());
        if (IntStream.range(0, rows.rank()).anyMatch(k -> k != d && rows.size(k) == 0)) {
            // Slices of no elements have none that an index could miss.
            return t;
        }
        for (long at : wrapped(index, rows.size(dim))) {
            Tensors.copyInto(TensorViews.select(rows, dim, at), Tensors.operand(value, t.dtype()));
        }
        return t;
    }

    /**
     * A tensor indexed by tensors, one or none for each dimension; masks become positions first.
     *
     * @param view the tensor with its indexed dimensions first
     * @param count how many are indexed
     * @param positions row-major numbers of elements of the indexed dimensions
     * @param shape the common shape of the indices
     * @param front where the index dimensions stand in the result
     */
    private record Indexed(Tensor view, int count, int[] positions, int[] shape, int front) {}

    private static Indexed resolve(Tensor t, List<Tensor> given) {
        IndexPlaces places = IndexPlaces.of(t.sizes(), given);
        int[] order = Arrays.copyOf(places.dims(), t.rank());
        int next = places.dims().length;
        for (int d = 0; d < t.rank(); d++) {
            if (!places.indexes(d)) {
                order[next++] = d;
            }
        }
        return new Indexed(t.permute(order), places.dims().length, places.positions(), places.shape(), places.front());
    }

    /** The dimensions of a result: some free ones, the index shape, the other free ones. */
    private static Tensor arranged(Indexed x, Tensor rows) {
        int[] free = Arrays.copyOfRange(x.view.sizes(), x.count, x.view.rank());
        int[] sizes = Arrays.copyOf(x.shape, x.shape.length + free.length);
        System.arraycopy(free, 0, sizes, x.shape.length, free.length);
        Tensor out = TensorViews.reshape(rows, sizes);
        if (x.front == 0) {
            return out;
        }
        int[] order = new int[sizes.length];
        for (int d = 0; d < order.length; d++) {
            order[d] = d < x.front ? x.shape.length + d : d < x.front + x.shape.length ? d - x.front : d;
        }
        return out.permute(order);
    }

    static Tensor index(Tensor t, List<Tensor> indices) {
        Indexed x = resolve(t, indices);
        if (x.count == 0) {
            return t;
        }
        int[] free = Arrays.copyOfRange(x.view.sizes(), x.count, x.view.rank());
        int[] sizes = new int[free.length + 1];
        sizes[0] = Math.toIntExact(Shape.numel(Arrays.copyOf(x.view.sizes(), x.count)));
        System.arraycopy(free, 0, sizes, 1, free.length);
        Tensor rows = TensorViews.reshape(x.view, sizes);
        Tensor taken = take(rows, 0, Tensor.of(x.positions, x.positions.length));
        return arranged(x, taken).contiguous();
    }

    private static Tensor put(Tensor t, List<Tensor> indices, Tensor given, boolean accumulate) {
        Tensor values = t.quantization() instanceof Quantization.PerTensor && given.dtype() == DType.FLOAT32
                ? QuantizedMath.quantize(given, t.quantization(), t.dtype())
                : given;
        if (t.dtype() != values.dtype()) {
            throw new IllegalArgumentException("Index put requires the source and destination dtypes match, got "
                    + t.dtype().torchName() + " for the destination and "
                    + values.dtype().torchName() + " for the source.");
        }
        Indexed x = resolve(t, indices);
        if (x.count == 0) {
            return Tensors.copyInto(t, accumulate ? BinaryOps.add(t, values, 1L) : values);
        }
        int[] free = Arrays.copyOfRange(x.view.sizes(), x.count, x.view.rank());
        // Rows of numbers say where in the result each indexed element would stand.
        int[] whole = arranged(x, Tensors.empty(DType.BOOL, rowSizes(x.positions.length, free)))
                .sizes();
        Tensor source = BroadcastShapes.expand(Elements.cast(values, t.dtype()), whole);
        if (x.front > 0) {
            int[] order = new int[whole.length];
            for (int d = 0; d < order.length; d++) {
                order[d] = d < x.shape.length ? x.front + d : d < x.shape.length + x.front ? d - x.shape.length : d;
            }
            source = source.permute(order);
        }
        Tensor rows = TensorViews.reshape(source, rowSizes(x.positions.length, free));
        for (int i = 0; i < x.positions.length; i++) {
            Tensor slot = at(x.view, x.count, x.positions[i]);
            Tensor value = TensorViews.select(rows, 0, i);
            Tensors.copyInto(slot, accumulate ? BinaryOps.add(slot, value, 1L) : value);
        }
        return t;
    }

    private static int[] rowSizes(int count, int[] free) {
        int[] sizes = new int[free.length + 1];
        sizes[0] = count;
        System.arraycopy(free, 0, sizes, 1, free.length);
        return sizes;
    }

    /** The view of one combination of the first {@code count} dimensions. */
    private static Tensor at(Tensor view, int count, int position) {
        Tensor out = view;
        int rest = position;
        for (int d = count - 1; d >= 0; d--) {
            out = TensorViews.select(out, d, rest % view.sizes()[d]);
            rest /= view.sizes()[d];
        }
        return out;
    }
}
