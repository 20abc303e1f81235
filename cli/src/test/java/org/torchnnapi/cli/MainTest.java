package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.cli.io.RandomTensors;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.kernels.MachinePeak;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** The commands as a user types them, over the digits sample. */
class MainTest {
    private static final Path DIGITS = Path.of("..", "samples", "digits");

    @TempDir
    private Path folder;

    private Path converted() {
        Path target = folder.resolve("digits-nnapi.pt");
        Run convert = Run.of("convert", DIGITS.resolve("digits-core.pt"), "--mode", "core", "-o", target);
        assertEquals(0, convert.code(), convert.err());
        return target;
    }

    @Test
    void convertsRunsAndExplains() {
        Path target = converted();
        Run original = Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3");
        Run nnapi = Run.of("run", target, "--top", "3");
        assertEquals(0, nnapi.code(), nnapi.err());
        assertEquals(original.out(), nnapi.out());
        Run explained = Run.of("explain", target, "--profile", "quantized-npu", "--deny", "quantized-npu=ADD");
        assertEquals(0, explained.code(), explained.err());
        assertTrue(explained.out().matches("(?s).*CONV_2D +quantized-npu .*"), explained.out());
        assertTrue(explained.out().matches("(?s).*ADD +reference .*"), explained.out());
        assertEquals("", explained.err());
        Run idle = Run.of("explain", target, "--deny", "cpu=ADD", "--deny", "cpu=ADDS", "--deny", "gpu=*");
        assertEquals(0, idle.code(), idle.err());
        assertEquals(List.of("warning: rule \"deny cpu ADDS\" kept", "warning: rule \"deny gpu *\" kept"),
            idle.err().lines().map(line -> line.replaceFirst("(kept) .*", "$1")).toList());
    }

    @Test
    void shapesThatStandInTheFileAreEnough() throws IOException {
        Path full = folder.resolve("full-nnapi.pt");
        assertEquals(0, Run.of("convert", DIGITS.resolve("digits-cpu.pt"), "--input", "float32[1,3,32,32]", "-o", full).code());
        Run explained = Run.of("explain", full);
        assertEquals(0, explained.code(), explained.err());
        assertTrue(explained.out().matches("(?s).*CONV_2D +cpu .*"), explained.out());
        Path float32 = DIGITS.resolve("digits-cpu.pt");
        for (Object[] command : new Object[][] {{"explain", full}, {"profile", full, "--iter", "1"}, {"run", full}, {"record", full, "-o", folder.resolve("run.pt")},
            {"diff", full, "--device", "cpu", "--device", "reference"}, {"diff", float32, full}, {"survey", full, "--iter", "1"}, {"bench", "--model=" + full, "--iter=1"},
            {"bench", "--model=" + float32, "--compare=" + full, "--iter=1"}}) {
            Run run = Run.of(command);
            assertEquals(0, run.code(), () -> List.of(command) + run.err());
            if (!command[0].equals("bench")) {
                assertEquals("inputs: none given, so random numbers of the shapes in the file, float32[1,3,32,32]", run.err().lines().findFirst().orElse(""), () -> List.of(command).toString());
            }
        }
        assertEquals(Run.of("run", full).out(), Run.of("run", full, "--input", "float32[1,3,32,32]").out(), "the numbers of that description");
        Path images = folder.resolve("images.npy");
        Npy.write(images, RandomTensors.like(InputSpec.of(DType.FLOAT32, 2, 3, 32, 32), new Random(1)));
        Path bytes = folder.resolve("bytes.pt");
        assertEquals(0, Run.of("quantize", float32, "--calibrate", images, "--mode", "full", "-o", bytes).code());
        Run ofBytes = Run.of("run", folder.resolve("bytes-nnapi.pt"));
        assertTrue(ofBytes.err().matches("inputs: none given, so random numbers of the shapes in the file, quint8\\[1,3,32,32]@0\\.[0-9]+,[0-9]+(:nhwc)?\\s+"), ofBytes.err());
        Path without = DIGITS.resolve("digits-cpu.pt");
        assertEquals("inputs: none, and none are bundled in " + without + " (expected: --input VALUE, such as x.npy, cat.jpg or float32[1,3,224,224])",
            Run.of("explain", without).err().strip());
        assertTrue(Run.of("bench", "--model=" + without).err().contains("Input dims must be specified."));
    }

