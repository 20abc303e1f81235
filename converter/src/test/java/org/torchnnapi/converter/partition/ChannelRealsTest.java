package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** Weights with a scale a channel where NNAPI quantizes nothing. */
class ChannelRealsTest {
    /**
     * A convolution, ReLU and a linear layer, which the quantizer quantized with a scale a channel from eight random
     * images of 4 channels of 8x8.
     */
    private static final String FILE = "/per-channel.pt";

    @ParameterizedTest
    @ValueSource(ints = {27, 28})
    void productsAreForNnapiAndStepsStay(int android) throws IOException {
        ScriptModule module;
        try (InputStream file = ChannelRealsTest.class.getResourceAsStream(FILE)) {
            module = ScriptModule.of(TorchScriptArchive.of(file.readAllBytes()), FreeUnderTest.RUNTIME);
        }
        Conversion conversion = Converter.convert(
                module,
                ConversionOptions.defaults()
                        .withInputs(List.of(InputSpec.of(DType.FLOAT32, 1, 4, 8, 8)))
                        .withTarget(Target.ofAndroid(android))
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        String text = conversion.report().text();
        assertTrue(text.contains("100.0% of the multiply-adds, in 2 segments"), text);
        assertFalse(text.contains("x QUANTIZE\n"), text);
    }
}
