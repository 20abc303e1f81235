package org.torchnnapi.exported.lowering;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.archive.ZipWriter;
import org.torchnnapi.torchscript.format.WholeFile;
import org.torchnnapi.torchscript.pickle.PickleWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * An archive of torch.export that is written, as PyTorch 2.8 and later do: the method {@code forward} of a module, or
 * others, as a program for arguments of the sizes of an example. What is no tensor among them, the program holds for
 * that value only.
 */
public final class ProgramFile {
    private static final String NAME = "model";
    private static final String FORWARD = "forward";

    /** A method as a program, and the example that it was made with. */
    private record Program(String method, ProgramGraph graph, List<Object> example) {}

    private final List<Program> programs = new ArrayList<>();
    private final Map<String, ByteBuffer> extra = new LinkedHashMap<>();

    private ProgramFile() {}

    /**
     * Runs {@code forward} on an example, as often as it takes, and leaves the module and the example as they were.
     *
     * @param arguments of the call, without the module
     * @throws UnwritableProgramException if the method has no form as a program
     * @throws org.torchnnapi.torchscript.value.ScriptException if the run fails
     * @throws IllegalArgumentException if there is no forward, or the arguments do not fit it
     */
    public static ProgramFile of(ScriptModule module, List<?> arguments) {
        return of(module, arguments, OpenSizes.NONE);
    }

    /** As {@link #of(ScriptModule, String, List, OpenSizes)}, of {@code forward}. */
    public static ProgramFile of(ScriptModule module, List<?> arguments, OpenSizes open) {
        return of(module, FORWARD, arguments, open);
    }

    /**
     * As {@link #of(ScriptModule, List)}, with sizes that are left open. What follows from these is found by running
     * the method for a dozen sizes or more; the program refuses those for which the method would go another way.
     *
     * @param open has to fit the arguments
     * @throws UnwritableProgramException also if what the method does follows from such sizes by no formula
     */
    public static ProgramFile of(ScriptModule module, String method, List<?> arguments, OpenSizes open) {
        return new ProgramFile().and(module, method, arguments, open);
    }

    /**
     * Adds another method. Where a file has several, each is a program of its name, but {@code forward}, which PyTorch
     * calls {@code model}; one alone is that, whatever it is called. What several use of weights is in the file once.
     *
     * @throws IllegalArgumentException also if the file has that method
     * @see #of(ScriptModule, String, List, OpenSizes)
     */
    public ProgramFile and(ScriptModule module, String method, List<?> arguments, OpenSizes open) {
        if (programs.stream().anyMatch(program -> program.method().equals(method))) {
            throw new IllegalArgumentException("method: " + method + " again (expected: each once)");
        }
        List<Object> example = new ArrayList<>(arguments);
        ProgramGraph graph = ProgramGraph.of(module, method, example, open);
        example.replaceAll(ProgramFile::plain);
        programs.add(new Program(method, graph, example));
        return this;
    }

    private String name(Program program) {
        return programs.size() == 1 || program.method().equals(FORWARD) ? NAME : program.method();
    }

    /**
     * An argument or a result as a program has it: PyTorch has no quantized tensors any more, so that each is the one
     * of its integers, of the scale and zero point that it has in the example.
     */
    public static Object plain(Object value) {
        OperatorKernel integers = OperatorCalls.operator("aten::int_repr").kernel();
        return ProgramGraph.mapped(
                value, tensor -> tensor.dtype().isQuantized() ? (Tensor) integers.call(new Object[] {tensor}) : tensor);
    }

    /** The arguments and results that are the integers of quantized tensors, each with its scale and zero point. */
    public List<String> quantized() {
        return programs.stream()
                .flatMap(program -> program.graph().quantized().stream())
                .collect(Streams.toList());
    }

    /** A file beside the program, from the buffer's position to its limit. */
    public ProgramFile extra(String name, ByteBuffer bytes) {
        extra.put(name, bytes);
        return this;
    }

    /** What has to be imported in Python before the file is loaded there, with commas between; empty if nothing has. */
    public String imports() {
        Set<String> modules = new TreeSet<>();
        programs.forEach(program -> program.graph().imports(modules));
        return String.join(", ", modules);
    }

    /**
     * Writes a file, whole or not at all; it may be the one that was read.
     *
     * @throws IOException if it cannot be written
     */
    public void write(Path target) throws IOException {
        String name = target.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String folder = dot > 0 ? name.substring(0, dot) : name;
        WholeFile.write(target, out -> write(out, folder));
    }

