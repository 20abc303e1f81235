package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** What is written into quantized tensors. Expected values are genuine PyTorch 1.13's. */
class QuantizedWritesTest {
    private static final Tensor X = Tensor.of(new float[] {-1, 2, 30, 4, 0.26f, 6}, 2, 3);
    private static final String BASE = "y = torch.quantize_per_tensor(x, 0.5, 10, 13)";
    private static final String OTHER = "z = torch.quantize_per_tensor(x, 0.25, 3, 13)";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                _0 = torch.copy_(y, torch.mul(x, 2))                                          | -2 4 60 8 0.5 12
                _0 = torch.copy_(torch.select(y, 0, 0), torch.mul(torch.select(x, 0, 1), 3))  | 12 1 18 4 0.5 6
                _0 = torch.copy_(torch.slice(y, 0, 1), torch.slice(x, 0, 0, 1))               | -1 2 30 -1 2 30
                _0 = torch.index_put_(y, [torch.tensor([0])], torch.slice(x, 0, 1, 2))        | 4 0.5 6 4 0.5 6
                """)
    void realNumbersAreQuantizedAsWhatTheyAreWrittenInto(String write, String expected) {
        Conversion conversion = converted(write);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals());
        requireResult(conversion, expected);
    }

    /** A whole tensor takes the scale of what is copied into it. */
    @Test
    void quantizedNumbersAreCopiedWithTheirScale() {
        Conversion conversion = converted(OTHER, "_0 = torch.copy_(y, z)");
        assertTrue(conversion.succeeded(), conversion.report().text());
        requireResult(conversion, "-0.75 2 30 4 0.25 6");
    }

    /** A part takes bytes as they are, which stand for other numbers there. */
    @Test
    void bytesOfAnotherScaleAreNotScaled() {
        Conversion conversion = converted(OTHER, "_0 = torch.copy_(torch.select(y, 0, 0), torch.select(z, 0, 1))");
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals());
        requireResult(conversion, "4.5 -3 8.5 4 0.5 6");
    }

    /** The refusal of a tensor with scales of channels says that it has them. */
    @Test
    void tensorsWithScalesOfChannelsAreRefusedByThatName() {
        String text = FreeUnderTest.convert(
                        FreeUnderTest.module(
                                List.of(),
                                "Tensor",
                                "y = torch.quantize_per_channel(x, torch.tensor([0.5, 0.25]), "
                                        + "torch.tensor([0, 1]), 0, 12)",
                                "_0 = torch.copy_(torch.select(y, 0, 0), torch.select(x, 0, 1))",
                                "torch.dequantize(y)"),
                        X)
                .report()
                .text();
        assertTrue(text.contains("one scale and zero point: qint8[2, 3] per channel (expected: quint8[2, 3])"), text);
        assertTrue(text.contains("one scale and zero point: qint8[3] (expected: quint8[3])"), text);
    }

    private static Conversion converted(String... writes) {
        String[] body = new String[writes.length + 2];
        body[0] = BASE;
        System.arraycopy(writes, 0, body, 1, writes.length);
        body[body.length - 1] = "torch.dequantize(y)";
        return FreeUnderTest.convert(FreeUnderTest.module(List.of(), "Tensor", body), X);
    }

    private static void requireResult(Conversion conversion, String expected) {
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), Runtimes.standard());
        double[] numbers = Arrays.stream(expected.split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
        Tensor result = SelfCheck.run(converted, "forward", List.of(X)).get(0);
        assertArrayEquals(
                numbers,
                doubles(result),
                1e-6,
                () -> Arrays.stream(doubles(result)).mapToObj(String::valueOf).collect(Collectors.joining(" ")));
    }

    private static double[] doubles(Tensor tensor) {
        double[] elements = new double[Math.toIntExact(tensor.numel())];
        Arrays.setAll(elements, tensor.contiguous()::getDouble);
        return elements;
    }
}
