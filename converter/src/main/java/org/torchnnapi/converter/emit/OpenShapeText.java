package org.torchnnapi.converter.emit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;

/**
 * TorchScript source of the class that writes sizes into a serialized model, in the place of PyTorch's: {@code prepare}
 * does so and returns what the model's results look like, {@code tables} returns the weights, of which some are made
 * anew. Its arguments are those of the NNAPI model and, behind them, those of the whole module, whose sizes are read.
 */
final class OpenShapeText {
    private final OpenShapes shapes;
    private final int inputs;
    private final StringBuilder out = new StringBuilder();
    private final Map<Formula, String> names = new LinkedHashMap<>();
    private int reals;

    private OpenShapeText(OpenShapes shapes, int inputs) {
        this.shapes = shapes;
        this.inputs = inputs;
    }

    /** @param inputs how many tensors the NNAPI model takes */
    static String classSource(OpenShapes shapes, int inputs, String qualifiedName) {
        return new OpenShapeText(shapes, inputs).run(qualifiedName);
    }

    private String run(String qualifiedName) {
        out.append(
                ModuleSources.classHead(qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1), "Optional[bool]"));
        out.append("  def prepare(self: ")
                .append(qualifiedName)
                .append(",\n    ser_model: Tensor,\n    args: List[Tensor]) -> List[Tensor]:\n");
        Map<Integer, Formula> words = new TreeMap<>(shapes.words());
        store(
                new ArrayList<>(words.keySet()),
                words.values().stream().map(this::name).collect(Streams.toList()),
                "");
        Map<Integer, RealFormula> reals = new TreeMap<>(shapes.reals());
        store(
                new ArrayList<>(reals.keySet()),
                reals.values().stream().map(this::bits).collect(Streams.toList()),
                "r");
        List<String> results = shapes.results().stream().map(this::result).collect(Streams.toList());
        line("return [" + String.join(", ", results) + "]");
        names.clear();
        out.append("  def tables(self: ")
                .append(qualifiedName)
                .append(",\n    weights: List[Tensor],\n    args: List[Tensor]) -> List[Tensor]:\n");
        if (!shapes.fills().isEmpty()) {
            line("made = torch.list(weights)");
            new TreeMap<>(shapes.fills()).forEach((buffer, fill) -> {
                String sizes = list(fill.sizes().stream().map(this::name).collect(Streams.toList()));
                line("first" + buffer + " = torch.slice(torch.reshape(weights[" + buffer + "], [-1]), 0, 0, 1)");
                line("fill" + buffer + " = torch.contiguous(torch.expand(torch.reshape(first" + buffer + ", "
                        + list(Collections.nCopies(fill.sizes().size(), "1")) + "), " + sizes + "))");
                line("_f" + buffer + " = torch._set_item(made, " + buffer + ", fill" + buffer + ")");
            });
            line("return made");
        } else {
            line("return weights");
        }
        return out.toString();
    }

    private void store(List<Integer> places, List<String> values, String mark) {
        if (places.isEmpty()) {
            return;
        }
        line("places" + mark + " = torch.tensor(" + places + ", dtype=" + DType.INT64.code() + ")");
        line("values" + mark + " = torch.tensor(" + list(values) + ", dtype=" + DType.INT32.code() + ")");
        line("_s" + mark + " = torch.index_copy_(ser_model, 0, places" + mark + ", values" + mark + ")");
    }

    private static String list(List<String> items) {
        return "[" + String.join(", ", items) + "]";
    }

    /**
     * The bits of a float32 as a number, made of its parts: PyTorch's TorchScript has no view of elements as those of
     * another type.
     */
    private String bits(RealFormula real) {
        String number = String.valueOf(reals++);
        line("r" + number + " = float(torch.tensor(" + real(real) + ", dtype=" + DType.FLOAT32.code() + "))");
        line("m" + number + ", e" + number + " = torch.frexp(ops.prim.abs(r" + number + "))");
        line("b" + number + " = torch.add(torch.mul(torch.add(e" + number + ", 125), 8388608), int(torch.mul(m" + number
                + ", 16777216.)))");
        return "torch.sub(torch.mul(b" + number + ", int(torch.ne(r" + number
                + ", 0.))), torch.mul(2147483648, int(torch.lt(r" + number + ", 0.))))";
    }

    private String real(RealFormula real) {
        String of = "float(" + name(real.of()) + ")";
        String factor = FloatText.torchScript(real.factor());
        return real.divides() ? "torch.div(" + factor + ", " + of + ")" : "torch.mul(" + factor + ", " + of + ")";
    }

    private String result(OpenShapes.Result result) {
        String sizes = list(result.sizes().stream().map(this::name).collect(Streams.toList()));
        if (result.dtype() != DType.QUINT8) {
            return "torch.zeros(" + sizes + ", dtype=" + result.dtype().code() + ")";
        }
        return "torch.quantize_per_tensor(torch.zeros(" + sizes + "), " + FloatText.torchScript(result.scale()) + ", "
                + result.zeroPoint() + ", " + DType.QUINT8.code() + ")";
    }

    /** The variable that holds the value, or the number. */
    private String name(Formula formula) {
        if (formula instanceof Formula.Number number) {
            return String.valueOf(number.value());
        }
        String known = names.get(formula);
        if (known != null) {
            return known;
        }
        String text;
        if (formula instanceof Formula.OpenSize size) {
            OpenShapes.OpenSize read = shapes.sizes().get(size.index());
            text = "(torch.size(args[" + (inputs + read.argument()) + "]))[" + read.dimension() + "]";
        } else if (formula instanceof Formula.Sum sum) {
            text = "torch.add(" + name(sum.left()) + ", " + name(sum.right()) + ")";
        } else if (formula instanceof Formula.Product product) {
            text = "torch.mul(" + name(product.left()) + ", " + name(product.right()) + ")";
        } else {
            Formula.Quotient quotient = (Formula.Quotient) formula;
            text = "torch.floordiv(" + name(quotient.dividend()) + ", " + quotient.divisor() + ")";
        }
        String name = "n" + names.size();
        line(name + " = " + text);
        names.put(formula, name);
        return name;
    }

    private void line(String text) {
        out.append("    ").append(text).append('\n');
    }
}
