package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/** What a conversion holds of weights that lie in a file. */
class ConversionMemoryTest {
    /** Scales and shifts of channels become arrays. */
    private static final long SMALL = 16 * 1024;

    @TempDir
    private Path folder;

    private void requireSmall(ScriptModule original, Conversion conversion, String when) {
        assertTrue(
                original.archive().arrayBytes() < SMALL,
                when + ": " + original.archive().arrayBytes() + " bytes of the original");
        long held = conversion.model().model().weights().stream()
                .mapToLong(weight -> weight.storage().heapBytes())
                .sum();
        assertTrue(held < SMALL, when + ": " + held + " bytes of the converted module");
    }

    private void staysInTheFile(Tensor input, List<Tensor> constants, String... body) throws IOException {
        ScriptModule original = FreeUnderTest.module(constants, "Tensor", body);
        Conversion conversion = FreeUnderTest.convert(original, input);
        assertTrue(conversion.succeeded(), conversion.report().text());
        requireSmall(original, conversion, "converted");
        conversion.write(folder.resolve("net-nnapi.pt"));
        requireSmall(original, conversion, "written");
        FreeUnderTest.compare(original, conversion, input);
    }

    @Test
    void convolutionsAreFoldedAndArrangedAsTheyAreWritten() throws IOException {
        Tensor channels = FreeUnderTest.random(96);
        Tensor variance = Tensor.of(new float[96], 96);
        Arrays.fill(variance.storage().floatArray(), 2);
        staysInTheFile(
                FreeUnderTest.random(1, 64, 6, 6),
                List.of(FreeUnderTest.random(96, 64, 3, 3), channels, variance),
                "_0 = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)",
                "_1 = torch.batch_norm(_0, CONSTANTS.c1, CONSTANTS.c1, CONSTANTS.c1, CONSTANTS.c2, False, 0.1, "
                        + "1e-05, True)",
                "torch.silu(_1)");
    }

    @Test
    void layersBehindFlattenedImagesAreArrangedAsTheyAreWritten() throws IOException {
        staysInTheFile(
                FreeUnderTest.random(1, 8, 8, 8),
                List.of(FreeUnderTest.random(8, 8, 1, 1), FreeUnderTest.random(128, 512)),
                "_0 = torch.silu(torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [0, 0], [1, 1], 1))",
                "torch.linear(torch.flatten(_0, 1, -1), CONSTANTS.c1)");
    }
}
