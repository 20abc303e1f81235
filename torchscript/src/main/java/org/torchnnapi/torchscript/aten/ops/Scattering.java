package org.torchnnapi.torchscript.aten.ops;

import static org.torchnnapi.torchscript.aten.support.Args.integer;
import static org.torchnnapi.torchscript.aten.support.Args.operand;
import static org.torchnnapi.torchscript.aten.support.Args.tensor;
import static org.torchnnapi.torchscript.aten.support.Args.text;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.support.Broadcast;
import org.torchnnapi.torchscript.aten.support.Elements;
import org.torchnnapi.torchscript.aten.support.Geometry;
import org.torchnnapi.torchscript.aten.support.Tensors;

/** gather and scatter: an index tensor gives, element by element, the position along one dimension. */
public final class Scattering implements OperatorFamily {
    /** What becomes of an element and the value that meets it. */
    private interface Merge {
        double apply(double old, double value);
    }

    @Override
    public void register(Registrar r) {
        r.op("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", a -> gather(tensor(a, 0), integer(a, 1), tensor(a, 2)));
        r.op("aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", a -> a[2] == null ? gather(Geometry.reshape(tensor(a, 0), -1L), 0, Geometry.reshape(tensor(a, 1), -1L))
            : gather(tensor(a, 0), integer(a, 2), tensor(a, 1)));
        for (boolean inPlace : new boolean[] {false, true}) {
            String begin = inPlace ? "_" : "";
            String self = (inPlace ? "(Tensor(a!) self" : "(Tensor self") + ", int dim, Tensor index, ";
            String result = inPlace ? ") -> Tensor(a!)" : ") -> Tensor";
            r.op("aten::scatter" + begin + ".src" + self + "Tensor src" + result, a -> scatter(a, inPlace, (x, v) -> v));
            r.op("aten::scatter" + begin + ".value" + self + "Scalar value" + result, a -> scatter(a, inPlace, (x, v) -> v));
            r.op("aten::scatter" + begin + ".reduce" + self + "Tensor src, *, str reduce" + result,
                a -> scatter(a, inPlace, merge(text(a, 4))));
            r.op("aten::scatter" + begin + ".value_reduce" + self + "Scalar value, *, str reduce" + result,
                a -> scatter(a, inPlace, merge(text(a, 4))));
            r.op("aten::scatter_add" + begin + self + "Tensor src" + result, a -> scatter(a, inPlace, Double::sum));
        }
    }

    private static Merge merge(String name) {
        return switch (name) {
            case "add" -> Double::sum;
            case "multiply" -> (x, v) -> x * v;
            default -> throw new IllegalArgumentException("reduce argument must be either add or multiply, but is " + name);
        };
    }

    private static Tensor gather(Tensor given, long dim, Tensor index) {
        Tensor t = given.rank() == 0 ? Geometry.unsqueeze(given, 0) : given;
        int d = Shape.wrap(dim, t.rank());
        Tensor at = index.rank() == 0 ? Geometry.unsqueeze(index, 0) : index;
        if (at.rank() != t.rank()) {
            throw new IllegalArgumentException("Index tensor must have the same number of dimensions as input tensor");
        }
        Tensor out = Tensors.strided(t.dtype(), at.sizes(), Shape.contiguousStrides(at.sizes()), t.quantization());
        Object to = out.storage().array();
        Object from = t.storage().array();
        int unit = t.dtype().isComplex() ? 2 : 1;
        visit(t, d, at, (source, i) -> System.arraycopy(from, unit * source, to, unit * i, unit));
        return index.rank() == 0 ? Geometry.select(out, 0, 0) : out;
    }

    /** A storage position of the indexed tensor and a row-major number of the index. */
    private interface Visitor {
        void visit(int position, int row);
    }

    private static void visit(Tensor t, int d, Tensor index, Visitor visitor) {
        int rank = t.rank();
        int[] sizes = index.sizes();
        for (int k = 0; k < rank; k++) {
            if (k != d && sizes[k] > t.sizes()[k]) {
                throw new IllegalArgumentException("Size does not match at dimension " + k + " expected index "
                    + java.util.Arrays.toString(sizes) + " to be smaller than self " + java.util.Arrays.toString(t.sizes())
                    + " apart from dimension " + d);
            }
        }
        long[] at = Elements.longs(index);
        int size = t.sizes()[d];
        for (int i = 0; i < at.length; i++) {
            if (at[i] < 0 || at[i] >= size) {
                throw new IndexOutOfBoundsException("index " + at[i] + " is out of bounds for dimension " + d + " with size " + size);
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
        Tensor self = inPlace ? tensor(a, 0) : Conversions.copy(tensor(a, 0), MemoryFormat.PRESERVE);
        Tensor t = self.rank() == 0 ? Geometry.unsqueeze(self, 0) : self;
        Tensor index = tensor(a, 2).rank() == 0 ? Geometry.unsqueeze(tensor(a, 2), 0) : tensor(a, 2);
        if (index.numel() == 0) {
            return self;
        }
        if (index.rank() != t.rank()) {
            throw new IllegalArgumentException("Index tensor must have the same number of dimensions as self tensor");
        }
        int d = Shape.wrap(integer(a, 1), t.rank());
        Tensor source = Tensors.operand(operand(a, 3), t.dtype());
        Tensor part = source.rank() == 0 ? Broadcast.expand(source, index.sizes()) : crop(source, index.sizes());
        if (t.dtype().isIntegral() && t.dtype() != DType.BOOL) {
            long[] values = Elements.longs(part);
            Elements.LongReader r = Elements.longReader(t.dtype(), t.storage().array());
            Elements.LongWriter w = Elements.longWriter(t.dtype(), t.storage().array());
            boolean replaces = merge.apply(1, 2) == 2 && merge.apply(3, 2) == 2;
            boolean adds = merge.apply(1, 2) == 3;
            visit(t, d, index, (at, i) -> w.set(at, replaces ? values[i] : adds ? r.get(at) + values[i] : r.get(at) * values[i]));
        } else {
            double[] values = Elements.doubles(part);
            Elements.DoubleReader r = Elements.doubleReader(t.dtype(), t.storage().array());
            Elements.DoubleWriter w = Elements.doubleWriter(t.dtype(), t.storage().array());
            visit(t, d, index, (at, i) -> w.set(at, merge.apply(r.get(at), values[i])));
        }
        return self;
    }

    private static Tensor crop(Tensor t, int[] sizes) {
        Tensor out = t;
        for (int d = 0; d < sizes.length; d++) {
            out = Geometry.narrow(out, d, 0, sizes[d]);
        }
        return out;
    }
}
