package org.torchnnapi.converter.input;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.tensor.DType;

/** The form of {@link InputSpec#parse}. */
final class SpecText {
    private static final Pattern FORM = Pattern.compile(
            "(?<type>[a-z]+[0-9]*)?(?<open>\\[)?(?<dims>(-?[0-9]+|\\?)(,(-?[0-9]+|\\?))*)?(?<close>])?(@(?<scale>[-+."
                    + "0-9eE]+)(,(?<zero>-?[0-9]+))?)?(?<nhwc>:nhwc)?");

    private SpecText() {}

    static boolean matches(String text) {
        return FORM.matcher(text.replace(" ", "")).matches();
    }

    static InputSpec parse(String text) {
        Matcher form = FORM.matcher(text.replace(" ", ""));
        if (!form.matches() || (form.group("open") == null) != (form.group("close") == null)) {
            throw new IllegalArgumentException("input: " + text
                    + " (expected: such as float32[1,3,224,224], quint8[1,8]@0.05,128 or float32[1,3,0,0]:nhwc)");
        }
        try {
            DType dtype = form.group("type") == null ? DType.FLOAT32 : type(form.group("type"));
            int[] shape = form.group("dims") == null
                    ? new int[0]
                    : Arrays.stream(form.group("dims").split(","))
                            .mapToInt(size -> size.equals("?") ? -1 : Integer.parseInt(size))
                            .toArray();
            double scale = form.group("scale") == null ? 0 : Double.parseDouble(form.group("scale"));
            int zeroPoint = form.group("zero") == null ? 0 : Integer.parseInt(form.group("zero"));
            if (dtype.isQuantized() && !(scale > 0 && scale < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "input: " + text + " (expected: @scale,zero_point with a scale > 0 for a quantized type)");
            }
            if (dtype.isQuantized() && !holds(dtype, zeroPoint)) {
                throw new IllegalArgumentException(
                        "input: " + text + " (expected: a zero point that is a " + dtype.torchName() + " value)");
            }
            return new InputSpec(dtype, shape, form.group("nhwc") != null, scale, zeroPoint);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("input: " + text + " (expected: numbers within range)", e);
        }
    }

    /** By PyTorch's name, or that which C and {@code speed_benchmark_torch} have. */
    private static DType type(String word) {
        return word.equals("float") ? DType.FLOAT32 : DType.ofName(word);
    }

    private static boolean holds(DType dtype, int value) {
        return switch (dtype) {
            case QUINT8 -> value >= 0 && value <= 255;
            case QINT8 -> value >= -128 && value <= 127;
            default -> true;
        };
    }
}
