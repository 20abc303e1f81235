package org.torchnnapi.converter.emit;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * The class of a converted module that allocates its outputs, as TorchScript source: what PyTorch's printer makes of
 * the class in its converter. Values used once are written in place, and longer ones are given a name, as that printer
 * does it.
 */
final class OutputTemplateText {
    /** The printer names a part whose text and indentation together reach this many characters. */
    private static final int LONG_LINE = 40;

    private static final int INDENTATION = 4;
    private static final String INDENT = Strings.repeat(" ", INDENTATION);

    private final StringBuilder out = new StringBuilder();
    private int temporaries;

    private OutputTemplateText() {}

    /**
     * Source of the class with its one method {@code prepare(ser_model, args)}.
     *
     * @param qualifiedName for example
     *     {@code __torch__.torch.backends._nnapi.prepare.___torch_mangle_4.ShapeComputeModule}
     */
    static String classSource(List<OutputTemplate> templates, String qualifiedName) {
        OutputTemplateText text = new OutputTemplateText();
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
        Part result = text.list(templates.stream().map(text::template).collect(Streams.toList()));
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

    private Part template(OutputTemplate template) {
        Part shape = template.sizes().length == 0
                ? fixed("annotate(List[int], [])")
                : list(Arrays.stream(template.sizes())
                        .mapToObj(OutputTemplateText::number)
                        .collect(Streams.toList()));
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

    private static Part number(int value) {
        return fixed(String.valueOf(value));
    }

    private static Part fixed(String text) {
        return new Part(text, false);
    }
}
