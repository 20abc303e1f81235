package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** gather and scatter: an index tensor gives, element by element, the position along one dimension. */
public final class ScatterGather implements OperatorFamily {
    /** What becomes of an element and the value that meets it. */
    private interface Merge {
        double apply(double old, double value);
    }

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
                a -> gather(tensor(a, 0), integer(a, 1), tensor(a, 2)),
                OperatorTrait.LINEAR);
        r.composite(
                "aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
                a -> a[2] == null
                        ? gather(TensorViews.reshape(tensor(a, 0), -1L), 0, TensorViews.reshape(tensor(a, 1), -1L))
                        : takeAlong(tensor(a, 0), integer(a, 2), tensor(a, 1)),
                """
            if torch.__is__(dim, None):
              result = torch.gather(torch.reshape(self, [-1]), 0, torch.reshape(indices, [-1]))
            else:
              along = torch.remainder(unchecked_cast(int, dim), torch.dim(self))
              source = annotate(List[int], [])
              places = annotate(List[int], [])
              for i in range(torch.dim(self)):
                if torch.eq(i, along):
                  _0 = torch.append(source, torch.size(self, i))
                  _1 = torch.append(places, torch.size(indices, i))
                else:
                  most = ops.prim.max(torch.size(self, i), torch.size(indices, i))
                  _2 = torch.append(source, most)
                  _3 = torch.append(places, most)
              result = torch.gather(torch.expand(self, source), along, torch.expand(indices, places))
            return result""");
        Registrar keeping = r.with(OperatorTrait.KEEPS_SHAPE);
        for (boolean inPlace : new boolean[] {false, true}) {
            String begin = inPlace ? "_" : "";
            String self = (inPlace ? "(Tensor(a!) self" : "(Tensor self") + ", int dim, Tensor index, ";
            String result = inPlace ? ") -> Tensor(a!)" : ") -> Tensor";
            keeping.op(
                    "aten::scatter" + begin + ".src" + self + "Tensor src" + result,
                    a -> scatter(a, inPlace, (x, v) -> v));
            keeping.op(
                    "aten::scatter" + begin + ".value" + self + "Scalar value" + result,
                    a -> scatter(a, inPlace, (x, v) -> v));
            keeping.op(
                    "aten::scatter" + begin + ".reduce" + self + "Tensor src, *, str reduce" + result,
                    a -> scatter(a, inPlace, merge(text(a, 4))));
            keeping.op(
                    "aten::scatter" + begin + ".value_reduce" + self + "Scalar value, *, str reduce" + result,
                    a -> scatter(a, inPlace, merge(text(a, 4))));
            keeping.op(
                    "aten::scatter_reduce" + begin + ".two" + self + "Tensor src, str reduce, *, bool include_self=True"
                            + result,
                    a -> scatterReduce(inPlace ? tensor(a, 0) : tensor(a, 0).copy(MemoryFormat.CONTIGUOUS), a));
            keeping.op(
                    "aten::scatter_add" + begin + self + "Tensor src" + result, a -> scatter(a, inPlace, Double::sum));
        }
    }

    private static Merge merge(String name) {
        return switch (name) {
            case "add" -> Double::sum;
            case "multiply" -> (x, v) -> x * v;
            default ->
                throw new IllegalArgumentException("reduce argument must be either add or multiply, but is " + name);
        };
    }

    /** As gather, of what is broadcast but for the dimension. */
    private static Tensor takeAlong(Tensor t, long dim, Tensor index) {
        int d = Shape.wrap(dim, t.rank());
        int[] first = t.sizes().clone();
        int[] second = index.sizes().clone();
        if (first.length != second.length) {
            throw new IllegalArgumentException(
                    "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
                            + first.length + " dimensions for input, and " + second.length + " dimensions for indices");
        }
        first[d] = 1;
        second[d] = 1;
        int[] own = BroadcastShapes.shape(first, second);
        int[] indexed = own.clone();
        own[d] = t.sizes()[d];
        indexed[d] = index.sizes()[d];
        return gather(BroadcastShapes.expand(t, own), d, BroadcastShapes.expand(index, indexed));
    }

    static Tensor gather(Tensor given, long dim, Tensor index) {
        Tensor t = given.rank() == 0 ? TensorViews.unsqueeze(given, 0) : given;
        int d = Shape.wrap(dim, t.rank());
        Tensor at = index.rank() == 0 ? TensorViews.unsqueeze(index, 0) : index;
        if (at.rank() != t.rank()) {
            throw new IllegalArgumentException("Index tensor must have the same number of dimensions as input tensor");
        }
        Tensor out = Tensors.strided(t.dtype(), at.sizes(), Shape.contiguousStrides(at.sizes()), t.quantization());
        Object to = out.storage().array();
        Object from = t.storage().array();
        int unit = t.dtype().isComplex() ? 2 : 1;
        visit(t, d, at, (source, i) -> System.arraycopy(from, unit * source, to, unit * i, unit));
        return index.rank() == 0 ? TensorViews.select(out, 0, 0) : out;
    }

    /** A storage position of the indexed tensor and a row-major number of the index. */
    private interface Visitor {
        void visit(int position, int row);
    }

    private static void visit(Tensor t, int d, Tensor index, Visitor visitor) {
        int rank = t.rank();
        int[] sizes = index.sizes();
        if (sizes.length != rank) {
            throw new IllegalArgumentException(
                    "Index tensor must have the same number of dimensions as self tensor, but got "
                            + Arrays.toString(sizes) + " for " + Arrays.toString(t.sizes()));
        }
        for (int k = 0; k < rank; k++) {
            if (k != d && sizes[k] > t.sizes()[k]) {
                throw new IllegalArgumentException("Size does not match at dimension " + k + " expected index "
                        + Arrays.toString(sizes) + " to be smaller than self " + Arrays.toString(t.sizes())
                        + " apart from dimension " + d);
            }
        }
        long[] at = Elements.longs(index);
        int size = t.sizes()[d];
        for (int i = 0; i < at.length; i++) {
            if (at[i] < 0 || at[i] >= size) {
                throw new IndexOutOfBoundsException(
                        "index " + at[i] + " is out of bounds for dimension " + d + " with size " + size);
            }
            int position = t.offset();
            int rest = i;
            for (int k = rank - 1; k >= 0; k--) {
                int here = rest % sizes[k];
                rest /= sizes[k];
                position += (k == d ? (int) at[i] : here) * t.strides()[k];
            }
            visitor.visit(position, i);
        }
    }

    private static Tensor scatter(Object[] a, boolean inPlace, Merge merge) {
        Tensor self = inPlace ? tensor(a, 0) : tensor(a, 0).copy(MemoryFormat.CONTIGUOUS);
        Tensor t = self.rank() == 0 ? TensorViews.unsqueeze(self, 0) : self;
        Tensor index = tensor(a, 2).rank() == 0 ? TensorViews.unsqueeze(tensor(a, 2), 0) : tensor(a, 2);
        if (index.numel() == 0) {
            return self;
        }
        if (index.rank() != t.rank()) {
            throw new IllegalArgumentException("Index tensor must have the same number of dimensions as self tensor");
        }
        int d = Shape.wrap(integer(a, 1), t.rank());
        if (t.dtype().isComplex()) {
            scatterParts(t, d, index, operand(a, 3), merge);
            return self;
        }
        Tensor source = Tensors.operand(operand(a, 3), t.dtype());
        Tensor part = source.rank() == 0 ? BroadcastShapes.expand(source, index.sizes()) : crop(source, index.sizes());
        if (t.dtype().isIntegral() && t.dtype() != DType.BOOL) {
            long[] values = Elements.longs(part);
            Elements.LongReader r = Elements.longReader(t.dtype(), t.storage().array());
            Elements.LongWriter w = Elements.longWriter(t.dtype(), t.storage().array());
            boolean replaces = merge.apply(1, 2) == 2 && merge.apply(3, 2) == 2;
            boolean adds = merge.apply(1, 2) == 3;
            visit(
                    t,
                    d,
                    index,
                    (at, i) -> w.set(at, replaces ? values[i] : adds ? r.get(at) + values[i] : r.get(at) * values[i]));
        } else {
            double[] values = Elements.doubles(part);
            Elements.DoubleReader r =
                    Elements.doubleReader(t.dtype(), t.storage().array());
            Elements.DoubleWriter w =
                    Elements.doubleWriter(t.dtype(), t.storage().array());
            visit(t, d, index, (at, i) -> w.set(at, merge.apply(r.get(at), values[i])));
        }
        return self;
    }

    /** What meets in a place is reduced; without {@code include_self} places that are met lose what they held. */
    private static Tensor scatterReduce(Tensor self, Object[] a) {
        Tensor t = self.rank() == 0 ? TensorViews.unsqueeze(self, 0) : self;
        Tensor index = tensor(a, 2).rank() == 0 ? TensorViews.unsqueeze(tensor(a, 2), 0) : tensor(a, 2);
        Tensor source = tensor(a, 3).rank() == 0 ? TensorViews.unsqueeze(tensor(a, 3), 0) : tensor(a, 3);
        String reduce = text(a, 4);
        Merge merge = switch (reduce) {
            case "sum", "mean" -> Double::sum;
            case "prod" -> (x, v) -> x * v;
            case "amax" -> Math::max;
            case "amin" -> Math::min;
            default ->
                throw new IllegalArgumentException(
                        "reduce argument must be either sum, prod, mean, amax or amin, got " + reduce);
        };
        if (t.dtype() != source.dtype() || t.dtype().isComplex()) {
            throw new IllegalArgumentException("scatter(): Expected self.dtype to be equal to src.dtype, got "
                    + t.dtype().torchName() + " and " + source.dtype().torchName() + " (expected: one real type)");
        }
        if (index.numel() == 0) {
            return self;
        }
        if (t.dtype().isIntegral() && t.dtype() != DType.BOOL) {
            wholeReduce(t, Shape.wrap(integer(a, 1), t.rank()), index, crop(source, index.sizes()), reduce, flag(a, 5));
            return self;
        }
        double[] values = Elements.doubles(crop(source, index.sizes()));
        Elements.DoubleReader r = Elements.doubleReader(t.dtype(), t.storage().array());
        Elements.DoubleWriter w = Elements.doubleWriter(t.dtype(), t.storage().array());
        // Sums in the storage's order of what falls into each place.
        Map<Integer, double[]> met = new LinkedHashMap<>();
        boolean included = flag(a, 5);
        visit(t, Shape.wrap(integer(a, 1), t.rank()), index, (at, i) -> {
            double[] held = met.get(at);
            if (held == null) {
                met.put(
                        at,
                        included ? new double[] {merge.apply(r.get(at), values[i]), 2} : new double[] {values[i], 1});
            } else {
                held[0] = merge.apply(held[0], values[i]);
                held[1]++;
            }
        });
        met.forEach((at, held) -> w.set(at, !reduce.equals("mean") ? held[0] : held[0] / held[1]));
        return self;
    }

    private static void wholeReduce(Tensor t, int d, Tensor index, Tensor source, String reduce, boolean included) {
        LongBinaryOperator merge = switch (reduce) {
            case "prod" -> (x, v) -> x * v;
            case "amax" -> Math::max;
            case "amin" -> Math::min;
            default -> Long::sum;
        };
        long[] values = Elements.longs(source);
        Elements.LongReader r = Elements.longReader(t.dtype(), t.storage().array());
        Elements.LongWriter w = Elements.longWriter(t.dtype(), t.storage().array());
        Map<Integer, long[]> met = new LinkedHashMap<>();
        visit(t, d, index, (at, i) -> {
            long[] held = met.computeIfAbsent(at, place -> included ? new long[] {r.get(place), 1} : new long[2]);
            held[0] = held[1] == 0 ? values[i] : merge.applyAsLong(held[0], values[i]);
            held[1]++;
        });
        met.forEach((at, held) -> w.set(at, reduce.equals("mean") ? Math.floorDiv(held[0], held[1]) : held[0]));
    }

    /** Real and imaginary parts by themselves, which suits replacing and adding. */
    private static void scatterParts(Tensor t, int d, Tensor index, Object value, Merge merge) {
        if (merge.apply(3, 2) == 6) {
            throw new IllegalArgumentException(
                    "reduce: multiply (expected: add for " + t.dtype().torchName() + ")");
        }
        Tensor source = Tensors.operand(value, t.dtype());
        double[] parts = ComplexOperators.parts(
                source.rank() == 0 ? BroadcastShapes.expand(source, index.sizes()) : crop(source, index.sizes()));
        DType real = t.dtype().part();
        Elements.DoubleReader r = Elements.doubleReader(real, t.storage().array());
        Elements.DoubleWriter w = Elements.doubleWriter(real, t.storage().array());
        visit(t, d, index, (at, i) -> {
            w.set(2 * at, merge.apply(r.get(2 * at), parts[2 * i]));
            w.set(2 * at + 1, merge.apply(r.get(2 * at + 1), parts[2 * i + 1]));
        });
    }

    private static Tensor crop(Tensor t, int[] sizes) {
        Tensor out = t;
        for (int d = 0; d < sizes.length; d++) {
            out = TensorViews.narrow(out, d, 0, sizes[d]);
        }
        return out;
    }
}