    /** Writes to a stream, which stays open. */
    public void write(OutputStream out) throws IOException {
        write(out, "archive");
    }

    private void write(OutputStream out, String folder) throws IOException {
        ZipWriter zip = new ZipWriter(out);
        Map<Storage, String> weights = new IdentityHashMap<>();
        Map<Storage, String> constants = new IdentityHashMap<>();
        for (Program program : programs) {
            String name = name(program);
            ProgramGraph graph = program.graph();
            payloads(zip, folder + "/data/weights/", name + "_weights", "weight_", weights, graph.weights());
            payloads(zip, folder + "/data/constants/", name + "_constants", "tensor_", constants, graph.constants());
            add(zip, folder + "/models/" + name + ".json", JsonText.bytes(graph.json()));
            add(zip, folder + "/data/sample_inputs/" + name + ".pt", sample(program.example()));
        }
        for (Map.Entry<String, ByteBuffer> file : extra.entrySet()) {
            zip.add(folder + "/extra/" + file.getKey(), file.getValue(), false);
        }
        add(zip, folder + "/archive_format", "pt2");
        add(zip, folder + "/archive_version", "0");
        add(zip, folder + "/.data/version", "6\n");
        add(zip, folder + "/byteorder", "little");
        zip.finish();
    }

    private static void add(ZipWriter zip, String entry, String text) throws IOException {
        add(zip, entry, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void add(ZipWriter zip, String entry, byte[] bytes) throws IOException {
        zip.add(entry, ByteBuffer.wrap(bytes), false);
    }

    /** Whole storages, each once, and what tensors of which they hold. */
    private static void payloads(
            ZipWriter zip,
            String folder,
            String title,
            String prefix,
            Map<Storage, String> written,
            Map<String, GraphTensor> tensors)
            throws IOException {
        Map<String, Object> config = new LinkedHashMap<>();
        for (Map.Entry<String, GraphTensor> entry : tensors.entrySet()) {
            Storage storage = entry.getValue().stored().storage();
            String payload = written.get(storage);
            if (payload == null) {
                payload = prefix + written.size();
                written.put(storage, payload);
                zip.add(folder + payload, storage.view(), false);
            }
            config.put(
                    entry.getKey(),
                    JsonText.object(
                            "path_name",
                            payload,
                            "is_param",
                            entry.getValue().origin() == GraphTensor.Origin.PARAMETER,
                            "use_pickle",
                            false,
                            "tensor_meta",
                            entry.getValue().meta()));
        }
        add(zip, folder + title + "_config.json", JsonText.bytes(JsonText.object("config", config)));
    }

    /** The example as torch.save writes it: positional arguments, and no others. */
    private static byte[] sample(List<Object> example) {
        List<Object> items = new ArrayList<>();
        example.forEach(argument -> items.add(pickled(argument)));
        List<Storage> storages = new ArrayList<>();
        Map<Storage, Integer> numbers = new IdentityHashMap<>();
        byte[] pickle = PickleWriter.write(
                ScriptTuple.of(new ScriptTuple(items, null), new PickledDict(null)),
                storage -> numbers.computeIfAbsent(storage, added -> {
                            storages.add(added);
                            return storages.size() - 1;
                        })
                        .toString());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ZipWriter zip = new ZipWriter(bytes);
        try {
            add(zip, "archive/data.pkl", pickle);
            add(zip, "archive/byteorder", "little");
            for (int i = 0; i < storages.size(); i++) {
                zip.add("archive/data/" + i, storages.get(i).view(), false);
            }
            add(zip, "archive/version", "3\n");
            zip.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** As Python's own containers, which TorchScript's have types beside. */
    private static Object pickled(Object value) {
        if (value instanceof ScriptTuple tuple) {
            List<Object> items = new ArrayList<>();
            tuple.items().forEach(item -> items.add(pickled(item)));
            return new ScriptTuple(items, null);
        }
        if (value instanceof ScriptList list) {
            PickledList made = new PickledList(null);
            list.items().forEach(item -> made.items().add(pickled(item)));
            return made;
        }
        if (value instanceof ScriptDict dict) {
            PickledDict made = new PickledDict(null);
            dict.items().forEach((key, item) -> made.put(key, pickled(item)));
            return made;
        }
        return value;
    }
}
