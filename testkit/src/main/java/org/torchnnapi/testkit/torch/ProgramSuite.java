package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.exported.lowering.ProgramFile;
import org.torchnnapi.exported.lowering.UnwritableProgramException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Writes {@code model.pt} as a program of torch.export for the inputs of its first run, and makes all runs on what was
 * written: each answers as it should, or is refused where its inputs are not the example's. A model that is no program
 * is skipped, with all that is in the way.
 */
final class ProgramSuite implements TorchSuite {
    /** How near real numbers beside integers are. */
    private static final double NEAR = 1e-4;
    /** How near integers are: the last step may round otherwise. */
    private static final long STEPS = 1;

    private final ScriptRuntime runtime;
    private final Path kept;

    /** @param kept folder for what is written, as {@code NAME.pt2}, or null */
    ProgramSuite(ScriptRuntime runtime, Path kept) {
        this.runtime = runtime;
        this.kept = kept;
    }

    @Override
    public Outcome run(TorchCase test) throws Exception {
        ScriptModule module =
                ScriptModule.load(test.file(test.description().path("model").asText()), runtime);
        Function forward = module.method("forward");
        JsonNode first =
                test.runs().stream().filter(ProgramSuite::isPlain).findFirst().orElse(null);
        if (forward == null || first == null) {
            return Outcome.skipped("no run of forward with positional arguments");
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ProgramFile program;
        try {
            program = ProgramFile.of(module, Runs.arguments(forward, first, test.folder()));
            program.write(written);
        } catch (UnwritableProgramException e) {
            return Outcome.skipped(e.getMessage());
        }
        if (kept != null) {
            Files.write(kept.resolve(test.name() + ".pt2"), written.toByteArray());
        }
        ScriptModule again = ScriptModule.of(ModuleSource.of(ByteBuffer.wrap(written.toByteArray())), runtime);
        ResultComparison comparison = ResultComparison.of(test.description().path("tolerance"));
        List<JsonNode> runs = test.runs();
        for (int i = 0; i < runs.size(); i++) {
            JsonNode run = runs.get(i);
            if (!isPlain(run)) {
                break;
            }
            try {
                String wrong = program.quantized().isEmpty()
                        ? Runs.check(again, run, test.folder(), i, comparison)
                        : integers(module, again, Runs.arguments(forward, run, test.folder()), "run " + i);
                if (wrong != null) {
                    return Outcome.failed(wrong);
                }
            } catch (ScriptException | IllegalArgumentException e) {
                if (run == first) {
                    throw e;
                }
                // Of other sizes or numbers than the example.
                break;
            }
        }
        return Outcome.passed();
    }

    private static boolean isPlain(JsonNode run) {
        return !run.has("kwargs") && !run.has("raises") && !run.has("method");
    }

    /** What is wrong with a run on the integers of quantized tensors, which are near the model's, or null. */
    private static String integers(ScriptModule module, ScriptModule program, List<Object> arguments, String place) {
        List<Object> plain = arguments.stream().map(ProgramFile::plain).toList();
        List<Tensor> wanted =
                Structures.tensors(Arrays.asList(ProgramFile.plain(module.call("forward", arguments, Map.of()))));
        List<Tensor> got = Structures.tensors(Arrays.asList(program.call("forward", plain, Map.of())));
        if (wanted.size() != got.size()) {
            return place + ": " + got.size() + " tensors (expected: " + wanted.size() + ")";
        }
        for (int i = 0; i < wanted.size(); i++) {
            boolean real = wanted.get(i).dtype().isFloating();
            String wrong = new ResultComparison(NEAR, NEAR, 0, 0).tensors(wanted.get(i), got.get(i), place);
            boolean near = wanted.get(i).dtype() == got.get(i).dtype()
                    && Arrays.equals(wanted.get(i).sizes(), got.get(i).sizes());
            for (long k = 0; !real && near && k < wanted.get(i).numel(); k++) {
                near = Math.abs(wanted.get(i).getLong(k) - got.get(i).getLong(k)) <= STEPS;
            }
            if (real ? wrong != null : !near) {
                return wrong == null ? place + ": integers differ by more than " + STEPS : wrong;
            }
        }
        return null;
    }
}
