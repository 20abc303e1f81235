package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.list;
import static org.torchnnapi.operators.support.Args.operand;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.scalarOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Choosing elements: where, clamp, element-wise minimum and maximum, masks. */
public final class TensorCompare implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        Registrar counted = all.with(OperatorTrait.DATA_DEPENDENT);
        r.op(
                "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
                a -> where(tensor(a, 0), tensor(a, 1), tensor(a, 2)));
        r.op(
                "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
                a -> where(tensor(a, 0), scalar(a, 1), tensor(a, 2)));
        r.op(
                "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
                a -> where(tensor(a, 0), tensor(a, 1), scalar(a, 2)));
        r.op(
                "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
                a -> where(tensor(a, 0), scalar(a, 1), scalar(a, 2)));
        Registrar places = counted.with(OperatorTrait.FINDS_PLACES);
        places.op("aten::where(Tensor condition) -> Tensor[]", a -> list(columns(tensor(a, 0))));
        places.op("aten::nonzero(Tensor self) -> Tensor", a -> nonzero(tensor(a, 0)));
        places.op("aten::nonzero_numpy(Tensor self) -> Tensor[]", a -> list(columns(tensor(a, 0))));
        places.op("aten::argwhere(Tensor self) -> Tensor", a -> nonzero(tensor(a, 0)));
        limited(
                r,
                "clamp",
                "Scalar? min=None, Scalar? max=None",
                a -> clamp(
                        tensor(a, 0),
                        limit(scalarOrNull(a, 1), a[2] == null, Double.NEGATIVE_INFINITY),
                        limit(scalarOrNull(a, 2), a[1] == null, Double.POSITIVE_INFINITY)));
        limited(
                r,
                "clamp.Tensor",
                "Tensor? min=None, Tensor? max=None",
                a -> clamp(tensor(a, 0), tensorOrNull(a, 1), tensorOrNull(a, 2)));
        limited(r, "clamp_min", "Scalar min", a -> clamp(tensor(a, 0), scalar(a, 1), null));
        limited(r, "clamp_min.Tensor", "Tensor min", a -> clamp(tensor(a, 0), tensor(a, 1), null));
        limited(r, "clamp_max", "Scalar max", a -> clamp(tensor(a, 0), null, scalar(a, 1)));
        limited(r, "clamp_max.Tensor", "Tensor max", a -> clamp(tensor(a, 0), null, tensor(a, 1)));
        r.op("aten::maximum(Tensor self, Tensor other) -> Tensor", a -> greater(tensor(a, 0), tensor(a, 1)));
        r.op("aten::minimum(Tensor self, Tensor other) -> Tensor", a -> less(tensor(a, 0), tensor(a, 1)));
        r.op("aten::max.other(Tensor self, Tensor other) -> Tensor", a -> greater(tensor(a, 0), tensor(a, 1)));
        r.op("aten::min.other(Tensor self, Tensor other) -> Tensor", a -> less(tensor(a, 0), tensor(a, 1)));
        r.composite(
                "aten::fmax(Tensor self, Tensor other) -> Tensor",
                a -> ofNumbers(tensor(a, 0), tensor(a, 1), true),
                "return torch.where(torch.isnan(self), other, torch.where(torch.isnan(other), self, "
                        + "torch.maximum(self, other)))");
        r.composite(
                "aten::fmin(Tensor self, Tensor other) -> Tensor",
                a -> ofNumbers(tensor(a, 0), tensor(a, 1), false),
                "return torch.where(torch.isnan(self), other, torch.where(torch.isnan(other), self, "
                        + "torch.minimum(self, other)))");
        for (String kind : new String[] {"Scalar", "Tensor"}) {
            r.op(
                    "aten::masked_fill." + kind + "(Tensor self, Tensor mask, " + kind + " value) -> Tensor",
                    a -> maskedFill(tensor(a, 0), tensor(a, 1), operand(a, 2)));
            r.op(
                    "aten::masked_fill_." + kind + "(Tensor(a!) self, Tensor mask, " + kind + " value) -> Tensor(a!)",
                    a -> fill(tensor(a, 0), tensor(a, 1), operand(a, 2)),
                    OperatorTrait.WRITES_REPEATED);
        }
        counted.op(
                "aten::masked_select(Tensor self, Tensor mask) -> Tensor",
                a -> maskedSelect(tensor(a, 0), tensor(a, 1)));
        all.composite(
                "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
                a -> maskedScatter(tensor(a, 0), tensor(a, 1), tensor(a, 2)),
                """
            wide, into = torch.broadcast_tensors([mask, self])
            order = torch.sub(torch.cumsum(torch.to(torch.flatten(wide), 6), 0), 1)
            places = torch.to(torch.clamp(order, 0), 4)
            taken = torch.reshape(torch.index_select(torch.flatten(source), 0, places), torch.size(into))
            return torch.where(wide, torch.to(taken, ops.prim.dtype(self)), into)""");
        all.op(
                "aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)",
                a -> maskedScatterInto(tensor(a, 0), tensor(a, 1), tensor(a, 2)));
    }

    private static void limited(Registrar r, String name, String limits, OperatorKernel kernel) {
        int dot = name.indexOf('.');
        String inPlace = dot < 0 ? name + "_" : name.substring(0, dot) + "_" + name.substring(dot);
        r.op("aten::" + name + "(Tensor self, " + limits + ") -> Tensor", kernel);
        r.op(
                "aten::" + inPlace + "(Tensor(a!) self, " + limits + ") -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), (Tensor) kernel.call(a)));
    }

    static Tensor where(Tensor condition, Object yes, Object no) {
        if (condition.dtype() != DType.BOOL && condition.dtype() != DType.UINT8) {
            throw new IllegalArgumentException(
                    "where expected condition to be a boolean tensor, but got a tensor with dtype "
                            + condition.dtype().torchName());
        }
        DType type = yes instanceof Tensor || no instanceof Tensor
                ? Promotion.of(yes, no)
                : Promotion.merge(Promotion.ofNumber(yes), Promotion.ofNumber(no));
        Tensor x = Tensors.operand(yes, type);
        Tensor y = Tensors.operand(no, type);
        int[] sizes = BroadcastShapes.shape(condition.sizes(), x.sizes(), y.sizes());
        Tensor out = BroadcastShapes.expand(y, sizes).copy(MemoryFormat.CONTIGUOUS);
        assign(out, BroadcastShapes.expand(condition, sizes), BroadcastShapes.expand(x, sizes));
        return Tensors.ordered(out, condition, x, y);
    }

    /** Copies elements of {@code source} to where the mask holds. */
    private static void assign(Tensor out, Tensor mask, Tensor source) {
        byte[] m = mask.storage().byteArray();
        Object from = source.storage().array();
        Object to = out.storage().array();
        int unit = out.dtype().isComplex() ? 2 : 1;
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0; i < n; i++) {
                        if (m[at[1] + i * step[1]] != 0) {
                            System.arraycopy(
                                    from, unit * (at[2] + i * step[2]), to, unit * (at[0] + i * step[0]), unit);
                        }
                    }
                },
                out,
                mask,
                source);
    }

    static Tensor nonzero(Tensor t) {
        double[] values = Elements.doubles(t.dtype().isComplex() ? ComplexOperators.absOrNegative(t, Math::abs) : t);
        int count = 0;
        for (double v : values) {
            count += v != 0 ? 1 : 0;
        }
        int rank = t.rank();
        long[] out = new long[count * rank];
        int row = 0;
        for (int i = 0; i < values.length; i++) {
            if (values[i] != 0) {
                int rest = i;
                for (int d = rank - 1; d >= 0; d--) {
                    out[row * rank + d] = rest % t.sizes()[d];
                    rest /= t.sizes()[d];
                }
                row++;
            }
        }
        return Tensor.of(out, count, rank);
    }

    /** The positions of nonzero elements, one vector a dimension. */
    static List<Tensor> columns(Tensor t) {
        Tensor positions = nonzero(t.rank() == 0 ? TensorViews.unsqueeze(t, 0) : t);
        List<Tensor> out = new ArrayList<>();
        for (int d = 0; d < positions.sizes()[1]; d++) {
            out.add(TensorViews.select(positions, 1, d).contiguous());
        }
        return out;
    }

    private static double max(double x, double y) {
        return Math.max(x, y);
    }

    /** Where it is the only limit, a NaN limits nothing. */
    private static Object limit(Object limit, boolean only, double none) {
        return only && limit instanceof Double number && number.isNaN() ? none : limit;
    }

    static Tensor clamp(Tensor t, Object least, Object greatest) {
        if (least == null && greatest == null) {
            throw new IllegalArgumentException("torch.clamp: At least one of 'min' or 'max' must not be None");
        }
        if (t.dtype().isQuantized() && least instanceof Number low && greatest instanceof Number high) {
            return QuantizedMath.clamp(t, low.doubleValue(), high.doubleValue());
        }
        if (t.dtype().isQuantized()) {
            return QuantizedMath.through(t, x -> clamp(x, least, greatest));
        }
        Tensor out = t;
        if (least instanceof Number || greatest instanceof Number) {
            DType type = Promotion.of(t, greatest == null ? least : greatest);
            Tensors.fitting(least, type);
            Tensors.fitting(greatest, type);
        }
        if (least != null) {
            out = Pointwise.binary(out, least, Promotion.of(out, least), TensorCompare::max, Math::max);
        }
        if (greatest != null) {
            out = Pointwise.binary(out, greatest, Promotion.of(out, greatest), Math::min, Math::min);
        }
        return out;
    }

    private static Tensor greater(Tensor a, Tensor b) {
        return Pointwise.binary(a, b, Promotion.of(a, b), TensorCompare::max, Math::max);
    }

    private static Tensor less(Tensor a, Tensor b) {
        return Pointwise.binary(a, b, Promotion.of(a, b), Math::min, Math::min);
    }

    /** Of a number and a NaN, the number. */
    private static Tensor ofNumbers(Tensor a, Tensor b, boolean greatest) {
        return Pointwise.binary(
                a,
                b,
                Promotion.of(a, b),
                (x, y) -> x != x ? y : y != y ? x : greatest ? Math.max(x, y) : Math.min(x, y),
                greatest ? Math::max : Math::min);
    }

    /**
     * PyTorch 1.13 takes the first byte of a real number for a truth value, so that 1.0 masks nothing and 1.0000001
     * does; later releases refuse real masks.
     */
    private static void requireTruths(Tensor mask) {
        if (mask.dtype().isFloating() || mask.dtype().isComplex()) {
            throw new IllegalArgumentException(
                    "mask: a tensor of " + mask.dtype().torchName()
                            + ", whose bytes PyTorch 1.13 reads as truth values (expected: bool); compare it with 0 "
                            + "in the model, as in mask != 0");
        }
    }

    private static Tensor maskedFill(Tensor t, Tensor mask, Object value) {
        int[] sizes = BroadcastShapes.shape(t.sizes(), mask.sizes());
        return fill(BroadcastShapes.expand(t, sizes).copy(MemoryFormat.CONTIGUOUS), mask, value);
    }

    /** Writes a number to where the mask holds, and to nothing else. */
    private static Tensor fill(Tensor t, Tensor mask, Object value) {
        requireTruths(mask);
        requireSizes(t, mask);
        assign(
                t,
                BroadcastShapes.expand(Elements.cast(mask, DType.BOOL), t.sizes()),
                BroadcastShapes.expand(filling(t, value), t.sizes()));
        return t;
    }

    /** A number as an element of a tensor, quantized as its elements are. */
    private static Tensor filling(Tensor t, Object value) {
        if (!t.dtype().isQuantized()) {
            return Tensors.operand(Tensors.fitting(value, t.dtype()), t.dtype());
        }
        if (!(t.quantization() instanceof Quantization.PerTensor)) {
            throw new IllegalArgumentException(
                    "masked_fill: a tensor with a scale a channel (expected: one scale for the tensor)");
        }
        return QuantizedMath.quantize(Tensors.operand(value, DType.FLOAT32), t.quantization(), t.dtype());
    }

    private static void requireSizes(Tensor t, Tensor mask) {
        int[] sizes = BroadcastShapes.shape(t.sizes(), mask.sizes());
        if (!Arrays.equals(sizes, t.sizes())) {
            throw new IllegalArgumentException("output with shape " + Arrays.toString(t.sizes())
                    + " doesn't match the broadcast shape " + Arrays.toString(sizes));
        }
    }

    private static Tensor maskedSelect(Tensor t, Tensor mask) {
        int[] sizes = BroadcastShapes.shape(t.sizes(), mask.sizes());
        Tensor source = TensorViews.reshape(BroadcastShapes.expand(t, sizes), -1L);
        long[] m = Elements.longs(BroadcastShapes.expand(mask, sizes));
        int count = (int) Arrays.stream(m).filter(v -> v != 0).count();
        long[] positions = new long[count];
        int at = 0;
        for (int i = 0; i < m.length; i++) {
            if (m[i] != 0) {
                positions[at++] = i;
            }
        }
        return TensorAdvancedIndexing.take(source, 0, Tensor.of(positions, count));
    }

    private static Tensor maskedScatter(Tensor t, Tensor mask, Tensor source) {
        int[] sizes = BroadcastShapes.shape(t.sizes(), mask.sizes());
        return maskedScatterInto(BroadcastShapes.expand(t, sizes).copy(MemoryFormat.CONTIGUOUS), mask, source);
    }

    /** One element after the other: where the source is row-major and shows the same memory, it is written to. */
    private static Tensor maskedScatterInto(Tensor t, Tensor mask, Tensor source) {
        requireTruths(mask);
        requireSizes(t, mask);
        long[] m = Elements.longs(BroadcastShapes.expand(mask, t.sizes()));
        Tensor from = TensorViews.reshape(source, -1L);
        boolean viewed = t.isContiguous();
        Tensor flat = TensorViews.reshape(t, -1L);
        int next = 0;
        for (int i = 0; i < m.length; i++) {
            if (m[i] != 0) {
                if (next >= from.numel()) {
                    throw new IllegalArgumentException(
                            "masked_scatter: expected self and source to have enough elements");
                }
                TensorViews.select(flat, 0, i).copyFrom(Elements.cast(TensorViews.select(from, 0, next++), t.dtype()));
            }
        }
        return viewed ? t : Tensors.inPlace(t, TensorViews.reshape(flat, t.sizes()));
    }
}
