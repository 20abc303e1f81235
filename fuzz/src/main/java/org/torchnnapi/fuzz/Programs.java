package org.torchnnapi.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Archives of torch.export, put together of their parts. */
final class Programs {
    private Programs() {}

    /**
     * As PyTorch 2.8 and later write them.
     *
     * @param program its JSON
     * @param weights the table of its weights, of three entries
     */
    static byte[] archive(byte[] program, byte[] weights) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put("net/archive_format", bytes("pt2"));
        entries.put("net/archive_version", bytes("0"));
        entries.put("net/models/model.json", program);
        entries.put("net/data/weights/model_weights_config.json", weights);
        entries.put("net/data/weights/weight_0", new byte[72]);
        entries.put("net/data/weights/weight_1", new byte[8]);
        entries.put("net/data/weights/weight_2", new byte[4]);
        entries.put("net/data/constants/model_constants_config.json", bytes("{\"config\": {}}"));
        entries.put("net/data/sample_inputs/model.pt", saved(example()));
        return zip(entries);
    }

    /** As PyTorch 2.5 to 2.7 wrote them. */
    static byte[] legacy() throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put("version", bytes("8.2"));
        entries.put("serialized_exported_program.json", Seeds.read("program.json"));
        entries.put(
                "serialized_state_dict.pt",
                saved(new PickledDict(null)
                        .put("a.weight", Tensor.of(new float[18], 2, 1, 3, 3))
                        .put("a.bias", Tensor.of(new float[2], 2))
                        .put("count", Tensor.of(new float[1], 1))));
        entries.put("serialized_constants.pt", saved(new PickledDict(null)));
        entries.put("serialized_example_inputs.pt", saved(example()));
        return zip(entries);
    }

    private static ScriptTuple example() {
        return ScriptTuple.of(ScriptTuple.of(Tensor.of(new float[16], 1, 1, 4, 4), 2L), new PickledDict(null));
    }

    private static byte[] saved(Object value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("archive", 3).data(value).write(out);
        return out.toByteArray();
    }

    private static byte[] zip(Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.setLevel(0);
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        }
        return out.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
