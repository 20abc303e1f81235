package org.torchnnapi.torchscript.print;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Floats as TorchScript source writes them. */
public final class NumberText {
    private static final MathContext EXACT = new MathContext(17, RoundingMode.HALF_EVEN);

    private NumberText() {}

    /**
     * Seventeen significant digits without trailing zeros, always told apart from an int: {@code 3.},
     * {@code 0.10000000000000001}, {@code 1e+20}.
     */
    public static String of(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0." : "0.";
        }
        BigDecimal rounded = new BigDecimal(value).round(EXACT).stripTrailingZeros();
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < EXACT.getPrecision()) {
            String plain = rounded.toPlainString();
            return plain.indexOf('.') >= 0 ? plain : plain + ".";
        }
        String digits = rounded.unscaledValue().abs().toString();
        return (value < 0 ? "-" : "") + digits.charAt(0) + (digits.length() > 1 ? "." + digits.substring(1) : "") + "e"
                + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}
