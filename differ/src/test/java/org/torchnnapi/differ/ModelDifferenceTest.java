package org.torchnnapi.differ;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

class ModelDifferenceTest {
    private static final int UNITS = 16;

    private static Tensor random(int seed, int... shape) {
        Random random = new Random(seed);
        int count = 1;
        for (int size : shape) {
            count *= size;
        }
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian() / 4;
        }
        return Tensor.of(values, shape);
    }

    private static byte[] file(List<Object> constants, String... body) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line : body) {
            text.append("    ").append(line).append('\n');
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 10)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                                + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n" + text)
                .constants(constants)
                .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                .write(out);
        return out.toByteArray();
    }

    private static byte[] converted(byte[] file, Tensor input) {
        ScriptModule module = ScriptModule.of(TorchScriptArchive.of(file), Runtimes.standard());
        Conversion conversion = Converter.convert(
                module, ConversionOptions.defaults().withExample(List.of(input)), Runtimes.standard());
        assertTrue(conversion.succeeded(), conversion.report().text());
        return conversion.toBytes();
    }

    private static ModelDifference difference(byte[] one, byte[] other, Tensor input) {
        RecordedRun a = new RecordedRun();
        RecordedRun b = new RecordedRun();
        try (LoadedModel first = LoadedModel.of(
                        TorchScriptArchive.of(one),
                        EngineOptions.defaults().withObserver(a).withSpecialise(false));
                LoadedModel second = LoadedModel.of(
                        TorchScriptArchive.of(other),
                        EngineOptions.defaults().withObserver(b).withSpecialise(false))) {
            return ModelDifference.of(a.run(first, List.of(input)), b.run(second, List.of(input)));
        }
    }

    private static void requireEqual(int layers, ModelDifference difference) {
        assertEquals(layers, difference.layers().size());
        assertNull(
                difference.firstBelow(80),
                () -> difference.firstBelow(80).first().name() + " "
                        + difference.firstBelow(80).second().name());
    }

    /**
     * What the recurrent layer becomes has products of the same sizes, and NNAPI's linear layers have two dimensions,
     * which they are reshaped from before the activation.
     */
    @Test
    void layersAreFoundAmongTheOperationsOfAnUnrolledOne() throws IOException {
        int gates = 3 * UNITS;
        byte[] file = file(
                List.of(
                        random(1, gates, UNITS),
                        random(2, gates, gates),
                        random(3, gates, UNITS),
                        random(4, gates),
                        random(5, 1, 1, UNITS)),
                "y = torch.relu(torch.linear(x, CONSTANTS.c0))",
                "z, _0 = torch.gru(y, CONSTANTS.c4, [CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, CONSTANTS.c3], True, "
                        + "1, 0., False, False, True)",
                "return torch.linear(z, CONSTANTS.c0)");
        Tensor input = random(6, 1, 10, UNITS);
        requireEqual(2, difference(file, converted(file, input), input));
    }

    /** An operator may become many others. */
    @Test
    void modelsOfFewCommonLayersAreOneWhereThoseGiveTheSame() throws IOException {
        byte[] file = file(
                List.of(random(1, 8, 4, 3, 3, 3), random(2, 8, 8, 3, 1, 1), random(3, 5, 8)),
                "y = torch.relu(torch.conv3d(x, CONSTANTS.c0, None, [1, 2, 2], [1, 1, 1], [1, 1, 1], 1))",
                "z = torch.gelu(torch.conv3d(y, CONSTANTS.c1, None, [1, 1, 1], [1, 0, 0], [1, 1, 1], 1))",
                "return torch.linear(torch.mean(z, [2, 3, 4]), CONSTANTS.c2)");
        Tensor input = random(6, 1, 4, 4, 16, 16);
        ModelDifference difference = difference(file, converted(file, input), input);
        assertNull(difference.firstBelow(80));
        assertTrue(difference.results().get(0).decibels() > 80);
    }

    @Test
    void otherModelsWithResultsOfTheSameShapeAreRefused() throws IOException {
        Tensor input = random(6, 1, 10, UNITS);
        byte[] one = file(
                List.of(random(1, UNITS, UNITS)), "return torch.cumsum(torch.linear(torch.exp(x), CONSTANTS.c0), 1)");
        byte[] other = file(List.of(), "return torch.sin(torch.cos(torch.tanh(x)))");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> difference(one, other, input));
        assertTrue(e.getMessage().startsWith("models: 0 of 3 and 3 layers in common"), e.getMessage());
    }
}