    @Test
    void writesPagesAndTraces() throws Exception {
        Path target = converted();
        Path page = folder.resolve("page.html");
        for (Object[] command : new Object[][] {{"explain", target, "--html", page}, {"inspect", target, "--html", page},
            {"diff", target, "--device", "cpu", "--device", "reference", "--html", page},
            {"profile", target, "--warmup", "1", "--iter", "3", "--html", page, "--trace", folder.resolve("trace.json")}}) {
            Run run = Run.of(command);
            assertEquals(0, run.code(), run.err());
            assertTrue(run.out().contains("wrote " + page), run.out());
            assertTrue(Files.readString(page).startsWith("<!DOCTYPE html>"));
            Files.delete(page);
        }
        JsonNode events = new ObjectMapper().readTree(folder.resolve("trace.json").toFile()).get("traceEvents");
        requireTrace(events);
        long runs = 0;
        double end = 0;
        for (JsonNode event : events) {
            if (event.get("ph").asText().equals("X")) {
                if (event.get("name").asText().startsWith("run ")) {
                    assertTrue(event.get("ts").asDouble() >= end, "runs one behind the other");
                    end = event.get("ts").asDouble() + event.get("dur").asDouble();
                    runs++;
                }
            }
        }
        assertEquals(3, runs);
        assertEquals(1, Run.of("explain", target, "--html", target).code(), "a page in place of the model");
        Run survey = Run.of("survey", target, "--iter", "2");
        assertEquals(0, survey.code(), survey.err());
        assertTrue(survey.out().contains("| digits-nnapi.pt | quantized-npu | 23 of 23 | 1 | 0 | "), survey.out());
        assertEquals(1, Run.of("survey", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]").code());
    }

    /** What the Trace Event Format says of complete and metadata events, and Perfetto asks: slices of a thread lie in each other or apart. */
    private static void requireTrace(JsonNode events) {
        Map<String, List<double[]>> slices = new LinkedHashMap<>();
        for (JsonNode event : events) {
            String text = event.toString();
            assertTrue(event.get("pid").isIntegralNumber() && !event.get("name").asText().isEmpty(), text);
            boolean ofProcess = event.get("name").asText().equals("process_name");
            assertTrue(ofProcess || event.get("tid").isIntegralNumber(), text);
            if (event.get("ph").asText().equals("M")) {
                assertTrue((ofProcess || event.get("name").asText().equals("thread_name")) && event.get("args").get("name").isTextual(), text);
                continue;
            }
            assertEquals("X", event.get("ph").asText(), text);
            double start = event.get("ts").doubleValue();
            double length = event.get("dur").doubleValue();
            assertTrue(start >= 0 && length >= 0, text);
            slices.computeIfAbsent(event.get("pid") + " " + event.get("tid"), thread -> new ArrayList<>()).add(new double[] {start, start + length});
        }
        slices.forEach((thread, all) -> {
            all.sort(Comparator.<double[]>comparingDouble(slice -> slice[0]).thenComparing(slice -> -slice[1]));
            Deque<Double> open = new ArrayDeque<>();
            for (double[] slice : all) {
                // Microseconds as decimal numbers, rounded in their last bits.
                while (!open.isEmpty() && open.peek() <= slice[0] + 1e-3) {
                    open.pop();
                }
                assertTrue(open.isEmpty() || slice[1] <= open.peek() + 1e-3, "thread " + thread + ": slices overlap at " + slice[0]);
                open.push(slice[1]);
            }
        });
    }

    @Test
    void listsWhatOperatorsCan() {
        Run run = Run.of("operators", "aten::relu");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches("aten::relu +yes +yes +- +yes +NNAPI 1\\.0")), run.out());
        assertTrue(run.out().lines().anyMatch(line -> line.matches("aten::relu6 +yes +yes +yes +yes +NNAPI 1\\.0")), run.out());
        assertFalse(Run.of("operators", "--converts", "linalg").out().contains("linalg_qr"));
        assertEquals(1, Run.of("operators", "no such operator").code());
    }

    @Test
    void saysWhichOperatorsOfAListThereAreNot() throws IOException {
        Path list = Files.writeString(folder.resolve("model_ops.yaml"), """
            root_operators:
              aten::add.out: 20
              aten::fill_diagonal_: 3
              aten::index_put_.hacked_twin: 3
              prim::TupleIndex: 4
              quantized::embedding_4bit: 1
            """);
        Run run = Run.of("operators", "--missing", list);
        assertEquals(0, run.code(), run.err());
        assertEquals("5 operators, 0 missing", run.out().strip());
        Files.writeString(list, "- aten::relu\n- aten::relu.no_such\n- mine::thing\n- prim::NoSuchNode\n");
        Run lacking = Run.of("operators", "--missing", list);
        assertEquals(1, lacking.code());
        assertEquals("aten::relu.no_such\nmine::thing\nprim::NoSuchNode\n4 operators, 3 missing", lacking.out().strip().replace("\r", ""));
        assertEquals(1, Run.of("operators", "--missing", Files.writeString(list, "nothing")).code());
        Run none = Run.of("operators", "--missing", folder.resolve("none"));
        assertTrue(none.code() != 0 && !none.err().contains("at org.torchnnapi"), none.err());
    }

    /** What is interpreted is listed, and why, however much of the method is compiled around it. */
    @Test
    void profileSaysWhyPartsAreInterpreted() throws IOException {
        float[] ones = new float[64 * 64];
        java.util.Arrays.fill(ones, 0.01f);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 3).source("code/__torch__/net.py", "class Net(Module):\n  __parameters__ = []\n  __buffers__ = [\"w\", ]\n"
            + "  training : bool\n  w : Tensor\n  n : int\n  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n"
            + "    self.n = torch.add(self.n, 1)\n    y = torch.relu(torch.matmul(x, self.w))\n    if bool(torch.gt(torch.sum(y), 0)):\n"
            + "      z = torch.matmul(y, self.w)\n    else:\n      z = y\n    return z\n")
            .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false).put("w", Tensor.of(ones, 64, 64)).put("n", 0L))).write(out);
        Path model = Files.write(folder.resolve("counts.pt"), out.toByteArray());
        Run run = Run.of("profile", model, "-i", "float32[40,64]", "--warmup", "2", "--iter", "2");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\nnot compiled: prim::SetAttr at ") && run.out().contains("\nnot compiled: aten::Bool gives a value that depends on elements at "),
            run.out());
        Run json = Run.of("profile", model, "-i", "float32[40,64]", "--iter", "1", "--json", "-");
        assertTrue(json.out().matches("(?s).*\"notCompiled\" : \\[ \"[^]]*prim::SetAttr at .*"), json.out());
    }

    @Test
    void profilesProgramsAndDevices() {
        Run ordinary = Run.of("profile", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--warmup", "1", "--iter", "2");
        assertEquals(0, ordinary.code(), ordinary.err());
        assertTrue(ordinary.out().matches("(?s) *ms +share +device +step\n.*\n *[0-9.]+ +[0-9.]+% +program +convolution [0-9]x[0-9].*"), ordinary.out());
        assertTrue(ordinary.out().matches("(?s).*\n *[0-9.]+ +100\\.0% +a run, of [0-9]+ steps\n"), ordinary.out());
        Run nnapi = Run.of("profile", converted(), "--random", "float32[1,3,32,32]", "--device", "cpu", "--iter", "2", "--json", "-");
        assertEquals(0, nnapi.code(), nnapi.err());
        assertTrue(nnapi.out().contains("\"notCompiled\" : [ ]"), nnapi.out());
        assertTrue(nnapi.out().matches("(?s).*\"step\" : \"convolution [^}]*\"device\" : \"cpu\"[^}]*\"share\" : [0-9.E-]+.*"), nnapi.out());
        Run reference = Run.of("profile", converted(), "--random", "float32[1,3,32,32]", "--device", "reference", "--top", "1");
        assertTrue(reference.out().matches("(?s).* reference +[A-Z0-9_]+, .*CONV_2D.*"), reference.out());
        assertEquals(1, Run.of("profile", converted(), "--iter", "0").code());
        int before = CpuThreads.count();
        Run threads = Run.of("profile", converted(), "--random", "float32[1,3,32,32]", "--device", "cpu", "--iter", "6", "--compare-threads", "1,2");
        assertEquals(0, threads.code(), threads.err());
        assertEquals(before, CpuThreads.count());
        assertTrue(threads.out().matches("(?s)ms, threads: 1 +2 +speed-up +device +step\n.*\n *[0-9.]+ +[0-9.]+ +[0-9.]+x +cpu +convolution .*"
            + "\n *[0-9.]+ +[0-9.]+ +[0-9.]+x +interpreter and calls\n *[0-9.]+ +[0-9.]+ +[0-9.]+x +a run, of [0-9]+ steps\n"), threads.out());
        Run each = Run.of("profile", converted(), "--random", "float32[1,3,32,32]", "--compare-threads", "1,2,3", "--top", "1", "--json", "-");
        assertTrue(each.out().matches("(?s).*\"milliseconds\" : \\[ [0-9.E-]+, [0-9.E-]+, [0-9.E-]+ ].*"), each.out());
        assertEquals(1, Run.of("profile", converted(), "--random", "float32[1,3,32,32]", "--compare-threads", "none").code());
    }

    @Test
    void benchmarksInSpeedBenchmarkTorchsLines() {
        Run bench = Run.of("bench", "--model=" + DIGITS.resolve("digits-cpu.pt"), "--input_dims=1,3,32,32", "--input_type=float", "--iter", "2",
            "--report_pep=true");
        assertEquals(0, bench.code(), bench.err());
        String[] lines = bench.out().split("\n");
        assertEquals("Starting benchmark.", lines[0]);
        assertEquals("Running warmup runs.", lines[1]);
        assertEquals("Main runs.", lines[2]);
        assertTrue(lines[3].matches("PyTorchObserver \\{\"type\": \"NET\", \"unit\": \"us\", \"metric\": \"latency\", \"value\": \"[0-9.e+]+\"}"), lines[3]);
        assertTrue(lines[5].matches("Main run finished\\. Microseconds per iter: [0-9.e+]+\\. Iters per second: [0-9.e+]+"), lines[5]);
        assertEquals(6, lines.length);
    }

    @Test
    void reportsMemoryAndComparesThreads() {
        int before = CpuThreads.count();
        Run bench = Run.of("bench", "--model=" + converted(), "--input_dims=1,3,32,32", "--input_type=float", "--iter=2", "--threads=2",
            "--report_memory=true", "--compare_threads=1,3");
        int during = CpuThreads.count();
        CpuThreads.set(before);
        assertEquals(0, bench.code(), bench.err());
        assertEquals(2, during);
        String one = MachinePeak.floatMultiplyAdds() > 0 ? "1\\.00x" : "-";
        assertTrue(bench.out().matches("(?s).*\nthreads +min us +median +speed-up +by min +undisturbed +blocks +machine float +int8\n-+\n"
            + " *1 +[0-9.]+ +[0-9.]+ +1\\.00x +1\\.00x +(1\\.00x|-) +[01] of 1 +" + one + " +(1\\.00x|-)\n *3 .*"), bench.out());
        assertTrue(bench.out().matches("(?s).*\nMemory in MB: mapped file 0\\.1( \\(0\\.[01] resident\\))?, tensors [0-9.]+, packed weights 0\\.[0-9], "
                + "arena 0\\.[0-9]\\.\\RProcess in MB: Java heap [0-9.]+ used, [0-9.]+ taken, [0-9.]+ at most(; packed weights, shared ones once [0-9.]+)?(; resident .*)?\\.\\R"), bench.out());
        assertEquals(1, Run.of("bench", "--model=" + DIGITS.resolve("digits-cpu.pt"), "--input_dims=1,3,32,32", "--input_type=float",
            "--compare_threads=none").code());
    }

    @Test
    void answersDoNotDependOnTheNumberOfThreads() throws java.io.IOException {
        int before = CpuThreads.count();
        Path floats = folder.resolve("digits-float-nnapi.pt");
        assertEquals(0, Run.of("convert", DIGITS.resolve("digits-none.pt"), "-o", floats).code());
        try {
            for (Path model : new Path[] {DIGITS.resolve("digits-cpu.pt"), DIGITS.resolve("digits-core.pt"), floats, converted()}) {
                byte[] alone = null;
                for (int threads = 1; threads <= 3; threads++) {
                    Run run = Run.of("run", model, "--random", "float32[1,3,32,32]", "--threads", threads, "-o", folder.resolve("out"));
                    assertEquals(0, run.code(), run.err());
                    assertEquals(threads, CpuThreads.count());
                    byte[] answer = Files.readAllBytes(folder.resolve("out0.npy"));
                    alone = alone == null ? answer : alone;
                    assertArrayEquals(alone, answer, model + " with " + threads + " threads");
                }
            }
        } finally {
            CpuThreads.set(before);
        }
        assertEquals(1, Run.of("run", floats, "--random", "float32[1,3,32,32]", "--threads", "0").code());
    }

    @Test
    void devicesAndTheRuntimeTellTheirLevels() {
        Run run = Run.of("devices");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().matches("(?s).*\nreference .*\nNNAPI runtime: .*\n.*"), run.out());
    }

    @Test
    void inspectsBothKinds() {
        assertTrue(Run.of("inspect", DIGITS.resolve("digits-cpu.pt")).out().contains("aten::_convolution"));
        assertTrue(Run.of("inspect", converted()).out().contains("DEPTHWISE_CONV_2D"));
    }

    @Test
    void inspectShowsTheTensorsOfOptimisedModels() throws Exception {
        Path optimised = folder.resolve("optimised.pt");
        assertEquals(0, Run.of("optimize", DIGITS.resolve("digits-cpu.pt"), "-o", optimised).code());
        Run text = Run.of("inspect", optimised);
        assertTrue(text.out().matches("(?s).*CONSTANTS\\.c0 +torch\\.classes\\.xnnpack\\.Conv2dOpContext +2 +\\d{3}.*float32 +\\d+ +[1-9]\\d{5}.*"),
            text.out());
        Path json = folder.resolve("summary.json");
        assertEquals(text.out(), Run.of("inspect", optimised, "--json", json).out());
        Run standard = Run.of("inspect", optimised, "--json", "-");
        assertTrue(standard.out().startsWith("{"), standard.out());
        com.fasterxml.jackson.databind.JsonNode told = new com.fasterxml.jackson.databind.ObjectMapper().readTree(json.toFile());
        assertEquals(told, new com.fasterxml.jackson.databind.ObjectMapper().readTree(standard.out()));
        assertEquals("CONSTANTS.c0", told.get("constants").get(0).get("name").asText());
        assertEquals("output: " + optimised + " is what is read (expected: another file)", Run.of("inspect", optimised, "--json", optimised).err().strip());
    }

    @Test
    void explainTellsOfProgramsOnTheCpu() {
        Run unconverted = Run.of("explain", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]");
        assertEquals(0, unconverted.code(), unconverted.err());
        assertTrue(unconverted.out().matches("(?s).*forward: 0 operators called, others in programs:.*convolution.*"), unconverted.out());
    }

    @Test
    void liteFilesAreWrittenAndRun() {
        Path lite = folder.resolve("net.ptl");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", lite, "--target", "pytorch-1.10");
        assertEquals(0, save.code(), save.err());
        assertTrue(save.out().contains("for PyTorch 1.10, byte code version 7"), save.out());
        assertEquals(Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3").out(), Run.of("run", lite, "--top", "3").out());
        Path converted = folder.resolve("net-nnapi.ptl");
        Run convert = Run.of("convert", DIGITS.resolve("digits-core.pt"), "--mode", "core", "-o", converted);
        assertEquals(0, convert.code(), convert.err());
        assertTrue(Run.of("inspect", lite).out().contains("that of PyTorch 1.10, PyTorch 1.11, PyTorch 1.12, PyTorch 1.13; not that of PyTorch 1.8: byte code "
            + "version 7 (it reads up to 5)"), Run.of("inspect", lite).out());
        assertEquals(Run.of("run", lite, "--top", "3").out(), Run.of("run", converted, "--top", "3").out());
        Path flat = folder.resolve("net-flat.ptl");
        Run saved = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat, "--flatbuffer");
        assertTrue(saved.out().contains("for PyTorch 1.13, byte code version 9, a flat buffer"), saved.out() + saved.err());
        assertEquals(Run.of("run", lite, "--top", "3").out(), Run.of("run", flat, "--top", "3").out());
        assertTrue(Run.of("inspect", flat).out().contains("no published one"), Run.of("inspect", flat).out());
        Run ordinary = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat.resolveSibling("ordinary.pt"), "--flatbuffer");
        assertEquals(1, ordinary.code(), ordinary.toString());
        assertTrue(ordinary.err().contains("ordinary.pt (expected: an output that ends in .ptl)"), ordinary.err());
        assertFalse(Files.exists(flat.resolveSibling("ordinary.pt")));
        Run early = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat, "--flatbuffer", "--target", "pytorch-1.10");
        assertTrue(early.err().contains("target: pytorch-1.10 as a flat buffer"), early.err());
    }

    @Test
    void optimizedModelsAnswerAsBefore() {
        for (String name : new String[] {"digits.pt", "digits.ptl"}) {
            Path target = folder.resolve(name);
            Run optimize = Run.of("optimize", DIGITS.resolve("digits-none.pt"), "-o", target);
            assertEquals(0, optimize.code(), optimize.err());
            assertTrue(optimize.out().matches("(?s).*\\d+ convolutions packed.*note: answers as the original does.*"), optimize.out());
            assertEquals(0, Run.of("run", target, "--top", "3").code());
        }
    }

    @Test
    void unknownTargetsAreRefusedBeforeAnythingIsWritten() {
        Path target = folder.resolve("net.ptl");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", target, "--target", "pytorch-3");
        assertEquals(1, save.code());
        assertTrue(save.err().contains("target: pytorch-3 (expected: one of [pytorch-1.8,"), save.err());
        assertFalse(Files.exists(target));
    }

    @Test
    void failedJobsEndWithOneAndLeaveNothing() throws java.io.IOException {
        Path broken = folder.resolve("broken.pt");
        Files.write(broken, new byte[] {'P', 'K', 3, 4, 0, 0});
        Path target = folder.resolve("out.pt");
        Run convert = Run.of("convert", broken, "-o", target);
        assertEquals(1, convert.code());
        assertFalse(convert.err().contains("\tat "), "a stack trace: " + convert.err());
        assertFalse(Files.exists(target));
        assertTrue(convert.err().startsWith(broken + ": archive: "), convert.err());
        Run diff = Run.of("diff", DIGITS.resolve("digits-cpu.pt"), broken, "-i", "float32[1,3,32,32]");
        assertTrue(diff.err().startsWith(broken + ": archive: "), "which of the two: " + diff.err());
        assertEquals(1, Run.of("run", folder.resolve("missing.pt")).code());
        assertEquals(1, Run.of("explain", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--json", "-").code());
        assertEquals(1, Run.of("bench", "--model", DIGITS.resolve("digits-cpu.pt")).code());
        Run unknown = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "--random", "float32[1,3,32,32]", "--method", "backward");
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().contains("backward"), unknown.err());
        assertEquals(unknown.err(), Run.of("run", DIGITS.resolve("digits-cpu.pt"), "--method", "backward").err());
    }

    @Test
    void whatCannotBeWrittenIsFoundBeforeTheWork() throws java.io.IOException {
        Path model = Files.copy(DIGITS.resolve("digits-core.pt"), folder.resolve("model.pt"));
        byte[] before = Files.readAllBytes(model);
        Run itself = Run.of("convert", model, "--mode", "core", "-o", model);
        assertEquals("output: " + model + " is what is read (expected: another file)", itself.err().strip());
        assertArrayEquals(before, Files.readAllBytes(model));
        String nowhere = folder.resolve("none").resolve("file").toString();
        for (Object[] words : new Object[][] {{"convert", model, "--mode", "core", "-o", nowhere}, {"convert", model, "--mode", "core", "--json", nowhere},
                {"run", model, "-o", nowhere}, {"profile", model, "--json", nowhere}, {"explain", model, "--json", nowhere},
                {"bench", "--model=" + model, "--use_bundled_input=0", "--csv=" + nowhere},
                {"bench", "--model=" + model, "--use_bundled_input=0", "--json=" + nowhere}}) {
            Run run = Run.of(words);
            assertEquals(1, run.code());
            assertEquals("", run.out());
            assertTrue(run.err().startsWith("output: " + nowhere) && run.err().contains("a folder that exists"), run.err());
        }
        Run kept = Run.of("demo", "--samples", DIGITS, "--keep", model);
        assertEquals(1, kept.code());
        assertTrue(kept.err().startsWith("keep: " + model), kept.err());
    }

    @Test
    void aDemoThatFailsLeavesNoFolder() throws IOException {
        Path samples = Files.createDirectory(folder.resolve("samples"));
        for (String file : List.of("digits-test-images.npy", "digits-test-labels.npy")) {
            Files.copy(DIGITS.resolve(file), samples.resolve(file));
        }
        Path kept = folder.resolve("kept");
        assertEquals(1, Run.of("demo", "--samples", samples, "--keep", kept).code());
        assertFalse(Files.exists(kept));
        Files.createDirectory(kept);
        assertEquals(1, Run.of("demo", "--samples", samples, "--keep", kept).code());
        assertTrue(Files.exists(kept), "it was there before");
    }

    @Test
    void numbersOutOfRangeAreNamedWithTheirRange() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        for (String size : new String[] {"0x0", "0", "-4x4", "99999999x4", "axb"}) {
            assertEquals("image size: " + size + " (expected: height and width from 1 to 9999, such as 224x224)",
                Run.of("run", model, "--input", folder.resolve("cat.png"), "--image-size=" + size).err().strip());
        }
        String random = "float32[1,3,32,32]";
        assertEquals("top: 0 (expected: >= 1)", Run.of("run", model, "--random", random, "--top", "0").err().strip());
        assertEquals("top: -1 (expected: >= 1)", Run.of("profile", model, "--random", random, "--top", "-1").err().strip());
        assertEquals("threads: 100000 (expected: 1 to 1024)", Run.of("run", model, "--random", random, "--threads", "100000").err().strip());
        Run huge = Run.of("run", model, "--random", "float32[99999999,99999999,9999999,99999]");
        assertEquals(1, huge.code());
        assertTrue(huge.err().contains("(expected: at most"), huge.err());
        assertEquals("compare_threads: 0 (expected: numbers >= 1, such as 1,2)",
            Run.of("bench", "--model=" + model, "--input_dims=1,3,32,32", "--input_type=float", "--compare_threads=0,1").err().strip());
        Run folderForModel = Run.of("run", folder, "--random", random);
        assertEquals(folder + ": is a folder (expected: a file written by torch.jit.save)", folderForModel.err().strip());
        assertEquals(0, Run.of("--version").code());
    }

    /** Some other size would stand for it, and nobody would know. */
    @Test
    void sizesLeftOpenAreNoSizesOfARun() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        for (String open : new String[] {"float32[0, 3, 32, 32]", "float32[-1, 3, 32, 32]"}) {
            for (String command : new String[] {"run", "profile"}) {
                Run run = Run.of(command, model, "-i", open);
                assertEquals(1, run.code(), command);
                assertTrue(run.err().startsWith("input: " + open + " leaves a size open (expected: every size, 1 or more"), run.err());
            }
        }
    }

    @Test
    void sizesThatNoTensorHasAreToldWhenConverting() {
        Run run = Run.of("convert", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[1,3,30000,30000]", "-o", folder.resolve("large.pt"));
        assertEquals(1, run.code());
        assertEquals("shape: [1, 3, 30000, 30000] (expected: at most 2147483647 elements)", run.err().strip());
        assertFalse(Files.exists(folder.resolve("large.pt")));
    }

    @Test
    void whatIsNoFileOfTheKindIsNamed() throws IOException {
        Path model = DIGITS.resolve("digits-cpu.pt");
        Path noText = Files.write(folder.resolve("labels.txt"), new byte[] {(byte) 0xff, (byte) 0xfe});
        Path taken = Files.writeString(folder.resolve("taken"), "");
        String input = "float32[1,3,32,32]";
        for (Object[][] call : new Object[][][] {
            {{"file: " + noText + " is no text (expected: a file in UTF-8)"}, {"run", model, "-i", input, "--top", "1", "--labels", noText}},
            {{"file: " + folder + " is a folder (expected: a file of text)"}, {"run", model, "-i", input, "--top", "1", "--labels", folder}},
            {{"file: " + noText + " is no text (expected: a file in UTF-8)"}, {"operators", "--missing", noText}},
            {{"image: " + folder + " is a folder (expected: a .npy, PNG, JPEG, GIF or BMP file)"}, {"run", model, "-i", folder}},
            {{"output: @" + folder}, {"convert", "@" + noText}}}) {
            Run run = Run.of(call[1]);
            assertEquals(1, run.code(), run.out());
            assertTrue(run.err().contains(call[0][0].toString()) && run.err().lines().count() == 1, run.err());
        }
        Run built = Run.of("clib", taken);
        assertEquals(1, built.code());
        assertTrue(built.err().lines().count() == 1 && !built.err().startsWith("/") && !built.err().contains("\tat "), built.err());
        Path page = folder.resolve("page.html");
        assertEquals(1, Run.of("explain", model, "-i", input, "--json", "-", "--html", page).code());
        assertFalse(Files.exists(page), "what is told as failed has written nothing");
    }

    @Test
    void wrongUsageEndsWithTwo() {
        assertEquals(2, Run.of("nonsense").code());
        assertEquals(2, Run.of("convert").code());
        assertEquals(2, Run.of("run", "model.pt", "--top", "many").code());
        assertEquals(2, Run.of().code());
        assertEquals(2, Run.of("conformance").code());
    }

    @Test
    void noOutputReplacesWhatIsRead() throws Exception {
        Path model = Files.copy(DIGITS.resolve("digits-cpu.pt"), folder.resolve("me.pt"));
        byte[] before = Files.readAllBytes(model);
        Path other = folder.resolve("other.json");
        List<Run> refused = List.of(Run.of("convert", model, "--json", model), Run.of("convert", model, "-o", model),
            Run.of("explain", model, "--random", "float32[1,3,32,32]", "--json", model),
            Run.of("profile", model, "--random", "float32[1,3,32,32]", "--json", model),
            Run.of("bench", "--model=" + model, "--input_dims=1,3,32,32", "--input_type=float", "--json=" + model),
            Run.of("bench", "--model=" + DIGITS.resolve("digits-cpu.pt"), "--compare=" + model, "--input_dims=1,3,32,32", "--input_type=float",
                "--csv=" + model));
        for (Run run : refused) {
            assertEquals(1, run.code(), run.out());
            assertTrue(run.err().startsWith("output: " + model + " is what is read (expected: another file)"), run.err());
        }
        Run twice = Run.of("convert", model, "-o", other, "--json", other);
        assertEquals(1, twice.code());
        assertTrue(twice.err().startsWith("output: " + other + " is named twice"), twice.err());
        assertFalse(Files.exists(other));
        Run made = Run.of("run", model, "--random", "float32[1,3,32,32]", "-o", folder.resolve("x"));
        assertEquals(0, made.code(), made.err());
        Path numbers = folder.resolve("x0.npy");
        byte[] answer = Files.readAllBytes(numbers);
        Run own = Run.of("run", model, "-i", numbers, "-o", folder.resolve("x"));
        assertTrue(own.err().startsWith("output: " + numbers + " is what is read"), own.err());
        Path names = Files.writeString(folder.resolve("names.txt"), "zero\none\n");
        Run labelled = Run.of("run", model, "--random", "float32[1,3,32,32]", "--top", "1", "--labels", names, "--json", names);
        assertTrue(labelled.err().startsWith("output: " + names + " is what is read"), labelled.err());
        assertEquals("zero\none\n", Files.readString(names));
        Path pictures = Files.createDirectory(folder.resolve("pictures"));
        Path calibration = Files.copy(numbersOfOneInput(), pictures.resolve("a.npy"));
        byte[] calibrating = Files.readAllBytes(calibration);
        for (String option : List.of("-o", "--json")) {
            Run quantized = Run.of("quantize", model, "--calibrate", pictures, option, calibration);
            assertEquals(1, quantized.code());
            assertTrue(quantized.err().startsWith("output: " + calibration + " is what is read"), quantized.err());
            assertArrayEquals(calibrating, Files.readAllBytes(calibration));
        }
        assertArrayEquals(before, Files.readAllBytes(model));
        assertArrayEquals(answer, Files.readAllBytes(numbers));
    }

    private Path numbersOfOneInput() throws IOException {
        Path file = folder.resolve("one-input.npy");
        Npy.write(file, Tensor.of(new float[3 * 32 * 32], 1, 3, 32, 32));
        return file;
    }

    /** Two ways to say what the inputs are, of which one would go unheard. */
    @Test
    void inputsOfABenchmarkAreSaidInOneWay() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        for (String other : List.of("--input_dims=1,3,32,32", "--use_bundled_input=0", "--no_inputs=true")) {
            Run bench = Run.of("bench", "--model=" + model, "--input=float32[1,3,32,32]", other, "--iter=1");
            assertEquals(1, bench.code());
            assertTrue(bench.err().startsWith("input: float32[1,3,32,32] beside other flags"), bench.err());
        }
    }

    @Test
    void profilesThatAreNoneNameTheFile() throws IOException {
        Path model = DIGITS.resolve("digits-core.pt");
        Path noise = Files.write(folder.resolve("noise.profile"), new byte[] {'x', 27, '[', '2', 'J', (byte) 200, 'x'});
        Path converted = folder.resolve("converted.pt");
        assertEquals(0, Run.of("convert", model, "-o", converted).code());
        Run damaged = Run.of("explain", converted, "--profile", noise);
        assertEquals(1, damaged.code());
        assertTrue(damaged.err().startsWith(noise + ": device profile, line 1: x?[2J?x: as first statement (expected: name NAME)"), damaged.err());
        for (String none : List.of(folder.toString(), "", "phone")) {
            Run unknown = Run.of("explain", converted, "--profile", none);
            assertEquals(1, unknown.code());
            assertTrue(unknown.err().startsWith("profile: \"" + none + "\" is no built-in one and no file (expected: one of [nnapi-1.0"), unknown.err());
        }
    }

    @Test
    void answersArePictureByPictureAndJson() throws Exception {
        Run two = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[2,3,32,32]", "--top", "1");
        assertEquals(0, two.code(), two.err());
        assertTrue(two.out().matches("(?s)picture 0\nclass +score.*\npicture 1\nclass +score.*"), two.out());
        Run json = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[1,3,32,32]", "--json", "-");
        assertEquals(0, json.code(), json.err());
        assertTrue(json.out().matches("(?s)\\{\\s*\"dtype\" : \"float32\",\\s*\"sizes\" : \\[ 1, 10 ],\\s*\"data\" : \\[ (-?[0-9.E-]+, ){9}-?[0-9.E-]+ ]\\s*}\\s*"), json.out());
        Run alone = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "float32[1,3,32,32]", "--json", "-", "--top", "1", "--placement", "-o", folder.resolve("out"));
        assertEquals(json.out(), alone.out(), alone.err());
        assertTrue(Files.exists(folder.resolve("out0.npy")));
        Run wrong = Run.of("run", DIGITS.resolve("digits-cpu.pt"), "-i", "[float32[1,3,32,32]]");
        assertEquals(1, wrong.code());
        assertTrue(wrong.err().startsWith("forward() argument "), wrong.err());
    }

    /** Who reads it as JSON reads all of it. */
    @Test
    void standardOutputIsJsonAloneWhereThatIsAsked() throws Exception {
        Path model = DIGITS.resolve("digits-cpu.pt");
        Path part = converted();
        String input = "float32[1,3,32,32]";
        Object[][] calls = {{"inspect", model, "--html", folder.resolve("a.html")}, {"explain", part, "--html", folder.resolve("b.html")},
            {"profile", model, "-i", input, "--iter", "1", "--html", folder.resolve("c.html"), "--trace", folder.resolve("c.json")},
            {"diff", DIGITS.resolve("digits-none.pt"), DIGITS.resolve("digits-core.pt"), "-i", input, "--bound", "200", "--cut", folder.resolve("d.pt"), "--html", folder.resolve("d.html")},
            {"run", part, "--top", "1", "--placement", "-o", folder.resolve("e")}, {"convert", DIGITS.resolve("digits-core.pt"), "-o", folder.resolve("f.pt")},
            {"optimize", model, "-o", folder.resolve("g.pt")}};
        for (Object[] call : calls) {
            Object[] words = Arrays.copyOf(call, call.length + 2);
            words[call.length] = "--json";
            words[call.length + 1] = "-";
            Run run = Run.of(words);
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).readTree(run.out());
            assertTrue(run.out().startsWith("{") || run.out().startsWith("["), Arrays.toString(words) + run.out() + run.err());
        }
        for (String written : List.of("a.html", "b.html", "c.html", "c.json", "d.pt", "d.html", "e0.npy", "f.pt", "g.pt")) {
            assertTrue(Files.size(folder.resolve(written)) > 0, written);
        }
    }

    @Test
    void benchmarksOnGivenInputsAndDevices() {
        Path model = DIGITS.resolve("digits-full.pt");
        Run bench = Run.of("bench", "--model=" + model, "--compare=" + model, "--input=quint8[1,3,32,32]@0.0157,64", "--iter=2", "--device=cpu");
        assertEquals(0, bench.code(), bench.err());
        assertTrue(bench.out().matches("(?s).*\nmodel +mean us +speed by means +median us +speed by medians +min +.*"), bench.out());
        Run unknown = Run.of("bench", "--model=" + model, "--input=quint8[1,3,32,32]@0.0157,64", "--iter=1", "--device=none");
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().contains("none"), unknown.err());
    }
}
