package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.optimizer.MobileOptimizer;
import org.torchnnapi.quantizer.CalibrationInputs;
import org.torchnnapi.quantizer.QuantizationOptions;
import org.torchnnapi.quantizer.QuantizationProgress;
import org.torchnnapi.quantizer.Quantizer;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.LiteTarget;

/**
 * Has each case go every way that a model goes: run, converted, saved, optimized and quantized, as the commands of
 * those names do, and run as often as the case says. A refusal is skipped unless it is an error of ours; where the
 * case's {@code lite} has no error, PyTorch writes a lite module of it, and so must we. A case's {@code open} has the
 * inputs with -1 for sizes that are to be left open, its {@code converted} the tolerance of converted models where it
 * is another one, its {@code pipelines} those that it is for, where not all.
 */
final class PipelineSuite implements TorchSuite {
    private static final long SECONDS = 60;
    private static final String ERROR_OF_OURS = "report this model";
    private static final List<LiteTarget> OLD = List.of(LiteTarget.PYTORCH_1_8, LiteTarget.PYTORCH_1_11);

    /** Something that is done with a case. */
    private interface Pipeline {
        Outcome run(TorchCase test) throws Exception;
    }

    private final ScriptRuntime runtime;
    private final Path kept;
    private final Map<String, Pipeline> pipelines = new LinkedHashMap<>();
    private ExecutorService worker = newWorker();

    /**
     * @param profile that models are converted for beside a phone
     * @param chosen names of pipelines, or none for all
     * @param kept folder for what is written, as {@code CASE.PIPELINE.pt} and {@code .ptl}, or null
     */
    PipelineSuite(EngineOptions options, DeviceSpeed profile, Set<String> chosen, Path kept) {
        this.runtime = Runtimes.standard(options);
        this.kept = kept;
        ScriptRuntime interpreting = Runtimes.standard(options.withSpecialise(false));
        pipelines.put("run", test -> Outcome.unless(Runs.checkAll(load(test, runtime), test)));
        pipelines.put("run --interpret", test -> Outcome.unless(Runs.checkAll(load(test, interpreting), test)));
        ConversionOptions usual = ConversionOptions.defaults();
        pipelines.put("convert", test -> convert(test, usual));
        ConversionOptions forced = usual.withSegmentCost(
                new SegmentCost(SegmentCost.DEFAULT.most(), SegmentCost.DEFAULT.least(), profile));
        pipelines.put("convert --profile", test -> convert(test, forced));
        pipelines.put(
                "convert --profile --runtime torch-nnapi",
                test -> convert(test, forced.withTarget(Target.DEFAULT.withOwnRuntime(true))));
        for (int android : new int[] {28, 29}) {
            pipelines.put(
                    "convert --profile --android " + android,
                    test -> convert(test, forced.withTarget(Target.ofAndroid(android))));
        }
        pipelines.put("convert --profile --input ?", test -> convertOpen(test, forced));
        written("save", test -> load(test, runtime).moduleWriter());
        for (LiteTarget target : OLD) {
            pipelines.put(
                    "save.ptl --target " + target.option(),
                    test -> write(test, load(test, runtime).moduleWriter(), "save-" + target.option(), target));
        }
        written(
                "optimize",
                test -> MobileOptimizer.optimize(load(test, runtime)).writer());
        written("quantize", test -> quantized(test, QuantizationOptions.defaults()));
        written(
                "quantize --dynamic",
                test -> quantized(test, QuantizationOptions.defaults().withDynamic(true)));
        if (!pipelines.keySet().containsAll(chosen)) {
            throw new IllegalArgumentException("pipelines: " + chosen + " (expected: of " + pipelines.keySet() + ")");
        }
        pipelines.keySet().removeIf(name -> !chosen.isEmpty() && !chosen.contains(name));
    }

    private interface Writing {
        /** @return null if the model has nothing for it */
        ModuleWriter of(TorchCase test) throws IOException;
    }

    private void written(String name, Writing writing) {
        String file = name.replace(" --", "-");
        pipelines.put(name + ".pt", test -> write(test, writing.of(test), file, null));
        pipelines.put(name + ".ptl", test -> write(test, writing.of(test), file, LiteTarget.PYTORCH_1_13));
    }

