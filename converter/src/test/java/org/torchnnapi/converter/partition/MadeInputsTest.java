package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Conversions of models of which only the types and sizes of inputs are given. */
class MadeInputsTest {
    private static Conversion convert(ScriptModule module, InputSpec... inputs) {
        return Converter.convert(
                module, ConversionOptions.defaults().withInputs(List.of(inputs)), FreeUnderTest.RUNTIME);
    }

    @Test
    void placesAreOnesThatSmallTablesHave() {
        Tensor table = FreeUnderTest.random(3, 4);
        Conversion conversion = convert(
                FreeUnderTest.module(List.of(table), "Tensor", "torch.embedding(CONSTANTS.c0, x)"),
                InputSpec.of(DType.INT64, 2, 9));
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains("random inputs, whole numbers of them 0 and 1"),
                conversion.report().text());
    }

    @Test
    void divisorsAreNotZeroIfModelsFailByThem() {
        Conversion conversion = convert(
                FreeUnderTest.module(
                        List.of(),
                        "Tensor",
                        "torch.mul(torch.clamp(x, -9, 9), torch.numel(torch.div(x, x, rounding_mode=\"floor\")))"),
                InputSpec.of(DType.INT64, 30));
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains("whole numbers of them 1"),
                conversion.report().text());
    }

    @Test
    void whatFailsOnAllIsToldAsOnTheFirst() {
        Conversion conversion = convert(
                FreeUnderTest.module(List.of(), "Tensor", "torch.reshape(x, [7])"), InputSpec.of(DType.FLOAT32, 2, 3));
        assertFalse(conversion.succeeded());
        assertEquals(1, conversion.refusals().size());
        assertTrue(
                conversion.refusals().get(0).found().contains("7"),
                conversion.report().text());
    }

    @Test
    void ofWhichNothingPaysIsToldSo() {
        ScriptModule module = FreeUnderTest.module(
                List.of(),
                "Tensor",
                "if bool(torch.gt(torch.sum(x), 0.)):",
                "  y = torch.tanh(x)",
                "else:",
                "  y = torch.sigmoid(x)",
                "y");
        Conversion conversion = convert(module, InputSpec.of(DType.FLOAT32, 2, 3));
        assertFalse(conversion.succeeded());
        assertEquals(
                List.of("parts on NNAPI must pay for a start of it and for copies"),
                conversion.refusals().stream().map(refusal -> refusal.rule()).toList());
    }
}
