package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.LeakyReluOp;
import org.torchnnapi.program.op.PointwiseOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.UnaryMathOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Activations and functions of one number. Of bytes they are tables that their own kernels fill. */
final class ActivationLowering implements LoweringFamily {
    /** From here on log(1 + exp(x)) rounds to x. */
    private static final double SOFT_UP_TO = 17;

    /** Of Klambauer et al., Self-Normalizing Neural Networks, 2017. */
    private static final double SELU_ALPHA = 1.6732632423543772848170429916717;

    private static final double SELU_SCALE = 1.0507009873554804934193349852946;

    /** The operation for a call. */
    private interface Form {
        Op of(Object[] args);
    }

    @Override
    public void register(Registrar r) {
        function(r, "relu", a -> new ClampOp(Clamp.RELU));
        limit(r, "relu6", a -> new ClampOp(Clamp.RELU6));
        limit(r, "hardtanh", a -> limit(Args.real(a, 1), Args.real(a, 2)));
        for (String name : new String[] {"clamp", "clip"}) {
            limit(r, name, a -> {
                Support.require(a[1] != null || a[2] != null, "a limit");
                return limit(limitOr(a, 1, Double.NEGATIVE_INFINITY), limitOr(a, 2, Double.POSITIVE_INFINITY));
            });
        }
        limit(r, "clamp_min", a -> limit(number(a, 1), Double.POSITIVE_INFINITY));
        limit(r, "clamp_max", a -> limit(Double.NEGATIVE_INFINITY, number(a, 1)));
        function(r, "sigmoid", UnaryOp.SIGMOID);
        function(r, "tanh", UnaryOp.TANH);
        function(r, "silu", UnaryOp.SILU);
        function(r, "hardswish", UnaryOp.HARD_SWISH);
        function(r, "hardsigmoid", UnaryOp.HARD_SIGMOID);
        function(r, "abs", UnaryOp.ABS);
        function(r, "neg", UnaryOp.NEG);
        function(r, "exp", UnaryOp.EXP);
        function(r, "log", UnaryOp.LOG);
        function(r, "sqrt", UnaryOp.SQRT);
        function(r, "rsqrt", UnaryOp.RSQRT);
        function(r, "sin", a -> PointwiseOp.SIN);
        function(r, "cos", a -> PointwiseOp.COS);
        function(r, "erf", a -> PointwiseOp.ERF);
        function(r, "floor", a -> PointwiseOp.FLOOR);
        function(r, "round", a -> {
            Support.require(a.length == 1, "whole numbers");
            return PointwiseOp.ROUND;
        });
        function(
                r,
                "gelu",
                a -> new UnaryMathOp(a.length > 1 && "tanh".equals(a[1]) ? UnaryOp.GELU_TANH : UnaryOp.GELU));
        function(r, "mish", UnaryOp.MISH);
        r.add("aten::log_sigmoid", (lowered, node, a) -> {
            Tensor x = Support.floats(a, 0);
            return lowered.compute(
                    new UnaryMathOp(UnaryOp.LOG_SIGMOID), Lowered.tensor(DType.FLOAT32, null, x.sizes()), x);
        });
        function(r, "softplus", a -> {
            Support.require(
                    Args.real(a, 1) == 1 && Args.real(a, 2) >= SOFT_UP_TO,
                    "beta of 1, and the identity only where it is that");
            return new UnaryMathOp(UnaryOp.SOFTPLUS);
        });
        function(r, "elu", a -> exponentialUnit("elu", Args.real(a, 1), Args.real(a, 2), Args.real(a, 3)));
        function(r, "selu", a -> exponentialUnit("selu", SELU_ALPHA, SELU_SCALE, 1));
        function(r, "celu", a -> exponentialUnit("celu", Args.real(a, 1), 1, 1 / Args.real(a, 1)));
        function(r, "leaky_relu", a -> new LeakyReluOp((float) Args.real(a, 1)));
        r.add("aten::glu", (lowered, node, a) -> {
            Tensor x = Support.floats(a, 0);
            return gated(lowered, x, Args.dim(a, 1, x.rank()));
        });
        r.add("aten::prelu", (lowered, node, a) -> {
            Tensor x = Support.floats(a, 0);
            Tensor slope = Support.constant(lowered, a, 1);
            if (slope.numel() == 1) {
                return lowered.compute(
                        new LeakyReluOp((float) slope.getDouble(0)), Support.inFormatOf(x, x.sizes()), x);
            }
            Support.require(x.rank() >= 2 && slope.numel() == x.size(1), "a slope for each channel");
            int[] sizes = new int[x.rank()];
            Arrays.fill(sizes, 1);
            sizes[1] = x.size(1);
            return lowered.compute(
                    BinaryMathOp.of(BinaryOp.PRELU),
                    Support.inFormatOf(x, x.sizes()),
                    x,
                    Tensor.of(Support.values(slope), sizes));
        });
    }

    /** One half of the elements along a dimension times the sigmoid of the other. */
    private static Tensor gated(Lowered lowered, Tensor x, int dim) {
        Support.require(x.size(dim) % 2 == 0, "a dimension of even size");
        int half = x.size(dim) / 2;
        int[] sizes = x.sizes().clone();
        sizes[dim] = half;
        ValueType type = ValueType.floats(x.sizes());
        Tensor first = lowered.compute(SliceOp.of(type, dim, 0, half), Lowered.tensor(DType.FLOAT32, null, sizes), x);
        Tensor second =
                lowered.compute(SliceOp.of(type, dim, half, 2 * half), Lowered.tensor(DType.FLOAT32, null, sizes), x);
        Tensor gate =
                lowered.compute(new UnaryMathOp(UnaryOp.SIGMOID), Lowered.tensor(DType.FLOAT32, null, sizes), second);
        Tensor strides = Lowered.tensor(
                DType.FLOAT32, null, sizes, MemoryOrder.resultStrides(sizes, TensorViews.narrow(x, dim, 0, half)));
        return lowered.compute(BinaryMathOp.of(BinaryOp.MUL), strides, first, gate);
    }

    private static void limit(Registrar r, String name, Form form) {
        add(r, name, form, (lowered, node, a) -> ByteFunctions.limited(lowered, a, 0));
    }

    private static void function(Registrar r, String name, Form form) {
        add(r, name, form, (lowered, node, a) -> ByteFunctions.unary(lowered, a, 0));
    }

    private static void function(Registrar r, String name, UnaryOp op) {
        function(r, name, a -> new UnaryMathOp(op));
    }

    private static void add(Registrar r, String name, Form form, Lowering ofBytes) {
        r.add("aten::" + name, (lowered, node, a) -> {
            if (!Support.isOperand(a[0])) {
                return ofBytes.lower(lowered, node, a);
            }
            Tensor x = Support.floats(a, 0);
            return lowered.compute(form.of(a), Support.like(x, DType.FLOAT32, null), x);
        });
    }

    private static Op exponentialUnit(String name, double alpha, double scale, double steepness) {
        Support.require(steepness > 0, "a positive factor of x");
        return PointwiseOp.elu(name, (float) alpha, (float) scale, (float) steepness);
    }

    private static ClampOp limit(double low, double high) {
        Support.require((float) low <= (float) high, "limits in order");
        return new ClampOp(new Clamp((float) low, (float) high));
    }

    private static double limitOr(Object[] a, int i, double otherwise) {
        return a[i] == null ? otherwise : number(a, i);
    }

    private static double number(Object[] a, int i) {
        Support.require(a[i] instanceof Number, "a number");
        return Args.real(a, i);
    }
}
