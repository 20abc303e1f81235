package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.QuantizedAddition;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Sums, products and joins of quantized tensors, with and without ReLU. */
public final class QuantizedArithmetic implements OperatorFamily {
    /** The result of one pair of elements before rounding, in steps of the output. */
    private interface Rule {
        double steps(long a, long b);
    }

    @Override
    public void register(Registrar r) {
        for (boolean relu : new boolean[] {false, true}) {
            String suffix = relu ? "_relu" : "";
            String pair = suffix + "(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc";
            r.op("quantized::add" + pair, a -> add(tensor(a, 0), tensor(a, 1), real(a, 2), int32(a, 3), relu));
            r.op("quantized::mul" + pair, a -> mul(tensor(a, 0), tensor(a, 1), real(a, 2), int32(a, 3), relu));
            r.op(
                    "quantized::add_scalar" + suffix + "(Tensor qa, Scalar b) -> Tensor qc",
                    a -> addScalar(tensor(a, 0), real(a, 1), relu),
                    OperatorTrait.ELEMENTWISE);
            r.op(
                    "quantized::mul_scalar" + suffix + "(Tensor qa, Scalar b) -> Tensor qc",
                    a -> mulScalar(tensor(a, 0), real(a, 1), relu),
                    OperatorTrait.ELEMENTWISE);
            r.op(
                    "quantized::cat" + suffix + "(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor",
                    a -> cat(
                            Args.tensors(a, 0),
                            Args.integer(a, 1),
                            Args.realOrNull(a, 2),
                            Args.integerOrNull(a, 3),
                            relu));
        }
        outForms(r);
        r.composite(
                "quantized::matmul(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc",
                a -> matmul(tensor(a, 0), tensor(a, 1), real(a, 2), int32(a, 3)),
                "return torch.quantize_per_tensor(torch.matmul(torch.dequantize(qa), torch.dequantize(qb)), scale, "
                        + "zero_point, ops.prim.dtype(qa))");
    }

    /** Forms that write into a quantized tensor, in its own steps; those with a number give it theirs. */
    private static void outForms(Registrar r) {
        for (boolean relu : new boolean[] {false, true}) {
            String suffix = relu ? "_relu" : "";
            for (String form : new String[] {suffix + ".out", suffix + "_out"}) {
                String pair = form + "(Tensor qa, Tensor qb, Tensor(a!) out) -> Tensor(a!) out";
                r.op(
                        "quantized::add" + pair,
                        a -> into(a, 2, q -> add(tensor(a, 0), tensor(a, 1), q.scale(), q.zeroPoint(), relu)));
                r.op(
                        "quantized::mul" + pair,
                        a -> into(a, 2, q -> mul(tensor(a, 0), tensor(a, 1), q.scale(), q.zeroPoint(), relu)));
            }
            for (String form : new String[] {suffix + ".Scalar_out", "_scalar" + suffix + "_out"}) {
                String number = form + "(Tensor qa, Scalar b, Tensor(a!) out) -> Tensor(a!) out";
                r.op("quantized::add" + number, a -> become(a, addScalar(tensor(a, 0), real(a, 1), relu)));
                r.op("quantized::mul" + number, a -> become(a, mulScalar(tensor(a, 0), real(a, 1), relu)));
            }
            String tensor = "_scalar" + suffix + "_out.Tensor(Tensor qa, Tensor b, Tensor(a!) out) -> Tensor(a!) out";
            // PyTorch's sum with a tensor leaves negative results as they are under both names.
            r.op(
                    "quantized::add" + tensor,
                    a -> become(a, addScalar(tensor(a, 0), tensor(a, 1).getDouble(0), false)));
            r.op(
                    "quantized::mul" + tensor,
                    a -> become(a, mulScalar(tensor(a, 0), tensor(a, 1).getDouble(0), relu)));
            r.op(
                    "quantized::cat" + suffix + "_out(Tensor[] qx, int dim, Tensor(a!) out) -> Tensor(a!)",
                    a -> into(
                            a,
                            2,
                            q -> cat(Args.tensors(a, 0), Args.integer(a, 1), q.scale(), (long) q.zeroPoint(), relu)));
        }
    }

    private static Tensor into(Object[] a, int at, Function<Quantization.PerTensor, Tensor> result) {
        Tensor out = tensor(a, at);
        Tensor made = result.apply(QuantizedMath.perTensor(out));
        if (!Arrays.equals(out.sizes(), made.sizes())) {
            out.become(made);
            return out;
        }
        return Tensors.copyInto(out, made);
    }

    private static Tensor become(Object[] a, Tensor made) {
        Tensor out = tensor(a, 2);
        out.become(made);
        return out;
    }

    private static Tensor add(Tensor a, Tensor b, double scale, int zeroPoint, boolean relu) {
        Quantization.PerTensor qa = QuantizedMath.perTensor(a);
        Quantization.PerTensor qb = QuantizedMath.perTensor(b);
        QuantizedAddition fixedPoint = a.dtype() == DType.QUINT8
                ? QuantizedAddition.of(qa.scale(), qa.zeroPoint(), qb.scale(), qb.zeroPoint(), scale)
                : null;
        return pairwise(
                a,
                b,
                scale,
                zeroPoint,
                relu,
                fixedPoint != null
                        ? fixedPoint::steps
                        : (x, y) -> ((x - qa.zeroPoint()) * qa.scale() + (y - qb.zeroPoint()) * qb.scale()) / scale);
    }

