package org.torchnnapi.cli.io;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;

/**
 * Inputs described in words: {@code float32[1,3,224,224]}, {@code quint8[1,3,224,224]@0.0078125,128}, {@code int16[1,8]@0.01}; sizes of 0 are set
 * at load, of -1 or {@code ?} at run; a trailing {@code :nhwc} flags a channels-last input. The type may be left out: float32.
 */
public final class InputText {
    private static final Pattern FORM = Pattern.compile(
        "(?<type>[a-z]+[0-9]*)?(?<open>\\[)?(?<dims>(-?[0-9]+|\\?)(,(-?[0-9]+|\\?))*)?(?<close>])?(@(?<scale>[-+.0-9eE]+)(,(?<zero>-?[0-9]+))?)?(?<nhwc>:nhwc)?");

    private InputText() {
    }

    /** Whether the text describes one tensor, rightly or not, and not another value. */
    public static boolean isPlain(String text) {
        String plain = text.replace(" ", "");
        return FORM.matcher(plain).matches() || !plain.matches("(?s)[\\[({\"].*|None|True|False|.*\\.(npy|jpe?g|png)");
    }

    /** @throws CommandFailure if the text is of another form */
    public static InputSpec parse(String text) {
        Matcher form = FORM.matcher(text.replace(" ", ""));
        if (!form.matches() || (form.group("open") == null) != (form.group("close") == null)) {
            throw new CommandFailure("input: " + text + " (expected: such as float32[1,3,224,224], quint8[1,8]@0.05,128 or float32[1,3,0,0]:nhwc)");
        }
        try {
            DType dtype = form.group("type") == null ? DType.FLOAT32 : DType.ofName(form.group("type"));
            int[] shape = form.group("dims") == null ? new int[0]
                : Arrays.stream(form.group("dims").split(",")).mapToInt(size -> size.equals("?") ? -1 : Integer.parseInt(size)).toArray();
            double scale = form.group("scale") == null ? 0 : Double.parseDouble(form.group("scale"));
            int zeroPoint = form.group("zero") == null ? 0 : Integer.parseInt(form.group("zero"));
            if (dtype.isQuantized() && !(scale > 0 && scale < Double.POSITIVE_INFINITY)) {
                throw new CommandFailure("input: " + text + " (expected: @scale,zero_point with a scale > 0 for a quantized type)");
            }
            if (dtype.isQuantized() && !holds(dtype, zeroPoint)) {
                throw new CommandFailure("input: " + text + " (expected: a zero point that is a " + dtype.torchName() + " value)");
            }
            OperandType int16 = dtype != DType.INT16 ? null : zeroPoint == 0 ? OperandType.TENSOR_QUANT16_SYMM : OperandType.TENSOR_QUANT16_ASYMM;
            return new InputSpec(dtype, shape, form.group("nhwc") != null, scale, zeroPoint, int16);
        } catch (NumberFormatException e) {
            throw new CommandFailure("input: " + text + " (expected: numbers within range)", e);
        }
    }

    private static boolean holds(DType dtype, int value) {
        return switch (dtype) {
            case QUINT8 -> value >= 0 && value <= 255;
            case QINT8 -> value >= -128 && value <= 127;
            default -> true;
        };
    }
}
