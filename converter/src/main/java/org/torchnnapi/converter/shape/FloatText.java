package org.torchnnapi.converter.shape;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as Python and TorchScript write them. */
public final class FloatText {
    private FloatText() {}

    /** The shortest decimal that reads back as {@code value}, as Python's {@code repr} writes it. */
    public static String python(double value) {
        BigDecimal exact = new BigDecimal(value);
        BigDecimal shortest = exact;
        for (int digits = 1; digits <= 17; digits++) {
            shortest = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (shortest.doubleValue() == value) {
                break;
            }
        }
        String text = format(shortest, 16);
        return text.contains(".") || text.contains("e") ? text : text + ".0";
    }

    /** Seventeen significant digits without trailing zeros, as TorchScript's printer writes floats. */
    public static String torchScript(double value) {
        String text = format(new BigDecimal(value).round(new MathContext(17, RoundingMode.HALF_EVEN)), 17);
        return text.contains(".") || text.contains("e") ? text : text + ".";
    }

    /** Positional, or scientific with a two-digit exponent when the exponent is below -4 or at least {@code limit}. */
    private static String format(BigDecimal number, int limit) {
        if (number.signum() == 0) {
            return "0";
        }
        BigDecimal stripped = number.stripTrailingZeros();
        int exponent = stripped.precision() - stripped.scale() - 1;
        if (exponent >= -4 && exponent < limit) {
            return stripped.toPlainString();
        }
        String digits = stripped.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return (stripped.signum() < 0 ? "-" : "") + mantissa + "e" + (exponent < 0 ? "-" : "+")
                + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}