    private static Tensor mul(Tensor a, Tensor b, double scale, int zeroPoint, boolean relu) {
        Quantization.PerTensor qa = QuantizedMath.perTensor(a);
        Quantization.PerTensor qb = QuantizedMath.perTensor(b);
        float factor = (float) qa.scale() * (float) qb.scale() * (1 / (float) scale);
        return pairwise(
                a, b, scale, zeroPoint, relu, (x, y) -> (float) ((x - qa.zeroPoint()) * (y - qb.zeroPoint())) * factor);
    }

    private static Tensor pairwise(Tensor a, Tensor b, double scale, int zeroPoint, boolean relu, Rule rule) {
        if (a.dtype() != b.dtype()) {
            throw new IllegalArgumentException("operands: " + a + " and " + b + " (expected: of one type)");
        }
        DType type = a.dtype();
        int[] sizes = BroadcastShapes.shape(a.sizes(), b.sizes());
        Tensor x = BroadcastShapes.expand(a, sizes);
        Tensor y = BroadcastShapes.expand(b, sizes);
        Tensor out = Tensors.strided(
                type, sizes, MemoryOrder.resultStrides(sizes, a, b), new Quantization.PerTensor(scale, zeroPoint));
        Elements.LongReader readA = Elements.longReader(type, a.storage().array());
        Elements.LongReader readB = Elements.longReader(type, b.storage().array());
        Elements.LongWriter write = Elements.longWriter(type, out.storage().array());
        long least = relu ? Math.max(zeroPoint, QuantizedMath.least(type)) : QuantizedMath.least(type);
        long greatest = QuantizedMath.greatest(type);
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0; i < n; i++) {
                        double steps = rule.steps(readA.get(at[1] + i * step[1]), readB.get(at[2] + i * step[2]));
                        write.set(
                                at[0] + i * step[0],
                                Math.max(least, Math.min(greatest, (long) Math.rint(steps) + zeroPoint)));
                    }
                },
                out,
                x,
                y);
        return out;
    }

    /**
     * Moves the zero point instead of the integers where it stays within the type; otherwise the scale and the integers
     * change too (PyTorch's {@code quantized::add_scalar}).
     */
    private static Tensor addScalar(Tensor t, double number, boolean relu) {
        Quantization.PerTensor q = QuantizedMath.perTensor(t);
        DType type = t.dtype();
        long least = QuantizedMath.least(type);
        long greatest = QuantizedMath.greatest(type);
        long steps = (long) Math.rint(number / q.scale());
        long zeroPoint = q.zeroPoint() - steps;
        if (zeroPoint >= least && zeroPoint <= greatest) {
            return rescaled(t, q.scale(), (int) zeroPoint, relu, x -> x);
        }
        double scale = zeroPoint < least
                ? (double) (greatest - zeroPoint) / (greatest - least) * q.scale()
                : (double) (zeroPoint - least) / (greatest - least) * q.scale();
        int bound = (int) (zeroPoint < least ? least : greatest);
        float factor = (float) (q.scale() / scale);
        return rescaled(t, scale, bound, relu, x -> (long) Math.rint((float) (x - zeroPoint) * factor) + bound);
    }

    private static Tensor mulScalar(Tensor t, double number, boolean relu) {
        Quantization.PerTensor q = QuantizedMath.perTensor(t);
        DType type = t.dtype();
        if (number > 0) {
            return rescaled(t, q.scale() * number, q.zeroPoint(), relu, x -> x);
        }
        if (number == 0) {
            return rescaled(t, 1, 0, relu, x -> 0);
        }
        long mirror = QuantizedMath.least(type) + QuantizedMath.greatest(type);
        return rescaled(t, q.scale() * -number, (int) (mirror - q.zeroPoint()), relu, x -> mirror - x);
    }

    private static Tensor rescaled(Tensor t, double scale, int zeroPoint, boolean relu, LongUnaryOperator map) {
        DType type = t.dtype();
        Tensor out = Tensors.strided(
                type, t.sizes(), MemoryOrder.resultStrides(t.sizes(), t), new Quantization.PerTensor(scale, zeroPoint));
        Elements.LongReader read = Elements.longReader(type, t.storage().array());
        Elements.LongWriter write = Elements.longWriter(type, out.storage().array());
        long least = relu ? Math.max(zeroPoint, QuantizedMath.least(type)) : QuantizedMath.least(type);
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0; i < n; i++) {
                        long mapped = map.applyAsLong(read.get(at[1] + i * step[1]));
                        write.set(at[0] + i * step[0], Math.max(least, Math.min(QuantizedMath.greatest(type), mapped)));
                    }
                },
                out,
                t);
        return out;
    }

    private static Tensor cat(List<Tensor> parts, long dim, Double scale, Long zeroPoint, boolean relu) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("tensors: none (expected: at least one to join)");
        }
        Quantization.PerTensor first = QuantizedMath.perTensor(parts.get(0));
        Quantization.PerTensor q = new Quantization.PerTensor(
                scale == null ? first.scale() : scale, zeroPoint == null ? first.zeroPoint() : zeroPoint.intValue());
        List<Tensor> real = parts.stream()
                .map(t -> {
                    Tensor values = QuantizedMath.dequantize(t);
                    return relu ? Pointwise.unary(values, x -> Math.max(x, 0)) : values;
                })
                .collect(Streams.toList());
        Tensor joined = ConcatenationOperators.cat(real, dim);
        return QuantizedMath.quantize(joined, q, parts.get(0).dtype());
    }

    private static Tensor matmul(Tensor a, Tensor b, double scale, int zeroPoint) {
        Tensor product = MatrixProducts.matmul(QuantizedMath.dequantize(a), QuantizedMath.dequantize(b));
        return QuantizedMath.quantize(product, new Quantization.PerTensor(scale, zeroPoint), a.dtype());
    }
}
