package org.torchnnapi.converter.shape;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A shape program as the Python lines that PyTorch's converter generates for it. */
public final class PythonShapeText {
    private PythonShapeText() {}

    /** Body lines of {@code prepare(self, ser_model, args)}, not indented. */
    public static List<String> lines(ShapeProgram program) {
        List<String> lines = new ArrayList<>();
        for (ShapeProgram.Step step : program.steps()) {
            lines.add(line(step));
        }
        lines.add("return [");
        for (ShapeProgram.Template template : program.templates()) {
            lines.add(template(template) + ",");
        }
        lines.add("]");
        return lines;
    }

    private static String line(ShapeProgram.Step step) {
        if (step instanceof ShapeProgram.Assign assign) {
            return assign.target().name() + " = " + expression(assign.value());
        }
        if (step instanceof ShapeProgram.RequireEqual equal) {
            return "assert " + equal.left().name() + " == " + expression(equal.right());
        }
        ShapeProgram.Store store = (ShapeProgram.Store) step;
        return "ser_model[" + store.word() + "] = " + store.value().name();
    }

    private static String expression(SizeExpression e) {
        if (e instanceof SizeExpression.ArgumentSize a) {
            return "args[" + a.argument() + "].shape[" + a.dimension() + "]";
        }
        if (e instanceof SizeExpression.OperandSize o) {
            return o.name();
        }
        if (e instanceof SizeExpression.Number n) {
            return String.valueOf(n.value());
        }
        if (e instanceof SizeExpression.Sum sum) {
            return sum.terms().stream().map(PythonShapeText::expression).collect(Collectors.joining(" + "));
        }
        if (e instanceof SizeExpression.WindowCount w) {
            return "(" + w.size().name() + " - " + w.kernel() + " + " + w.padBefore() + " + " + w.padAfter() + ") // "
                    + w.stride() + " + 1";
        }
        if (e instanceof SizeExpression.WindowExtent w) {
            return "(" + w.size().name() + " - 1) * " + w.stride() + " + " + w.kernel() + " - " + w.padBefore() + " - "
                    + w.padAfter();
        }
        SizeExpression.Scaled scaled = (SizeExpression.Scaled) e;
        return "int(" + FloatText.python(scaled.factor()) + " * "
                + scaled.size().name() + ")";
    }

    private static String template(ShapeProgram.Template template) {
        String shape =
                template.sizes().stream().map(size -> expression(size) + ",").collect(Collectors.joining("", "(", ")"));
        return switch (template.dtype()) {
            case QUINT8 ->
                "torch.quantize_per_tensor(torch.zeros(1), scale=" + FloatText.python(template.scale())
                        + ", zero_point=" + template.zeroPoint() + ", dtype=torch.quint8).expand(" + shape
                        + ").contiguous()";
            default ->
                "torch.zeros(" + shape + ", dtype=torch." + template.dtype().torchName() + ")";
        };
    }
}
