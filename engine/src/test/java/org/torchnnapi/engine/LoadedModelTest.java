package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
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
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("m", 3).source("code/__torch__.py", SOURCE).data(new PickledObject("__torch__.M", new PickledDict(null))).write(out);
        return TorchScriptArchive.of(out.toByteArray());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stepsAreMeasuredFromWhenAskedOn(boolean specialise) throws IOException {
        try (LoadedModel model = LoadedModel.of(archive(), EngineOptions.defaults().withSpecialise(specialise))) {
            Tensor x = Tensor.of(new float[] {-1, 0, 3}, 3);
            model.call("forward", x);
            assertEquals(List.of(), model.stepTimes());
            model.profile();
            model.call("forward", x);
            List<ProfiledStep> steps = model.stepTimes();
            assertEquals(specialise ? List.of(LoadedModel.PROGRAM) : List.of(), steps.stream().map(ProfiledStep::device).distinct().toList());
            long whole = steps.stream().mapToLong(ProfiledStep::nanos).sum();
            assertEquals(specialise, whole > 0);
            model.call("forward", x);
            assertEquals(specialise, model.stepTimes().stream().mapToLong(ProfiledStep::nanos).sum() > whole);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void methodsAreSpecialisedUnlessToldOtherwise(boolean specialise) throws IOException {
        try (LoadedModel model = LoadedModel.of(archive(), EngineOptions.defaults().withSpecialise(specialise))) {
            assertEquals(0, model.memory().arenas());
            Tensor result = (Tensor) model.call("forward", Tensor.of(new float[] {-1, 0, 3}, 3));
            assertArrayEquals(new float[] {0, 0, 6}, result.toFloatArray());
            List<String> how = model.module().describeSpecialisations();
            assertEquals(specialise, how.stream().anyMatch(line -> line.startsWith("forward: 0 operators called")), how.toString());
            assertEquals(specialise, model.memory().arenas() > 0, model.memory().toString());
        }
    }

    @Test
    void savesAttributesAsTheyAreAndFilesBeside(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("saved.pt");
        String source = SOURCE.replace("  def forward", "  by : float\n  def forward").replace("torch.mul(x, 2.)", "torch.mul(x, self.by)");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("m", 3).source("code/__torch__.py", source).data(new PickledObject("__torch__.M", new PickledDict(null).put("by", 2.0)))
            .extra("kept", ByteBuffer.wrap(new byte[] {1})).write(out);
        try (LoadedModel model = LoadedModel.of(TorchScriptArchive.of(out.toByteArray()), EngineOptions.defaults())) {
            model.module().object().set("by", 5.0);
            model.save(file, Map.of("added", ByteBuffer.wrap(new byte[] {2, 3})));
        }
        try (LoadedModel saved = LoadedModel.load(file, EngineOptions.defaults())) {
            assertArrayEquals(new float[] {15}, ((Tensor) saved.call("forward", Tensor.of(new float[] {3}, 1))).toFloatArray());
            assertEquals(Set.of("kept", "added"), saved.module().archive().extraFiles().keySet());
        }
    }
}
