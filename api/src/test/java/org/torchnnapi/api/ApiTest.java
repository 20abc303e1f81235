package org.torchnnapi.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** The doors as an application uses them, over the digits sample. */
class ApiTest {
    private static final Path DIGITS = Path.of("..", "samples", "digits");

    @TempDir
    private Path folder;

    @Test
    void convertsLoadsRunsAndExplains() throws IOException {
        Path converted = folder.resolve("digits-nnapi.pt");
        Conversion conversion = Converter.convert(DIGITS.resolve("digits-none.pt"), ConversionOptions.defaults());
        assertTrue(conversion.succeeded(), () -> conversion.report().text());
        conversion.write(converted);
        Tensor image = Tensor.zeros(DType.FLOAT32, 1, 3, 32, 32);
        NnapiRuntime runtime = NnapiRuntime.create();
        assertTrue(runtime.devices().contains("reference"));
        try (LoadedModel fast = runtime.load(converted);
                LoadedModel plain = runtime.withDevices("reference").load(converted);
                LoadedModel original = runtime.load(DIGITS.resolve("digits-none.pt"))) {
            assertEquals(List.of(1, 3, 32, 32), fast.inputs().get(0).sizes());
            Explanation explanation = Explanation.of(fast, image);
            assertEquals(1, explanation.placements().size());
            assertTrue(explanation.toText().contains("CONV_2D"), explanation::toText);
            assertTrue(explanation.toMap().toString().contains("costMicros"));
            Explanation reference = Explanation.of(plain, image);
            assertTrue(reference.placements().get(0).operations().stream()
                    .allMatch(operation -> operation.device().equals("reference")));
            float[] expected = plain.forward(image).tensor().toFloatArray();
            assertArrayEquals(expected, fast.forward(image).tensor().toFloatArray(), 1e-4f);
            Explanation programs = Explanation.of(original, image);
            assertTrue(programs.placements().isEmpty());
            assertTrue(programs.toText().contains("convolution"), programs::toText);
        }
        assertThrows(NnapiException.class, () -> runtime.withDevices("gpu"));
        assertThrows(IOException.class, () -> runtime.load(folder.resolve("none.pt")));
    }
}
