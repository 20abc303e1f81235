package org.torchnnapi.testkit.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** That each way a model goes is judged, by answers that are right and by others. */
class PipelineSuiteTest {
    private static final DeviceSpeed ANY = DeviceSpeed.of("start=0,bytes=1e15");
    private static final String TENSOR = "{\"kind\":\"tensor\",\"file\":\"%s\",\"dtype\":\"float32\",\"shape\":[1,2],"
            + "\"memory_format\":\"contiguous\"}";

    @TempDir
    private Path folder;

    /** A case of two runs that both give {@code output} for (-1, 2). */
    private TorchCase written(String expression, String more, float... output) throws Exception {
        Path home = Files.createDirectories(folder.resolve("cases/one"));
        try (OutputStream out = Files.newOutputStream(home.resolve("model.pt"))) {
            new ArchiveWriter("net", 3)
                    .source(
                            "code/__torch__/net.py",
                            "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                                    + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    return "
                                    + expression + "\n")
                    .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                    .write(out);
        }
        Npy.write(home.resolve("in.npy"), Tensor.of(new float[] {-1, 2}, 1, 2));
        Npy.write(home.resolve("out.npy"), Tensor.of(output, 1, 2));
        String run = "{\"inputs\":[" + String.format(TENSOR, "in.npy") + "],\"output\":"
                + String.format(TENSOR, "out.npy") + "}";
        Files.writeString(
                home.resolve("case.json"), "{\"model\":\"model.pt\"" + more + ",\"runs\":[" + run + "," + run + "]}");
        return new TorchCase(
                "one",
                home,
                new ObjectMapper().readTree(home.resolve("case.json").toFile()));
    }

    private Map<String, Outcome> outcomes(TorchCase test) throws Exception {
        Path kept = Files.createDirectories(folder.resolve("kept"));
        return new PipelineSuite(EngineOptions.defaults(), ANY, Set.of(), kept).outcomes(test);
    }

    private static Set<String> failed(Map<String, Outcome> outcomes) {
        Set<String> failed = new TreeSet<>();
        outcomes.forEach((name, outcome) -> {
            if (outcome.status() == Outcome.Status.FAILED) {
                failed.add(name);
            }
        });
        return failed;
    }

    @Test
    void rightAnswersPassEveryWay() throws Exception {
        Map<String, Outcome> outcomes = outcomes(written("torch.relu(x)", "", 0, 2));
        assertEquals(Set.of(), failed(outcomes));
        assertTrue(Files.exists(folder.resolve("kept/one.save.pt")));
        assertTrue(Files.exists(folder.resolve("kept/one.optimize.ptl")));
        assertEquals(Outcome.passed(), outcomes.get("convert --profile"));
        assertEquals(Outcome.passed(), outcomes.get("convert --profile --android 28"));
    }

    @Test
    void wrongAnswersFailEveryWay() throws Exception {
        Set<String> failed = failed(outcomes(written("torch.relu(x)", "", -1, 2)));
        for (String name : List.of(
                "run",
                "run --interpret",
                "convert --profile",
                "convert --profile --runtime torch-nnapi",
                "convert --profile --android 29",
                "save.pt",
                "save.ptl",
                "save.ptl --target pytorch-1.8",
                "optimize.pt",
                "optimize.ptl")) {
            assertTrue(failed.contains(name), name + " of " + failed);
        }
    }

    @Test
    void sizesThatVaryAreForOpenConversionsAlone() throws Exception {
        String open = ",\"open\":[{\"dtype\":\"float32\",\"shape\":[-1,2]}]";
        Map<String, Outcome> outcomes = outcomes(written("torch.relu(x)", open, 0, 2));
        assertEquals(Set.of(), failed(outcomes));
        assertEquals(Outcome.Status.SKIPPED, outcomes.get("convert").status());
        assertEquals(Outcome.passed(), outcomes.get("convert --profile --input ?"));
    }

    @Test
    void casesMayBeForSomePipelines() throws Exception {
        assertEquals(
                Set.of("run", "save.ptl"),
                outcomes(written("torch.relu(x)", ",\"pipelines\":[\"run\",\"save.ptl\"]", 0, 2))
                        .keySet());
    }

    @Test
    void failuresAreToldByPipeline() throws Exception {
        written("torch.relu(x)", "", -1, 2);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        int failed = new TorchConformance(EngineOptions.defaults())
                .profile(ANY)
                .pipelines(List.of("run", "convert --profile"))
                .run(folder.resolve("cases"), "pipelines", "", false, new PrintStream(told));
        String text = told.toString(StandardCharsets.UTF_8);
        assertEquals(2, failed, text);
        assertTrue(text.contains("FAILED one [convert --profile]: run 0 output"), text);
        assertTrue(text.endsWith("0 passed, 2 failed, 0 skipped\n"), text);
        IllegalArgumentException unknown = assertThrows(
                IllegalArgumentException.class,
                () -> new PipelineSuite(EngineOptions.defaults(), ANY, Set.of("walk"), null));
        assertTrue(unknown.getMessage().startsWith("pipelines: [walk] (expected: of [run, "), unknown.getMessage());
    }
}
