package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;

import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BesselFunctions;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Window functions; a periodic one is a symmetric one of one more point without the last. */
public final class WindowFunctions implements OperatorFamily {
    private static final double KAISER_BETA = 12;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), true, dtypeOr(a, 1, DType.FLOAT32), cosine(0.5, 0.5)));
        r.op(
                "aten::hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), flag(a, 1), dtypeOr(a, 2, DType.FLOAT32), cosine(0.5, 0.5)));
        r.op(
                "aten::hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), true, dtypeOr(a, 1, DType.FLOAT32), cosine(0.54, 0.46)));
        r.op(
                "aten::hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), flag(a, 1), dtypeOr(a, 2, DType.FLOAT32), cosine(0.54, 0.46)));
        r.op(
                "aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, "
                        + "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
                        + "-> Tensor",
                a -> window(int32(a, 0), flag(a, 1), dtypeOr(a, 3, DType.FLOAT32), cosine(real(a, 2), 0.46)));
        r.op(
                "aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, "
                        + "*, "
                        + "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
                        + "-> Tensor",
                a -> window(int32(a, 0), flag(a, 1), dtypeOr(a, 4, DType.FLOAT32), cosine(real(a, 2), real(a, 3))));
        r.op(
                "aten::blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), true, dtypeOr(a, 1, DType.FLOAT32), WindowFunctions::blackman));
        r.op(
                "aten::blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), flag(a, 1), dtypeOr(a, 2, DType.FLOAT32), WindowFunctions::blackman));
        r.op(
                "aten::bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), true, dtypeOr(a, 1, DType.FLOAT32), x -> 1 - Math.abs(2 * x - 1)));
        r.op(
                "aten::bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> window(int32(a, 0), flag(a, 1), dtypeOr(a, 2, DType.FLOAT32), x -> 1 - Math.abs(2 * x - 1)));
        for (String form : new String[] {
            "(int window_length",
            ".periodic(int window_length, bool periodic",
            ".beta(int window_length, bool periodic, float beta"
        }) {
            int given = form.split(",").length;
            r.op(
                    "aten::kaiser_window" + form
                            + ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                            + "pin_memory=None) -> Tensor",
                    a -> window(
                            int32(a, 0),
                            given < 2 || flag(a, 1),
                            dtypeOr(a, given, DType.FLOAT32),
                            kaiser(given < 3 ? KAISER_BETA : real(a, 2))));
        }
    }

    private static DoubleUnaryOperator kaiser(double beta) {
        double whole = BesselFunctions.i(0, beta);
        return x -> BesselFunctions.i(0, beta * Math.sqrt(Math.max(1 - (2 * x - 1) * (2 * x - 1), 0))) / whole;
    }

    private static DoubleUnaryOperator cosine(double alpha, double beta) {
        return x -> alpha - beta * Math.cos(2 * Math.PI * x);
    }

    private static double blackman(double x) {
        return 0.42 - 0.5 * Math.cos(2 * Math.PI * x) + 0.08 * Math.cos(4 * Math.PI * x);
    }

    /** @param shape of the position between 0 and 1 */
    private static Tensor window(int length, boolean periodic, DType type, DoubleUnaryOperator shape) {
        if (length < 0 || !type.isFloating()) {
            throw new IllegalArgumentException(
                    "window of " + length + " " + type.torchName() + " (expected: length >= 0, a floating type)");
        }
        double[] values = new double[Tensors.count(length)];
        for (int i = 0; i < length; i++) {
            values[i] = length == 1 ? 1 : shape.applyAsDouble((double) i / (periodic ? length : length - 1));
        }
        return Elements.ofDoubles(type, values, length);
    }
}
