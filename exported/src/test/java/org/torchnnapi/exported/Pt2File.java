package org.torchnnapi.exported;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.value.CustomClasses;

/** Writes archives of torch.export for tests, as PyTorch 2.8 and later do. Quotes in texts are written as {@code '}. */
public final class Pt2File {
    private final Map<String, byte[]> entries = new LinkedHashMap<>();
    private final List<String> inputs = new ArrayList<>();
    private final List<String> specs = new ArrayList<>();
    private final List<String> nodes = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private final List<String> outputSpecs = new ArrayList<>();
    private final List<String> tensors = new ArrayList<>();
    private final List<String> weights = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private String ranges = "";
    private String guards = "";
    private String outSpec = "{'type': null, 'context': null, 'children_spec': []}";
    private int users;

    private final String program;

    Pt2File() {
        this("model");
    }

    /** @param program what it is called in the archive */
    Pt2File(String program) {
        this.program = program;
        entry("archive_format", "pt2");
        entry("archive_version", "0");
        entry("byteorder", "little");
    }

    Pt2File entry(String name, String text) {
        entries.put("net/" + name, text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** A tensor among the arguments; each size is a number or a symbol's expression. */
    Pt2File argument(String name, Object... sizes) {
        inputs.add("{'as_tensor': {'name': '" + name + "'}}");
        specs.add("{'user_input': {'arg': {'as_tensor': {'name': '" + name + "'}}}}");
        names.add("'" + name + "'");
        users++;
        return meta(name, sizes);
    }

    Pt2File meta(String name, Object... sizes) {
        tensors.add("'" + name + "': " + tensorMeta(sizes));
        return this;
    }

    private static String tensorMeta(Object... sizes) {
        List<String> shown = new ArrayList<>();
        List<String> strides = new ArrayList<>();
        long stride = 1;
        for (int i = sizes.length - 1; i >= 0; i--) {
            Object size = sizes[i];
            shown.add(
                    0,
                    size instanceof Integer
                            ? "{'as_int': " + size + "}"
                            : "{'as_expr': {'expr_str': \"" + size + "\", 'hint': null}}");
            strides.add(0, "{'as_int': " + stride + "}");
            stride *= size instanceof Integer number ? number : 1;
        }
        return "{'dtype': 7, 'sizes': " + shown + ", 'strides': " + strides
                + ", 'storage_offset': {'as_int': 0}, 'layout': 7}";
    }

    /** A parameter or buffer, of these elements. */
    Pt2File weight(String kind, String name, int[] sizes, float... elements) {
        String graphName = "w_" + name.replace('.', '_');
        inputs.add("{'as_tensor': {'name': '" + graphName + "'}}");
        specs.add("{'" + kind + "': {'arg': {'name': '" + graphName + "'}, '" + kind + "_name': '" + name + "'"
                + (kind.equals("buffer") ? ", 'persistent': true" : "") + "}}");
        Object[] boxed = new Object[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            boxed[i] = sizes[i];
        }
        String payload = (program.equals("model") ? "" : program + "_") + "weight_" + weights.size();
        weights.add("'" + name + "': {'path_name': '" + payload + "', 'use_pickle': false, 'tensor_meta': "
                + tensorMeta(boxed) + "}");
        ByteBuffer bytes = ByteBuffer.allocate(4 * elements.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float element : elements) {
            bytes.putFloat(element);
        }
        entries.put("net/data/weights/" + payload, bytes.array());
        return this;
    }

    /** A parameter that is a file of torch.save. */
    Pt2File pickled(String name, byte[] file) {
        String graphName = "w_" + name.replace('.', '_');
        inputs.add(tensor(graphName));
        specs.add("{'parameter': {'arg': {'name': '" + graphName + "'}, 'parameter_name': '" + name + "'}}");
        String payload = "weight_" + weights.size();
        weights.add("'" + name + "': {'path_name': '" + payload + "', 'use_pickle': true, 'tensor_meta': null}");
        entries.put("net/data/weights/" + payload, file);
        return this;
    }

    /** A node: arguments are name and value in turns. */
    Pt2File node(String target, String outputs, String... arguments) {
        nodes.add(nodeText(target, outputs, arguments));
        return this;
    }

    static String nodeText(String target, String outputs, String... arguments) {
        List<String> inputs = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            inputs.add("{'name': '" + arguments[i] + "', 'arg': " + arguments[i + 1] + ", 'kind': 1}");
        }
        return "{'target': '" + target + "', 'inputs': " + inputs + ", 'outputs': [" + outputs
                + "], 'metadata': {'stack_trace': '  File \\\"net.py\\\", line 7, in forward\\n    return x', "
                + "'nn_module_stack': 'L__self__,,net.Net;a,a,net.Part'}}";
    }

    static String tensor(String name) {
        return "{'as_tensor': {'name': '" + name + "'}}";
    }

    Pt2File result(String name) {
        outputs.add(tensor(name));
        outputSpecs.add("{'user_output': {'arg': " + tensor(name) + "}}");
        return this;
    }

    Pt2File bufferMutation(String name, String buffer) {
        outputs.add(tensor(name));
        outputSpecs.add("{'buffer_mutation': {'arg': {'name': '" + name + "'}, 'buffer_name': '" + buffer + "'}}");
        return this;
    }

    Pt2File range(String text) {
        ranges = text;
        return this;
    }

    Pt2File guard(String text) {
        guards = "\"" + text + "\"";
        return this;
    }

    Pt2File outSpec(String tree) {
        outSpec = tree;
        return this;
    }

    static String leaf() {
        return "{'type': null, 'context': null, 'children_spec': []}";
    }

    /** Adds another program to the archive, behind this one as it is now. */
    Pt2File beside(Pt2File other) {
        bytes();
        other.bytes();
        other.entries.forEach(entries::putIfAbsent);
        return this;
    }

    byte[] bytes() {
        List<String> leaves = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            leaves.add(leaf());
        }
        String inSpec =
                "[1, {'type': 'builtins.tuple', 'context': 'null', 'children_spec': [{'type': 'builtins.tuple', "
                        + "'context': 'null', 'children_spec': " + leaves
                        + "}, {'type': 'builtins.dict', 'context': '[]', "
                        + "'children_spec': []}]}]";
        String text = "{'graph_module': {'graph': {'inputs': " + inputs + ", 'outputs': " + outputs + ", 'nodes': "
                + nodes + ", 'tensor_values': {" + String.join(", ", tensors) + "}}, 'signature': {'input_specs': "
                + specs
                + ", 'output_specs': " + outputSpecs + "}, 'module_call_graph': [{'fqn': '', 'signature': {'in_spec': "
                + quoted(inSpec) + ", 'out_spec': " + quoted("[1, " + outSpec + "]") + ", 'forward_arg_names': " + names
                + "}}]}, 'schema_version': {'major': 8, 'minor': 20}, 'range_constraints': {" + ranges
                + "}, 'guards_code': [" + guards + "]}";
        entries.putIfAbsent("net/models/" + program + ".json", json(text).getBytes(StandardCharsets.UTF_8));
        entries.putIfAbsent(
                "net/data/weights/" + program + "_weights_config.json",
                json("{'config': {" + String.join(", ", weights) + "}}").getBytes(StandardCharsets.UTF_8));
        entries.putIfAbsent(
                "net/data/constants/" + program + "_constants_config.json",
                "{\"config\": {}}".getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** The text of a text that holds JSON. */
    private static String quoted(String text) {
        return "\"" + text.replace("'", "\\\"") + "\"";
    }

    /** JSON of a text with single quotes, but for those inside of double ones. */
    static String json(String text) {
        StringBuilder made = new StringBuilder();
        boolean inside = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                made.append(c).append(text.charAt(++i));
            } else if (c == '"') {
                inside = !inside;
                made.append(c);
            } else {
                made.append(c == '\'' && !inside ? '"' : c);
            }
        }
        return made.toString();
    }

    ScriptModule load() {
        return load(bytes());
    }

    public static ScriptModule load(byte[] bytes) {
        return ScriptModule.of(ModuleSource.of(ByteBuffer.wrap(bytes)), ScriptRuntime.standard(CustomClasses.NONE));
    }
}
