package org.torchnnapi.operators.builtin;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Tensors as PyTorch's C++ streams print them (aten/src/ATen/core/Formatting.cpp): elements in columns of one width,
 * matrices in parts of 80 characters, then type and sizes. How a stream writes numbers stays what it was last set to.
 */
final class TensorText {
    private static final int LINE = 80;
    private static final int DIGITS = 4;
    private static final int WIDEST_WHOLE = 9;

    private enum Style {
        GENERAL,
        FIXED,
        SCIENTIFIC
    }

    private final StringBuilder out = new StringBuilder();
    private Style style = Style.GENERAL;
    private int precision = 6;
    private double scale;
    private int width;

    private TensorText() {}

    static String of(Tensor t) {
        TensorText text = new TensorText();
        text.print(t);
        return text.out.toString();
    }

    private void print(Tensor t) {
        Tensor plain = t.dtype().isQuantized() ? QuantizedMath.dequantize(t) : t;
        double[] values = Elements.doubles(plain.dtype().isComplex() ? Elements.cast(plain, DType.FLOAT64) : plain);
        int[] sizes = t.sizes();
        if (sizes.length == 0) {
            out.append(number(values[0])).append('\n');
        } else if (values.length > 0 && sizes.length == 1) {
            choose(values, 0, values.length);
            if (scale != 1) {
                scaleLine();
            }
            for (double value : values) {
                column(value);
                out.append('\n');
            }
        } else if (values.length > 0) {
            int matrix = sizes[sizes.length - 2] * sizes[sizes.length - 1];
            for (int i = 0; i < values.length / Math.max(matrix, 1); i++) {
                if (sizes.length == 2) {
                    matrix(values, 0, sizes[0], sizes[1], 0);
                } else {
                    nextMatrix(values, sizes, i);
                }
            }
        }
        out.append("[ ")
                .append(t.dtype().isQuantized() ? "QuantizedCPU" : "CPU")
                .append(typeName(t.dtype()))
                .append("Type{");
        for (int d = 0; d < sizes.length; d++) {
            out.append(d == 0 ? "" : ",").append(sizes[d]);
        }
        out.append('}');
        if (t.quantization() instanceof Quantization.PerTensor q) {
            out.append(", qscheme: per_tensor_affine, scale: ")
                    .append(number(q.scale()))
                    .append(", zero_point: ")
                    .append(q.zeroPoint());
        } else if (t.quantization() instanceof Quantization.PerChannel q) {
            int count = q.scales().length;
            out.append(", qscheme: per_channel_affine, scales: ")
                    .append(of(Tensor.of(DType.FLOAT64, q.scales().clone(), count)))
                    .append(", zero_points: ")
                    .append(of(Elements.ofDoubles(DType.INT64, q.zeroPoints().clone(), count)))
                    .append(", axis: ")
                    .append(q.axis());
        }
        out.append(" ]");
    }

    /** Matrices follow one another with the first dimension's index changing fastest. */
    private void nextMatrix(double[] values, int[] sizes, int number) {
        int rank = sizes.length;
        int rest = number;
        int place = 0;
        int[] strides = Shape.contiguousStrides(sizes);
        if (number > 0) {
            out.append('\n');
        }
        out.append('(');
        for (int d = 0; d < rank - 2; d++) {
            int index = rest % sizes[d];
            rest /= sizes[d];
            place += index * strides[d];
            out.append(index + 1).append(',');
        }
        out.append(".,.) = \n");
        matrix(values, place, sizes[rank - 2], sizes[rank - 1], 1);
    }

    private void matrix(double[] values, int from, int rows, int columns, int indent) {
        choose(values, from, rows * columns);
        String margin = indent == 0 ? "" : " ";
        out.append(margin);
        int perLine = (LINE - indent) / (width + 1);
        for (int first = 0; first < columns; first += perLine) {
            int last = Math.min(first + perLine, columns) - 1;
            if (perLine < columns) {
                out.append(first == 0 ? "" : "\n")
                        .append("Columns ")
                        .append(first + 1)
                        .append(" to ")
                        .append(last + 1)
                        .append(margin);
            }
            if (scale != 1) {
                scaleLine();
                out.append(margin);
            }
            for (int row = 0; row < rows; row++) {
                for (int c = first; c <= last; c++) {
                    column(values[from + row * columns + c]);
                    out.append(c == last ? "\n" : " ");
                }
                if (row < rows - 1) {
                    out.append(margin).append(scale != 1 ? " " : "");
                }
            }
        }
    }

