package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

class LoadedModelTest {
    private static final String SOURCE = """
        class M(Module):
          __parameters__ = []
          __buffers__ = []
          def forward(self: __torch__.M,
            x: Tensor) -> Tensor:
            return torch.relu(torch.mul(x, 2.))
        """;

    private static TorchScriptArchive archive() throws IOException {
        return archive(SOURCE, new PickledDict(null));
    }

    private static TorchScriptArchive archive(String source, Object state) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("m", 3)
                .source("code/__torch__.py", source)
                .data(new PickledObject("__torch__.M", state))
                .write(out);
        return TorchScriptArchive.of(out.toByteArray());
    }

    /** As a converted one, and as org.pytorch's module. */
    @Test
    void closedModelAnswersNoMore() throws IOException {
        LoadedModel model = LoadedModel.of(archive(), EngineOptions.defaults());
        Tensor x = Tensor.of(new float[] {-1, 0, 3}, 3);
        model.call("forward", x);
        model.close();
        model.close();
        assertEquals(
                "model: closed (expected: one in use)",
                assertThrows(IllegalStateException.class, () -> model.call("forward", x))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stepsAreMeasuredFromWhenAskedOn(boolean specialise) throws IOException {
        try (LoadedModel model =
                LoadedModel.of(archive(), EngineOptions.defaults().withSpecialise(specialise))) {
            Tensor x = Tensor.of(new float[] {-1, 0, 3}, 3);
            model.call("forward", x);
            assertEquals(List.of(), model.stepTimes());
            model.profile();
            model.call("forward", x);
            List<ProfiledStep> steps = model.stepTimes();
            assertEquals(
                    specialise ? List.of(LoadedModel.PROGRAM) : List.of(),
                    steps.stream().map(ProfiledStep::device).distinct().toList());
            long whole = steps.stream().mapToLong(ProfiledStep::nanos).sum();
            assertEquals(specialise, whole > 0);
            model.call("forward", x);
            assertEquals(
                    specialise,
                    model.stepTimes().stream().mapToLong(ProfiledStep::nanos).sum() > whole);
        }
    }

    /** Loops without end as it is called, or as it is loaded; the module answers afterwards. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTakesLongerThanItMayFails(boolean specialise) throws IOException {
        EngineOptions options =
                EngineOptions.defaults().withSpecialise(specialise).withDeadline(Duration.ofMillis(300));
        String forward = "  def forward(self: __torch__.M, n: int) -> int:\n    i = 0\n    while torch.lt(i, n):\n"
                + "      i = torch.add(i, 1)\n    return i\n";
        try (LoadedModel model =
                LoadedModel.of(archive("class M(Module):\n" + forward, new PickledDict(null)), options)) {
            long start = System.nanoTime();
            ModelException e = assertThrows(ModelException.class, () -> model.call("forward", Long.MAX_VALUE));
            assertTrue(System.nanoTime() - start < 1_300_000_000L, "a second after the deadline");
            assertEquals("TimeoutError", e.pythonType());
            assertTrue(e.getMessage().startsWith("forward: not done after 300 ms"), e.getMessage());
            assertFalse(Thread.currentThread().isInterrupted());
            assertEquals(3L, model.call("forward", 3L));
        }
        TorchScriptArchive loops = archive(
                "class M(Module):\n  def __setstate__(self: __torch__.M, n: int) -> NoneType:\n    i = 0\n"
                        + "    while torch.lt(i, n):\n      i = torch.add(i, 1)\n    return None\n" + forward,
                Long.MAX_VALUE);
        ModelException e = assertThrows(ModelException.class, () -> LoadedModel.of(loops, options));
        assertEquals("TimeoutError", e.pythonType());
        // An interrupted load and an interrupted call throw the same.
        Thread.currentThread().interrupt();
        assertEquals(
                "KeyboardInterrupt",
                assertThrows(ModelException.class, () -> LoadedModel.of(loops, EngineOptions.defaults()))
                        .pythonType());
        assertTrue(Thread.interrupted());
        assertThrows(IllegalArgumentException.class, () -> options.withDeadline(Duration.ZERO));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void methodsAreSpecialisedUnlessToldOtherwise(boolean specialise) throws IOException {
        try (LoadedModel model =
                LoadedModel.of(archive(), EngineOptions.defaults().withSpecialise(specialise))) {
            assertEquals(0, model.memory().arenas());
            Tensor result = (Tensor) model.call("forward", Tensor.of(new float[] {-1, 0, 3}, 3));
            assertArrayEquals(new float[] {0, 0, 6}, result.toFloatArray());
            List<String> how = model.module().describeSpecialisations();
            assertEquals(
                    specialise,
                    how.stream().anyMatch(line -> line.startsWith("forward: 0 operators called")),
                    how.toString());
            assertEquals(specialise, model.memory().arenas() > 0, model.memory().toString());
        }
    }

    /** As somebody writes over it, whom mapped pages do not keep away. */
    @Test
    void fileThatIsCutShortIsSaid(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cut.pt");
        Files.copy(Path.of("../samples/digits/digits-cpu.pt"), file);
        try (LoadedModel model = LoadedModel.load(file, EngineOptions.defaults())) {
            try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
                cut.truncate(0);
            }
            ModelException e = assertThrows(
                    ModelException.class, () -> model.call("forward", Tensor.of(new float[3072], 1, 3, 32, 32)));
            assertTrue(e.getMessage().contains("its file can no longer be read (expected: "), e.getMessage());
        }
    }

    @Test
    void savesAttributesAsTheyAreAndFilesBeside(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("saved.pt");
        String source = SOURCE.replace("  def forward", "  by : float\n  def forward")
                .replace("torch.mul(x, 2.)", "torch.mul(x, self.by)");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("m", 3)
                .source("code/__torch__.py", source)
                .data(new PickledObject("__torch__.M", new PickledDict(null).put("by", 2.0)))
                .extra("kept", ByteBuffer.wrap(new byte[] {1}))
                .write(out);
        try (LoadedModel model = LoadedModel.of(TorchScriptArchive.of(out.toByteArray()), EngineOptions.defaults())) {
            model.module().object().set("by", 5.0);
            model.save(file, Map.of("added", ByteBuffer.wrap(new byte[] {2, 3})));
        }
        try (LoadedModel saved = LoadedModel.load(file, EngineOptions.defaults())) {
            assertArrayEquals(
                    new float[] {15}, ((Tensor) saved.call("forward", Tensor.of(new float[] {3}, 1))).toFloatArray());
            assertEquals(
                    Set.of("kept", "added"),
                    saved.module().archive().extraFiles().keySet());
        }
    }
}
