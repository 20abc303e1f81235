package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.RandomFilling;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Dropout: in evaluation its argument, in training PyTorch's noise after the same seed (native/Dropout.cpp). */
public final class Dropouts implements OperatorFamily {
    /** The value that SELU goes to below zero, negated: what alpha dropout puts in place of what it drops. */
    private static final double ALPHA = 1.7580993408473766;

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(
                OperatorTrait.TRAINS,
                OperatorTrait.IDENTITY_IN_EVALUATION,
                OperatorTrait.ELEMENTWISE,
                OperatorTrait.KEEPS_SHAPE);
        for (boolean channels : new boolean[] {false, true}) {
            for (boolean alpha : new boolean[] {false, true}) {
                String name = "aten::" + (channels ? "feature_" : "") + (alpha ? "alpha_" : "") + "dropout";
                r.op(name + "(Tensor input, float p, bool train) -> Tensor", a -> drop(a, channels, alpha));
                r.op(name + "_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", a -> {
                    Tensor dropped = drop(a, channels, alpha);
                    return dropped == a[0] ? dropped : Tensors.copyInto(tensor(a, 0), dropped);
                });
            }
        }
        all.op(
                "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
                a -> nativeDropout(tensor(a, 0), real(a, 1), a[2] == null || flag(a, 2)),
                OperatorTrait.TRAINS);
    }

    /** What is left, and where. */
    private static Object nativeDropout(Tensor x, double p, boolean train) {
        if (!train || x.numel() == 0) {
            return new Object[] {x.copy(MemoryFormat.PRESERVE), Pointwise.unary(x, DType.BOOL, v -> 1)};
        }
        double scale = p == 1 ? 0 : 1 / (1 - p);
        Tensor kept = RandomFilling.bernoulli(Tensors.empty(DType.BOOL, x.sizes()), 1 - p);
        return new Object[] {BinaryOps.multiply(BinaryOps.multiply(x, kept), scale), kept};
    }

    /** @param channels whether whole channels are dropped */
    static Tensor drop(Object[] a, boolean channels, boolean alpha) {
        Tensor x = tensor(a, 0);
        double p = real(a, 1);
        if (!(p >= 0 && p <= 1)) {
            throw new IllegalArgumentException("dropout probability has to be between 0 and 1, but got " + p);
        }
        if (p == 0 || !flag(a, 2) || x.numel() == 0) {
            return x;
        }
        if (p == 1) {
            return BinaryOps.multiply(x, Tensors.empty(x.dtype()));
        }
        Tensor noise = RandomFilling.bernoulli(channels ? channelNoise(x) : Distributions.like(x, null, null), 1 - p);
        if (!alpha) {
            return BinaryOps.multiply(x, BinaryOps.divide(noise, 1 - p, null));
        }
        double scale = 1 / Math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p));
        Tensor shift =
                BinaryOps.add(BinaryOps.multiply(BinaryOps.add(noise, -1L, 1L), ALPHA * scale), ALPHA * scale * p, 1L);
        return BinaryOps.add(BinaryOps.multiply(x, BinaryOps.multiply(noise, scale)), shift, 1L);
    }

    private static Tensor channelNoise(Tensor x) {
        if (x.rank() < 2) {
            throw new IllegalArgumentException("Feature dropout requires at least 2 dimensions in the input");
        }
        int[] sizes = new int[x.rank()];
        Arrays.fill(sizes, 1);
        sizes[0] = x.size(0);
        sizes[1] = x.size(1);
        return Tensors.empty(x.dtype(), sizes);
    }
}
