package org.torchnnapi.converter.shape;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * A shape program as TorchScript source: the class that PyTorch's compiler and printer make of the Python lines. Values
 * used once are written in place, and longer ones are given a name, as that printer does it.
 */
public final class TorchScriptShapeText {
    /** The printer names a part whose text and indentation together reach this many characters. */
    private static final int LONG_LINE = 40;

    private static final int INDENTATION = 4;
    private static final String INDENT = Strings.repeat(" ", INDENTATION);

    private final StringBuilder out = new StringBuilder();
    private final Map<SizeExpression.OperandSize, SizeExpression> aliases = new HashMap<>();
    private int temporaries;

    private TorchScriptShapeText() {}

    /**
     * Source of the class with its one method {@code prepare(ser_model, args)}.
     *
     * @param qualifiedName for example
     *     {@code __torch__.torch.backends._nnapi.prepare.___torch_mangle_4.ShapeComputeModule}
     */
    public static String classSource(ShapeProgram program, String qualifiedName) {
        TorchScriptShapeText text = new TorchScriptShapeText();
        text.out
                .append("class ")
                .append(qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1))
                .append("(Module):\n")
                .append("  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  _is_full_backward_hook : "
                        + "Optional[bool]\n")
                .append("  def prepare(self: ")
                .append(qualifiedName)
                .append(",\n")
                .append("    ser_model: Tensor,\n    args: List[Tensor]) -> List[Tensor]:\n");
        Set<SizeExpression.OperandSize> used = used(program);
        for (ShapeProgram.Step step : program.steps()) {
            text.step(step, used);
        }
        List<Part> templates = new ArrayList<>();
        for (ShapeProgram.Template template : program.templates()) {
            templates.add(text.template(template));
        }
        Part result = text.list(templates);
        text.split(List.of(result));
        text.line("return " + result.text);
        return text.out.toString();
    }

    /** An argument being printed: fixed text, or a value that may still be given a name. */
    private static final class Part {
        private String text;
        private boolean inline;

        Part(String text, boolean inline) {
            this.text = text;
            this.inline = inline;
        }
    }

    private void step(ShapeProgram.Step step, Set<SizeExpression.OperandSize> used) {
        if (step instanceof ShapeProgram.Assign assign) {
            if (assign.value() instanceof SizeExpression.OperandSize
                    || assign.value() instanceof SizeExpression.Number) {
                aliases.put(assign.target(), assign.value());
            } else if (used.contains(assign.target())) {
                line(assign.target().name() + " = " + expression(assign.value()).text);
            }
        } else if (step instanceof ShapeProgram.RequireEqual equal) {
            Part condition = call("torch.eq", expression(equal.left()), expression(equal.right()));
            split(List.of(condition));
            line("if " + condition.text + ":");
            line("  pass");
            line("else:");
            line("  ops.prim.RaiseException(\"AssertionError: \")");
        } else if (step instanceof ShapeProgram.Store store) {
            String word = name("torch.select(ser_model, 0, " + store.word() + ")");
            String value = name("torch.tensor(" + expression(store.value()).text + ", dtype=ops.prim.dtype(" + word
                    + "), device=ops.prim.device(" + word + "))");
            name("torch.copy_(" + word + ", " + value + ")");
        }
    }

    private Part expression(SizeExpression e) {
        if (e instanceof SizeExpression.ArgumentSize a) {
            return new Part("(torch.size(args[" + a.argument() + "]))[" + a.dimension() + "]", true);
        }
        if (e instanceof SizeExpression.OperandSize o) {
            SizeExpression alias = aliases.get(o);
            return alias == null ? fixed(o.name()) : expression(alias);
        }
        if (e instanceof SizeExpression.Number n) {
            return fixed(String.valueOf(n.value()));
        }
        if (e instanceof SizeExpression.Sum sum) {
            Part total = expression(sum.terms().get(0));
            for (SizeExpression term : sum.terms().subList(1, sum.terms().size())) {
                total = call("torch.add", total, expression(term));
            }
            return total;
        }
        if (e instanceof SizeExpression.WindowCount w) {
            Part room = call("torch.sub", expression(w.size()), number(w.kernel()));
            room = call("torch.add", room, number(w.padBefore()));
            room = call("torch.add", room, number(w.padAfter()));
            return call("torch.add", call("torch.floordiv", room, number(w.stride())), number(1));
        }
        if (e instanceof SizeExpression.WindowExtent w) {
            Part steps = call("torch.mul", call("torch.sub", expression(w.size()), number(1)), number(w.stride()));
            Part extent = call("torch.add", steps, number(w.kernel()));
            extent = call("torch.sub", extent, number(w.padBefore()));
            return call("torch.sub", extent, number(w.padAfter()));
        }
        SizeExpression.Scaled scaled = (SizeExpression.Scaled) e;
        return call("int", call("torch.mul", fixed(FloatText.torchScript(scaled.factor())), expression(scaled.size())));
    }

    private Part template(ShapeProgram.Template template) {
        List<Part> sizes = template.sizes().stream().map(this::expression).collect(Streams.toList());
        Part shape = sizes.isEmpty() ? fixed("annotate(List[int], [])") : list(sizes);
        if (template.dtype() != DType.QUINT8) {
            return call("torch.zeros", shape, fixed("dtype=" + template.dtype().code()));
        }
        Part zero = call(
                "torch.quantize_per_tensor",
                call("torch.zeros", list(List.of(number(1)))),
                fixed(FloatText.torchScript(template.scale())),
                number(template.zeroPoint()),
                number(DType.QUINT8.code()));
        return call("torch.contiguous", call("torch.expand", zero, shape));
    }

    private Part call(String function, Part... arguments) {
        split(List.of(arguments));
        return new Part(function + "(" + joined(List.of(arguments)) + ")", true);
    }

    private Part list(List<Part> items) {
        split(items);
        return new Part("[" + joined(items) + "]", true);
    }

    private static String joined(List<Part> parts) {
        return String.join(", ", parts.stream().map(part -> part.text).collect(Streams.toList()));
    }

    /** Names the arguments up to the last one that is too long; those after it stay in place. */
    private void split(List<Part> arguments) {
        int end = 0;
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).inline && arguments.get(i).text.length() + INDENTATION >= LONG_LINE) {
                end = i + 1;
            }
        }
        for (Part part : arguments.subList(0, end)) {
            if (part.inline) {
                part.text = name(part.text);
                part.inline = false;
            }
        }
    }

    private String name(String expression) {
        String name = "_" + temporaries++;
        line(name + " = " + expression);
        return name;
    }

    private void line(String text) {
        out.append(INDENT).append(text).append('\n');
    }

    private static Part number(long value) {
        return fixed(String.valueOf(value));
    }

    private static Part fixed(String text) {
        return new Part(text, false);
    }

    /** Variables that a store, a check or a template needs, directly or through others. */
    private static Set<SizeExpression.OperandSize> used(ShapeProgram program) {
        Set<SizeExpression.OperandSize> used = new HashSet<>();
        program.templates().forEach(template -> template.sizes().forEach(size -> addUses(size, used)));
        for (int i = program.steps().size() - 1; i >= 0; i--) {
            ShapeProgram.Step step = program.steps().get(i);
            if (step instanceof ShapeProgram.Store store) {
                used.add(store.value());
            } else if (step instanceof ShapeProgram.RequireEqual equal) {
                used.add(equal.left());
                addUses(equal.right(), used);
            } else if (step instanceof ShapeProgram.Assign assign && used.contains(assign.target())) {
                addUses(assign.value(), used);
            }
        }
        return used;
    }

    private static void addUses(SizeExpression e, Set<SizeExpression.OperandSize> used) {
        if (e instanceof SizeExpression.OperandSize o) {
            used.add(o);
        } else if (e instanceof SizeExpression.Sum sum) {
            sum.terms().forEach(term -> addUses(term, used));
        } else if (e instanceof SizeExpression.WindowCount w) {
            used.add(w.size());
        } else if (e instanceof SizeExpression.WindowExtent w) {
            used.add(w.size());
        } else if (e instanceof SizeExpression.Scaled scaled) {
            used.add(scaled.size());
        }
    }
}
