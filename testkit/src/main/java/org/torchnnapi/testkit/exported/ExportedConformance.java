package org.torchnnapi.testkit.exported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.exported.lowering.OpenSizes;
import org.torchnnapi.exported.lowering.ProgramFile;
import org.torchnnapi.exported.lowering.UnwritableProgramException;
import org.torchnnapi.optimizer.QuantizedProgram;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Runs archives of torch.export as often as genuine PyTorch did, one call after the other on one module: results, and
 * buffers and arguments after each call, are compared, and what PyTorch refuses must be refused. Archives that are
 * broken must end in one error of a kind. Prints each that does otherwise, and in the end {@code N passed, N failed, N
 * skipped}.
 */
public final class ExportedConformance {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_DETAIL = 600;

    /** Of a device on which whatever can be converted is worth it. */
    private static final String EVERYTHING = "start=0,bytes=1e15";

    private final ScriptRuntime runtime;
    private String saved;
    private Path kept;
    private boolean converts;
    /** Programs whose sizes were left open, and those of which that was refused. */
    private int opened;

    private int refused;

    /** @param options how the modules are run */
    public ExportedConformance(EngineOptions options) {
        this.runtime = Runtimes.standard(options);
    }

    /**
     * Writes each module anew and runs what was written in its place.
     *
     * @param ending pt, ptl, or pt2, which is written for the first call; what has no form as a program passes
     */
    public ExportedConformance savedAs(String ending) {
        if (!ending.equals("pt") && !ending.equals("ptl") && !ending.equals("pt2")) {
            throw new IllegalArgumentException("save: " + ending + " (expected: pt, ptl or pt2)");
        }
        saved = ending;
        return this;
    }

    /** Keeps the programs that are written, as {@code NAME.pt2}, in this folder. */
    public ExportedConformance keptIn(Path folder) throws IOException {
        kept = Files.createDirectories(folder);
        return this;
    }

    /** Converts each module for its first call, and makes that; what is refused is told and passes. */
    public ExportedConformance converted() {
        converts = true;
        return this;
    }

