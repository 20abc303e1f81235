package org.torchnnapi.converter.emit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.tensor.platform.InputStreams;

/**
 * TorchScript source of a converted module: the classes that PyTorch 1.13 writes for one, in the same files, so that
 * its loader and tools take ours for its own.
 */
final class ModuleSources {
    static final String PACKAGE = "__torch__.torch.backends._nnapi.prepare";
    static final String INTERFACE = PACKAGE + ".NnapiInterfaceWrapper";
    static final String MODULE = PACKAGE + ".NnapiModule";
    /** Has {@code Compilation}, by which a converted module runs. */
    static final String COMPILATIONS = "__torch__.torch.classes._nnapi";
    /**
     * The same of this library, for files that PyTorch's own cannot run: it refuses them as it loads them, naming this
     * class.
     */
    static final String OWN_COMPILATIONS = "__torch__.torch.classes.torch_nnapi";
    /** The attribute that says so to people. */
    static final String RUNTIME = "runtime";

    static final String OWN_RUNTIME = "torch-nnapi";
    private static final String LAST_ATTRIBUTE = "  relax_f32_to_f16 : bool\n";
    /** The name PyTorch gives this class in the first conversion of a process. */
    static final String SHAPES = PACKAGE + ".___torch_mangle_4.ShapeComputeModule";

    /** The printer names a value whose text is at least this long, at the indentation of a method body. */
    private static final int LONG_VALUE = 36;

    private static final Pattern TEMPORARY = Pattern.compile("(?<![A-Za-z0-9_])_(\\d+)(?![A-Za-z0-9_])");

    private ModuleSources() {}

    /** Record names to texts. */
    static Map<String, String> of(LoweredModel model) {
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put(record(PACKAGE), interfaceWrapper(model));
        sources.put(
                record(SHAPES.substring(0, SHAPES.lastIndexOf('.'))),
                OutputTemplateText.classSource(model.model().templates(), SHAPES));
        sources.put(record(COMPILATIONS), "");
        return sources;
    }

    /**
     * Sources of one of several NNAPI models of a module, whose classes have names of their own.
     *
     * @param own whether only this library's runtime takes the model
     */
    static Map<String, String> segment(String module, String shapeModule, List<OutputTemplate> templates, boolean own) {
        Map<String, String> sources = new LinkedHashMap<>();
        String source =
                resource("NnapiModule.torchscript").replace(MODULE, module).replace(SHAPES, shapeModule);
        if (own) {
            source = source.replace(COMPILATIONS, OWN_COMPILATIONS)
                    .replace(LAST_ATTRIBUTE, LAST_ATTRIBUTE + "  " + RUNTIME + " : str\n");
        }
        sources.put(record(module.substring(0, module.lastIndexOf('.'))), source);
        sources.put(
                record(shapeModule.substring(0, shapeModule.lastIndexOf('.'))),
                OutputTemplateText.classSource(templates, shapeModule));
        return sources;
    }

    /** The same of a model whose sizes are open. */
    static Map<String, String> openSegment(String module, String shapeModule, OpenShapes shapes, int inputs) {
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put(
                record(module.substring(0, module.lastIndexOf('.'))),
                resource("OpenNnapiModule.torchscript").replace(MODULE, module).replace(SHAPES, shapeModule));
        sources.put(
                record(shapeModule.substring(0, shapeModule.lastIndexOf('.'))),
                OpenShapeText.classSource(shapes, inputs, shapeModule));
        return sources;
    }

    /** The record of a package, for example {@code code/__torch__/net.py}. */
    static String record(String packageName) {
        return "code/" + packageName.replace('.', '/') + ".py";
    }

    /** Type of the wrapper's result. */
    static String resultType(LoweredModel model) {
        int outputs = model.returned().size();
        return switch (model.results()) {
            case TENSOR -> "Tensor";
            case TUPLE -> "Tuple[" + String.join(", ", Collections.nCopies(outputs, "Tensor")) + "]";
            case LIST -> "List[Tensor]";
        };
    }

    private static String interfaceWrapper(LoweredModel model) {
        List<String> arguments = new ArrayList<>();
        List<String> results = new ArrayList<>();
        StringBuilder out = new StringBuilder(classHead("NnapiInterfaceWrapper", "Optional[bool]"))
                .append("  mod : ")
                .append(MODULE)
                .append('\n')
                .append("  def forward(self: ")
                .append(INTERFACE);
        for (int i = 0; i < model.inputLayouts().size(); i++) {
            arguments.add("arg_" + i);
            out.append(",\n    arg_").append(i).append(": Tensor");
        }
        for (LoweredModel.Returned returned : model.returned()) {
            results.add(returned.isArgument() ? "arg_" + returned.index() : "retvals[" + returned.index() + "]");
        }
        out.append(") -> ").append(resultType(model)).append(":\n    mod = self.mod\n");
        int temporaries = 0;
        String list = "[" + String.join(", ", arguments) + "]";
        if (list.length() >= LONG_VALUE) {
            out.append("    _0 = ").append(list).append('\n');
            list = "_" + temporaries++;
        }
        out.append("    retvals = (mod).forward(").append(list).append(", )\n");
        String returned = switch (model.results()) {
            case TENSOR -> results.get(0);
            case TUPLE -> "(" + String.join(", ", results) + (results.size() == 1 ? ",)" : ")");
            case LIST -> model.returnsOutputsOnly() ? "retvals" : results.toString();
        };
        if (returned.length() >= LONG_VALUE) {
            out.append("    _")
                    .append(temporaries)
                    .append(" = ")
                    .append(returned)
                    .append('\n');
            returned = "_" + temporaries++;
        }
        out.append("    return ").append(returned).append('\n');
        return out.append(renumbered(resource("NnapiModule.torchscript"), temporaries))
                .toString();
    }

    /** Header lines that every module class has. */
    static String classHead(String name, String hookType) {
        return "class " + name + "(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                + "  _is_full_backward_hook : " + hookType + "\n";
    }

    /** Unnamed values are numbered through a whole file. */
    private static String renumbered(String text, int by) {
        if (by == 0) {
            return text;
        }
        Matcher matcher = TEMPORARY.matcher(text);
        StringBuffer renumbered = new StringBuffer();
        while (matcher.find()) {
            matcher.appendReplacement(renumbered, "_" + (Integer.parseInt(matcher.group(1)) + by));
        }
        return matcher.appendTail(renumbered).toString();
    }

    private static String resource(String name) {
        try (InputStream in = ModuleSources.class.getResourceAsStream(name)) {
            return new String(InputStreams.readAll(in), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
