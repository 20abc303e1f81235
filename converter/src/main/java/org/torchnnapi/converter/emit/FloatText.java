package org.torchnnapi.converter.emit;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as TorchScript writes them. */
final class FloatText {
    private static final int DIGITS = 17;

    private FloatText() {}

    /** Seventeen significant digits without trailing zeros, as TorchScript's printer writes floats. */
    static String torchScript(double value) {
        String text = format(new BigDecimal(value).round(new MathContext(DIGITS, RoundingMode.HALF_EVEN)));
        return text.contains(".") || text.contains("e") ? text : text + ".";
    }

    /** Positional, or scientific with a two-digit exponent when the exponent is below -4 or at least 17. */
    private static String format(BigDecimal number) {
        if (number.signum() == 0) {
            return "0";
        }
        BigDecimal stripped = number.stripTrailingZeros();
        int exponent = stripped.precision() - stripped.scale() - 1;
        if (exponent >= -4 && exponent < DIGITS) {
            return stripped.toPlainString();
        }
        String digits = stripped.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return (stripped.signum() < 0 ? "-" : "") + mantissa + "e" + (exponent < 0 ? "-" : "+")
                + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}
