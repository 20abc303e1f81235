package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.tensor.Tensor;

class ByteFormsTest {
    private static final Tensor X = FreeUnderTest.random(1, 4, 6, 5);
    private static final String BYTES = "q = torch.quantize_per_tensor(x, 0.029999999999999999, 120, 13)";
    private static final String REAL = "r = torch.dequantize(q)";

    private static Conversion converted(ConversionOptions options, String... body) {
        ScriptModule module = FreeUnderTest.module(List.of(), "Tensor", body);
        Conversion conversion =
                Converter.convert(module, options.withExample(List.of(X)).withSelfCheck(true), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(module, conversion, X);
        return conversion;
    }

    private static String operations(Conversion conversion) {
        StringBuilder text = new StringBuilder();
        for (ModelAssembler.AssembledOperation operation :
                conversion.model().model().operations()) {
            text.append(text.length() == 0 ? "" : " ").append(operation.type());
        }
        return text.toString();
    }

    private static String onBytes(String form) {
        return "QUANTIZE " + form + " DEQUANTIZE";
    }

    /** By what NNAPI 1.3 has, and with the releases before; all 256 values are within a quantum. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ops.quantized.hardswish(q, 0.029999999999999999, 20); HARD_SWISH; ADD MUL MUL",
                "torch.hardsigmoid(q); ADD MUL; ADD MUL",
                "ops.quantized.sigmoid(q, 0.01, 10); LOGISTIC ADD; LOGISTIC ADD",
                "torch.tanh(q); TANH; TANH",
                "ops.quantized.leaky_relu(q, 0.10000000000000001, False, 0.02, 30); PRELU; PRELU",
                "ops.quantized.leaky_relu(q, -0.5, False, 0.02, 30); PRELU; PRELU",
                "ops.quantized.add_scalar(q, 0.69999999999999996); ADD; ADD",
                "ops.quantized.mul_scalar_relu(q, 1.5); MUL; MUL"
            })
    void functionsOfBytes(String function, String latest, String earlier) {
        for (int android : new int[] {30, 29}) {
            Conversion conversion = converted(
                    ConversionOptions.defaults().withTarget(Target.ofAndroid(android)),
                    BYTES,
                    "torch.dequantize(" + function + ")");
            assertEquals(onBytes(android == 30 ? latest : earlier), operations(conversion));
            List<ByteForm> forms = conversion.model().model().byteForms();
            assertTrue(forms.stream().allMatch(ByteForm::isClose), forms.toString());
            assertTrue(
                    conversion.report().text().contains("on bytes"),
                    conversion.report().text());
        }
    }

    /** What stands between a step to real numbers and one back is one function, however it is spelled. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "torch.silu(r); LOGISTIC MUL",
                "torch.mul(r, torch.sigmoid(r)); LOGISTIC MUL",
                "torch.gelu(r); MUL LOGISTIC MUL",
                "torch.mul(r, torch.div(torch.hardtanh(torch.add(r, 3), 0., 6.), 6)); HARD_SWISH",
                "torch.leaky_relu(r, 0.20000000000000001); PRELU",
                "torch.mul(r, 0.5); MUL",
                "torch.elu(r); MUL TANH MUL TANH ADD MUL ADD ADD",
                "torch.elu(r, 0.5); MUL TANH MUL TANH ADD MUL ADD ADD",
                "torch.celu(r, 2.); MUL TANH MUL TANH ADD MUL ADD ADD",
                "torch.relu(r); ADD"
            })
    void functionsOfRealNumbersBetween(String function, String form) {
        Conversion conversion = converted(
                ConversionOptions.defaults(),
                BYTES,
                REAL,
                "torch.dequantize(torch.quantize_per_tensor(" + function + ", 0.029999999999999999, 60, 13))");
        assertEquals(onBytes(form), operations(conversion));
    }

    /** Without HARD_SWISH where the device has none. */
    @Test
    void formsKeepToTheDevicesOperations() {
        Target target = Target.DEFAULT.withDevice(DeviceProfile.builtIn("quantized-npu"));
        Conversion conversion = converted(
                ConversionOptions.defaults().withTarget(target),
                BYTES,
                "torch.dequantize(ops.quantized.hardswish(q, 0.029999999999999999, 20))");
        assertEquals(onBytes("ADD MUL MUL"), operations(conversion));
    }

    /** To the bit where that is asked for, and where there is no form that is near enough. */
    @Test
    void theOthersAreRealNumbers() {
        String hardSwish = "torch.dequantize(ops.quantized.hardswish(q, 0.031, 20))";
        Conversion exact = converted(ConversionOptions.defaults().withExact(true), BYTES, hardSwish);
        assertEquals("QUANTIZE DEQUANTIZE HARD_SWISH QUANTIZE DEQUANTIZE", operations(exact));
        assertEquals(List.of(), exact.model().model().byteForms());
        Conversion far = converted(
                ConversionOptions.defaults(),
                BYTES,
                REAL,
                "torch.dequantize(torch.quantize_per_tensor(torch.sin(torch.mul(r, 3)), 0.01, 128, 13))");
        assertTrue(operations(far).contains("SIN"), operations(far));
    }

    /** Two tensors, or one that depends on its neighbours, are no function of a byte. */
    @Test
    void whatIsNoFunctionOfOneByteStays() {
        for (String function : new String[] {"torch.mul(r, torch.flip(r, [3]))", "torch.softmax(r, 1)"}) {
            Conversion conversion = converted(
                    ConversionOptions.defaults(),
                    BYTES,
                    REAL,
                    "torch.dequantize(torch.quantize_per_tensor(" + function + ", 0.050000000000000003, 100, 13))");
            assertEquals(List.of(), conversion.model().model().byteForms(), function);
        }
    }

    /** What other nodes read of the real numbers is computed for these, and for nobody else. */
    @Test
    void realNumbersStayForWhoReadsThem() {
        Conversion conversion = converted(
                ConversionOptions.defaults(),
                BYTES,
                REAL,
                "s = torch.silu(r)",
                "b = torch.quantize_per_tensor(s, 0.029999999999999999, 60, 13)",
                "torch.add(torch.dequantize(b), torch.sin(r))");
        assertFalse(operations(conversion).contains("QUANTIZE DEQUANTIZE QUANTIZE"), operations(conversion));
        assertEquals(1, conversion.model().model().byteForms().size());
    }
}
