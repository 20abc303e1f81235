package org.torchnnapi.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.torchnnapi.torchscript.archive.ArchiveWriter;

/** Archives of torch.export with one program: relu of an argument {@code x}, rows by two. */
final class TinyProgram {
    private static final String LEAF = "{'type': null, 'context': null, 'children_spec': []}";
    private static final String TUPLE = "{'type': 'builtins.tuple', 'context': 'null', 'children_spec': [";

    private TinyProgram() {}

    /** @param rows the first size, in JSON: a number or a symbol's expression */
    static void write(Path file, String rows, Map<String, byte[]> others) throws IOException {
        String program = """
                {'graph_module': {'graph': {'inputs': [{'as_tensor': {'name': 'x'}}],
                  'outputs': [{'as_tensor': {'name': 'y'}}],
                  'nodes': [{'target': 'torch.ops.aten.relu.default',
                    'inputs': [{'name': 'self', 'arg': {'as_tensor': {'name': 'x'}}}],
                    'outputs': [{'as_tensor': {'name': 'y'}}], 'metadata': {}}],
                  'tensor_values': {'x': {'dtype': 7, 'layout': 7, 'sizes': [ROWS, {'as_int': 2}],
                    'strides': [{'as_int': 2}, {'as_int': 1}], 'storage_offset': {'as_int': 0}}}},
                 'signature': {
                  'input_specs': [{'user_input': {'arg': {'as_tensor': {'name': 'x'}}}}],
                  'output_specs': [{'user_output': {'arg': {'as_tensor': {'name': 'y'}}}}]},
                 'module_call_graph': [{'fqn': '', 'signature': {'in_spec': IN, 'out_spec': OUT,
                  'forward_arg_names': ['x']}}]},
                 'schema_version': {'major': 8, 'minor': 20},
                 'range_constraints': {'s0': {'min_val': 2, 'max_val': 64}}, 'guards_code': []}
                """.replace(
                        "IN",
                        text("[1, " + TUPLE + TUPLE + LEAF + "]}, {'type': 'builtins.dict', "
                                + "'context': '[]', 'children_spec': []}]}]"))
                .replace("OUT", text("[1, " + LEAF + "]"));
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put("archive_format", bytes("pt2"));
        entries.put("archive_version", bytes("0"));
        entries.put("models/model.json", bytes(program.replace('\'', '"').replace("ROWS", rows)));
        for (String kind : new String[] {"weights", "constants"}) {
            entries.put("data/" + kind + "/model_" + kind + "_config.json", bytes("{\"config\": {}}"));
        }
        entries.putAll(others);
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry("net/" + entry.getKey()));
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        }
    }

    /** A file of torch.save. */
    static byte[] saved(Object value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("archive", 3).data(value).write(out);
        return out.toByteArray();
    }

    /** A text in JSON that holds JSON. */
    private static String text(String json) {
        return "'" + json.replace("'", "\\'") + "'";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