    private void scaleLine() {
        Style held = style;
        style = Style.GENERAL;
        out.append(number(scale)).append(" *\n");
        style = held;
    }

    private void column(double value) {
        String text = number(value / scale);
        for (int i = text.length(); i < width; i++) {
            out.append(' ');
        }
        out.append(text);
    }

    /** Width, scale and style by the least and greatest exponent of what is finite. */
    private void choose(double[] values, int from, int count) {
        boolean whole = true;
        double least = Double.NaN;
        double greatest = Double.NaN;
        for (int i = from; i < from + count; i++) {
            if (Double.isNaN(values[i]) || Double.isInfinite(values[i])) {
                continue;
            }
            double size = Math.abs(values[i]);
            whole &= values[i] == Math.ceil(values[i]);
            least = Double.isNaN(least) ? size : Math.min(least, size);
            // A negative number is as large as it is only where it comes first: PyTorch lets later ones stick out of
            // the column.
            greatest = Double.isNaN(greatest) || values[i] > greatest ? size : greatest;
        }
        double low = exponent(least);
        double high = exponent(greatest);
        scale = 1;
        if (whole) {
            width = high > WIDEST_WHOLE ? 11 : (int) high + 1;
            set(high > WIDEST_WHOLE ? Style.SCIENTIFIC : Style.GENERAL);
        } else if (high - low > DIGITS) {
            width = Math.abs(high) > 99 || Math.abs(low) > 99 ? 12 : 11;
            set(Style.SCIENTIFIC);
        } else {
            boolean scaled = high > 5 || high < 0;
            scale = scaled ? Math.pow(10, high - 1) : 1;
            width = scaled || high == 0 ? 7 : (int) high + 6;
            set(Style.FIXED);
        }
    }

    private void set(Style chosen) {
        style = chosen;
        precision = chosen == Style.GENERAL ? precision : DIGITS;
    }

    private static double exponent(double size) {
        return Double.isNaN(size) || size == 0 ? 1 : Math.floor(Math.log10(size)) + 1;
    }

    private String number(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        return switch (style) {
            case FIXED -> fixed(value);
            case SCIENTIFIC -> scientific(value, precision, false);
            case GENERAL -> general(value, precision);
        };
    }

    private static String fixed(double value) {
        String text =
                new BigDecimal(value).setScale(DIGITS, RoundingMode.HALF_EVEN).toPlainString();
        return !text.startsWith("-") && (value < 0 || 1 / value < 0) ? "-" + text : text;
    }

    /** As C's {@code %g}. */
    private static String general(double value, int digits) {
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        return exponent < -4 || exponent >= digits
                ? scientific(value, digits - 1, true)
                : rounded.stripTrailingZeros().toPlainString();
    }

    private static String scientific(double value, int decimals, boolean stripped) {
        if (value == 0) {
            return (1 / value < 0 ? "-" : "") + "0.0000e+00";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(decimals + 1, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        BigDecimal mantissa = rounded.movePointLeft(exponent).setScale(decimals, RoundingMode.HALF_EVEN);
        String text = stripped ? mantissa.stripTrailingZeros().toPlainString() : mantissa.toPlainString();
        return text + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private static String typeName(DType type) {
        return switch (type) {
            case UINT8 -> "Byte";
            case INT8 -> "Char";
            case INT16 -> "Short";
            case INT32 -> "Int";
            case INT64 -> "Long";
            case FLOAT16 -> "Half";
            case FLOAT32 -> "Float";
            case FLOAT64 -> "Double";
            case COMPLEX32 -> "ComplexHalf";
            case COMPLEX64 -> "ComplexFloat";
            case COMPLEX128 -> "ComplexDouble";
            case BOOL -> "Bool";
            case QINT8 -> "QInt8";
            case QUINT8 -> "QUInt8";
            case QINT32 -> "QInt32";
            case BFLOAT16 -> "BFloat16";
            case QUINT4X2 -> "QUInt4x2";
            default -> type.torchName();
        };
    }
}