    /**
     * @param folder with folders of cases: {@code op/NAME/case.json}; and {@code broken}, if it has that
     * @param filter only cases whose names contain this text; "" for all
     * @param verbose also print what is refused and why, and passed cases
     * @return the number of failed cases
     * @throws IllegalArgumentException if there is no such folder, or no case matches
     */
    public int run(Path folder, String filter, boolean verbose, PrintStream out) throws IOException {
        List<Path> cases = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder, 3)) {
            files.filter(file -> file.getFileName().toString().equals("case.json")
                            || file.getParent().getFileName().toString().equals("broken")
                                    && file.toString().endsWith(".pt2"))
                    .filter(file -> name(file).contains(filter))
                    .sorted()
                    .forEach(cases::add);
        }
        if (cases.isEmpty()) {
            throw new IllegalArgumentException(
                    "cases: none in " + folder + " with \"" + filter + "\" in the name " + "(expected: at least one)");
        }
        int passed = 0;
        int failed = 0;
        for (Path file : cases) {
            String[] told = {""};
            String wrong = judge(file, told);
            passed += wrong == null ? 1 : 0;
            failed += wrong == null ? 0 : 1;
            if (wrong != null || verbose) {
                out.println((wrong == null ? "PASSED " : "FAILED ") + name(file) + ": "
                        + Strings.oneLine(wrong == null ? told[0] : wrong, MAX_DETAIL));
            }
        }
        if ("pt2".equals(saved)) {
            out.println("programs with open sizes: " + opened + " written with them, " + refused + " not");
        }
        out.println(passed + " passed, " + failed + " failed, 0 skipped");
        return failed;
    }

    private static String name(Path file) {
        return file.toString().endsWith(".pt2")
                ? "broken-" + file.getFileName()
                : file.getParent().getFileName().toString();
    }

    private String judge(Path file, String[] told) {
        try {
            return file.toString().endsWith(".pt2") ? broken(file, told) : check(file.getParent(), told);
        } catch (ScriptException | ArchiveException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            StackTraceElement[] trace = e.getStackTrace();
            return e + (trace.length == 0 ? "" : " at " + trace[0]);
        }
    }

    /** Files that are wrong are refused; where PyTorch takes one all the same, it may load, too. */
    private String broken(Path file, String[] told) throws IOException {
        String stem = file.getFileName().toString().replace(".pt2", "");
        JsonNode said = JSON.readTree(file.resolveSibling("said.json").toFile())
                .path("said")
                .path(stem);
        try {
            ScriptModule.load(file, runtime);
        } catch (ArchiveException e) {
            told[0] = "refused: " + e.getMessage();
            return null;
        }
        return said.isNull() || stem.equals("guard-not-parsed")
                ? null
                : "loaded (expected: an error; PyTorch says " + said.asText() + ")";
    }

    private String check(Path folder, String[] told) throws IOException {
        JsonNode test = JSON.readTree(folder.resolve("case.json").toFile());
        TreeValues values = new TreeValues(
                folder,
                test.path("rtol").asDouble(),
                test.path("atol").asDouble(),
                test.path("check").asText().equals("shape"));
        Path model = folder.resolve(test.path("model").asText("model.pt2"));
        if (test.path("family").asText().equals("custom")) {
            try {
                ScriptModule.load(model, runtime);
            } catch (ArchiveException e) {
                told[0] = "refused: " + e.getMessage();
                return e.getMessage().contains("torch.ops.")
                        ? null
                        : "refused without the operator's name: " + e.getMessage();
            }
            return "loaded (expected: an error that names the operator)";
        }
        ScriptModule module = ScriptModule.load(model, runtime);
        if (converts) {
            return convert(module, test.path("runs").get(0), values, told);
        }
        if ("pt2".equals(saved)) {
            return program(module, test, values, folder.getFileName().toString(), told);
        }
        if (saved != null) {
            module = saved(module);
        }
        int index = 0;
        for (JsonNode run : test.path("runs")) {
            String wrong = call(module, run, values, "run " + index++);
            if (wrong != null) {
                return wrong;
            }
        }
        return refusals(module, test, values, told);
    }

    /** What PyTorch refuses is refused. */
    private static String refusals(ScriptModule module, JsonNode test, TreeValues values, String[] told) {
        int index = 0;
        for (JsonNode refusal : test.path("refusals")) {
            try {
                module.call("forward", arguments(refusal, values), keywords(refusal, values));
                if (!refusal.path("torch_says").isNull()) {
                    return "refusal " + index + ": no error (expected: one; PyTorch says "
                            + refusal.path("torch_says").asText() + ")";
                }
            } catch (ScriptException | IllegalArgumentException e) {
                told[0] += " refusal " + index + ": " + e.getMessage();
            }
            index++;
        }
        return null;
    }

    /** Makes the calls that have arguments as the first one has on what is written for that. */
    private String program(ScriptModule module, JsonNode test, TreeValues values, String name, String[] told)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Object> example = inOrder(module, test.path("runs").get(0), values);
        DeclaredInputs declared = module.declaredInputs("forward");
        OpenSizes open = declared == null ? OpenSizes.NONE : OpenSizes.declared(declared);
        try {
            ProgramFile.of(module, example, open).write(out);
        } catch (UnwritableProgramException e) {
            told[0] = "not written: " + e.getMessage();
            refused += open.isEmpty() ? 0 : 1;
            return null;
        }
        opened += open.isEmpty() ? 0 : 1;
        if (kept != null) {
            Files.write(kept.resolve(name + ".pt2"), out.toByteArray());
        }
        ScriptModule written = ScriptModule.of(ModuleSource.of(ByteBuffer.wrap(out.toByteArray())), runtime);
        for (JsonNode run : test.path("runs")) {
            Object result;
            try {
                result = written.call("forward", inOrder(module, run, values), Map.of());
            } catch (ScriptException e) {
                boolean ofValue = String.valueOf(e.getMessage()).contains("the value in the example");
                if (run == test.path("runs").get(0) || !open.isEmpty() && !ofValue) {
                    throw e;
                }
                told[0] += " refused: " + e.getMessage();
                continue;
            }
            String wrong = values.compare(run.path("outputs"), result, "result of the program");
            if (wrong != null) {
                return wrong;
            }
        }
        return open.isEmpty() ? null : refusals(written, test, values, told);
    }

    private ScriptModule saved(ScriptModule module) throws IOException {
        ModuleWriter writer = QuantizedProgram.writer(module);
        if (saved.equals("ptl")) {
            writer.lite(LiteTarget.PYTORCH_1_13).source(false);
        }
        return ScriptModule.of(TorchScriptArchive.of(bytes(writer.archive("model"))), runtime);
    }

    private static byte[] bytes(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return out.toByteArray();
    }

    private String convert(ScriptModule module, JsonNode run, TreeValues values, String[] told) {
        ConversionOptions options = ConversionOptions.defaults()
                .withExample(inOrder(module, run, values))
                .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of(EVERYTHING)));
        Conversion conversion = Converter.convert(module, options, runtime);
        if (!conversion.succeeded()) {
            told[0] = "not converted: " + conversion.refusals().get(0);
            return null;
        }
        Coverage coverage = conversion.report().coverage();
        told[0] = coverage.text() + " in " + Strings.counted(coverage.segments(), "segment");
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), runtime);
        Object result = converted.call("forward", inOrder(module, run, values).toArray());
        return values.compare(run.path("outputs"), result, "converted result");
    }

    /** All arguments of a call by their places. */
    private static List<Object> inOrder(ScriptModule module, JsonNode run, TreeValues values) {
        List<Object> arguments = arguments(run, values);
        Map<String, Object> keywords = keywords(run, values);
        List<FunctionSchema.Argument> formals =
                module.method("forward").schema().arguments();
        for (int i = arguments.size() + 1; i < formals.size(); i++) {
            arguments.add(keywords.get(formals.get(i).name()));
        }
        return arguments;
    }

    private static List<Object> arguments(JsonNode run, TreeValues values) {
        List<Object> arguments = new ArrayList<>();
        run.path("args").forEach(tree -> arguments.add(values.value(tree)));
        return arguments;
    }

    private static Map<String, Object> keywords(JsonNode run, TreeValues values) {
        Map<String, Object> keywords = new LinkedHashMap<>();
        run.path("kwargs").forEach(entry -> keywords.put(entry.get(0).asText(), values.value(entry.get(1))));
        return keywords;
    }

    private static String call(ScriptModule module, JsonNode run, TreeValues values, String place) {
        List<Object> arguments = arguments(run, values);
        Object result = module.call("forward", arguments, keywords(run, values));
        String wrong = values.compare(run.path("outputs"), result, place + " result");
        for (int i = 0; wrong == null && i < run.path("args_after").size(); i++) {
            wrong = values.compare(
                    run.path("args_after").get(i), arguments.get(i), place + " argument " + i + " after it");
        }
        for (JsonNode buffer : run.path("buffers_after")) {
            if (wrong == null) {
                String name = buffer.get(0).asText();
                wrong = values.compare(
                        buffer.get(1), attribute(module.object(), name), place + " buffer " + name + " after it");
            }
        }
        return wrong;
    }

    private static Object attribute(ScriptObject root, String name) {
        Object at = root;
        for (String part : name.split("\\.")) {
            at = ((ScriptObject) at).get(part);
        }
        return at;
    }
}