    @Override
    public Outcome run(TorchCase test) {
        return outcomes(test).values().stream()
                .filter(outcome -> outcome.status() == Outcome.Status.FAILED)
                .findFirst()
                .orElse(Outcome.passed());
    }

    @Override
    public Map<String, Outcome> outcomes(TorchCase test) {
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        Set<String> wanted = new HashSet<>();
        test.description().path("pipelines").forEach(name -> wanted.add(name.asText()));
        pipelines.forEach((name, pipeline) -> {
            if (wanted.isEmpty() || wanted.contains(name)) {
                outcomes.put(name, Outcome.of(() -> timely(() -> pipeline.run(test))));
            }
        });
        return outcomes;
    }

    private static ExecutorService newWorker() {
        return Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(null, work, "pipeline", 64L << 20);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** What takes too long is interrupted, and its thread left to itself. */
    private Outcome timely(Callable<Outcome> work) throws Exception {
        Future<Outcome> running = worker.submit(() -> Outcome.of(work));
        try {
            return running.get(SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            running.cancel(true);
            worker = newWorker();
            return Outcome.failed("no answer within " + SECONDS + " s");
        }
    }

    private static ScriptModule load(TorchCase test, ScriptRuntime runtime) throws IOException {
        return ScriptModule.load(test.file(test.description().path("model").asText()), runtime)
                .eval();
    }

    private Outcome convert(TorchCase test, ConversionOptions options) throws IOException {
        if (test.description().has("open") == (options.inputs() == null)) {
            return Outcome.skipped("sizes that vary are for an open conversion, and only they");
        }
        ScriptModule module = load(test, runtime);
        List<Object> example =
                Runs.arguments(module.method("forward"), test.runs().get(0), test.folder());
        Conversion conversion = Converter.convert(module, options.withExample(example), runtime);
        if (!conversion.succeeded()) {
            String text = conversion.report().fullText();
            return text.contains(ERROR_OF_OURS) ? Outcome.failed(text) : Outcome.skipped(text);
        }
        JsonNode description = test.description();
        ResultComparison comparison =
                ResultComparison.of(description.path(description.has("converted") ? "converted" : "tolerance"));
        return Outcome.unless(
                Runs.checkAll(ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), runtime), test, comparison));
    }

    private Outcome convertOpen(TorchCase test, ConversionOptions options) throws IOException {
        List<InputSpec> specs = new ArrayList<>();
        for (JsonNode input : test.description().path("open")) {
            specs.add(InputSpec.of(DType.ofName(input.path("dtype").asText()), CaseValues.ints(input.path("shape"))));
        }
        return convert(test, options.withInputs(specs));
    }

    private ModuleWriter quantized(TorchCase test, QuantizationOptions options) throws IOException {
        ScriptModule module = load(test, runtime);
        List<List<Object>> inputs = new ArrayList<>();
        for (JsonNode run : test.runs()) {
            inputs.add(Runs.arguments(module.method("forward"), run, test.folder()));
        }
        try {
            return Quantizer.quantize(module, CalibrationInputs.of(inputs), options, QuantizationProgress.NONE)
                    .writer();
        } catch (IllegalArgumentException e) {
            // It says what a model to quantize must have.
            return null;
        }
    }

    /** Writes, reads and runs; what is quantized answers otherwise, by how much is for who reads the file to judge. */
    private Outcome write(TorchCase test, ModuleWriter writer, String name, LiteTarget target) throws IOException {
        if (writer == null) {
            return Outcome.skipped("nothing to write");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            (target == null ? writer : writer.lite(target)).archive("model").write(bytes);
        } catch (BytecodeException e) {
            return target == LiteTarget.PYTORCH_1_13
                            && !test.description().path("lite").has("error")
                    ? Outcome.failed(e.getMessage())
                    : Outcome.skipped(e.getMessage());
        }
        if (kept != null) {
            Files.write(
                    kept.resolve(test.name() + "." + name + (target == null ? ".pt" : ".ptl")), bytes.toByteArray());
        }
        TorchScriptArchive archive = TorchScriptArchive.of(bytes.toByteArray());
        ScriptModule module = ScriptModule.of(target == null ? archive : archive.forLite(), runtime);
        return name.startsWith("quantize") ? Outcome.passed() : Outcome.unless(Runs.checkAll(module, test));
    }
}
