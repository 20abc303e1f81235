package org.torchnnapi.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Keeps one execution of a model in one file. */
@Command(
        name = "record",
        header = "Keeps a run's inputs, answers and times in a file.",
        mixinStandardHelpOptions = true,
        description = "Runs a model and keeps its inputs, outputs, placement and times in one file.",
        footer = {"", "Example:", "  torch-nnapi record net-nnapi.pt --input x.npy -o run.pt"})
final class RecordCommand implements Callable<Integer> {
    /** Name of the extra file that describes the execution. */
    static final String DESCRIPTION = "record.json";

    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2, .pt or .ptl file.")
    private Path file;

    @Mixin
    private InputOptions inputOptions;

    @Mixin
    private DeviceOptions deviceOptions;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "File to write; a TorchScript file with the attributes inputs and outputs.")
    private Path output;

    @Override
    public Integer call() throws IOException {
        Path to = new OutputFiles(file).reading(inputOptions.files()).check(output);
        try (LoadedModel model = ModelFile.load(file, deviceOptions.engine())) {
            List<Object> inputs = inputOptions.read(file, model, "forward");
            Execution execution = Execution.run(model, inputs);
            Map<String, Object> description = new LinkedHashMap<>();
            description.put("model", file.getFileName().toString());
            description.put("bytes", Files.size(file));
            description.put("sha256", checksum(file));
            description.putAll(execution.toMap());
            ArchiveWriter archive = archive(model, inputs, execution.result());
            archive.extra(DESCRIPTION, ByteBuffer.wrap(new ObjectMapper().writeValueAsBytes(description)));
            archive.write(to);
            System.out.println("wrote " + to + " (" + Files.size(to) + " bytes): inputs " + inputs.size()
                    + ", NNAPI parts " + execution.placements().size() + ", " + execution.micros() + " us");
        }
        return 0;
    }

    private static ArchiveWriter archive(LoadedModel model, List<Object> inputs, Object result) {
        ClassType type = new ClassType("__torch__.torch_nnapi.Execution", ClassType.Kind.MODULE);
        ScriptTuple given = new ScriptTuple(inputs, null);
        type.addAttribute(new ClassType.Attribute("inputs", RuntimeTypes.of(given), false, false));
        type.addAttribute(new ClassType.Attribute("outputs", RuntimeTypes.of(result), false, false));
        ScriptObject object = new ScriptObject(type);
        object.set("inputs", given);
        object.set("outputs", result);
        return new ModuleWriter(object, model.module().interpreter()::run).archive("execution");
    }

    static String checksum(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * One run, after another one that compiled the model.
     *
     * @param result what forward returned
     * @param micros how long that took
     * @param steps how long each part of it took
     */
    record Execution(Object result, long micros, List<Placement> placements, List<Map<String, Object>> steps) {
        static Execution run(LoadedModel model, List<Object> inputs) {
            model.call("forward", copies(inputs));
            model.profile();
            Object[] arguments = copies(inputs);
            long start = System.nanoTime();
            Object result = model.call("forward", arguments);
            long micros = (System.nanoTime() - start) / 1000;
            List<Map<String, Object>> steps = new ArrayList<>();
            model.stepTimes().forEach(step -> {
                Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("device", step.device());
                entry.put("name", step.name());
                entry.put("micros", step.nanos() / 1000.0);
                steps.add(entry);
            });
            return new Execution(result, micros, model.placements(), steps);
        }

        private static Object[] copies(List<Object> inputs) {
            return inputs.stream()
                    .map(input -> input instanceof Tensor tensor
                            ? tensor.copy(
                                    tensor.isContiguous(MemoryFormat.CHANNELS_LAST) && !tensor.isContiguous()
                                            ? MemoryFormat.CHANNELS_LAST
                                            : MemoryFormat.CONTIGUOUS)
                            : input)
                    .toArray();
        }

        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("micros", micros);
            map.put("placements", placements.stream().map(Placement::toMap).toList());
            map.put("steps", steps);
            return map;
        }

        /** For each operation of each NNAPI part, in order, its type and device. */
        List<String> devices() {
            return placements.stream()
                    .flatMap(placement -> placement.operations().stream())
                    .map(operation -> operation.type() + " on " + operation.device())
                    .toList();
        }
    }
}
