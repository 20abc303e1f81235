package org.torchnnapi.converter.free;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.quantize.CalibrationInputs;
import org.torchnnapi.converter.quantize.QuantizationOptions;
import org.torchnnapi.converter.quantize.QuantizationProgress;
import org.torchnnapi.converter.quantize.Quantizer;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** Weights with a scale a channel where NNAPI quantizes nothing. */
class ChannelRealsTest {
    private static ScriptModule perChannel(ScriptModule module) throws IOException {
        List<List<Object>> inputs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            inputs.add(List.of(FreeUnderTest.random(1, 4, 8, 8)));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Quantizer.quantize(module, CalibrationInputs.of(inputs), QuantizationOptions.defaults().withPerChannel(true), QuantizationProgress.NONE).writer().archive("q").write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), FreeUnderTest.RUNTIME);
    }

    @ParameterizedTest
    @ValueSource(ints = {27, 28})
    void productsAreForNnapiAndStepsStay(int android) throws IOException {
        ScriptModule module = perChannel(FreeUnderTest.module(List.of(FreeUnderTest.random(8, 4, 3, 3), FreeUnderTest.random(6, 8 * 64)), "Tensor",
            "y = torch.relu(torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1))", "torch.linear(torch.flatten(y, 1, -1), CONSTANTS.c1)").eval());
        Conversion conversion = Converter.convert(module, ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, 1, 4, 8, 8)))
            .withTarget(Target.ofAndroid(android)).withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        String text = conversion.report().text();
        assertTrue(text.contains("100.0% of the multiply-adds, in 2 segments"), text);
        assertFalse(text.contains("x QUANTIZE\n"), text);
    }
}
