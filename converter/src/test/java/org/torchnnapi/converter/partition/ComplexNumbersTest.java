package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/**
 * Complex numbers inside of a model; genuine PyTorch's answers are those of the deployed models spectral_mask,
 * fourier_mixer, fourier_operator and turned_places.
 */
class ComplexNumbersTest {
    private static final Tensor PAIRS = FreeUnderTest.random(2, 6, 2);
    private static final Tensor ROWS = FreeUnderTest.random(2, 3, 6);

    private static void whole(Tensor input, List<Tensor> constants, String... body) {
        List<String> made = FreeUnderTest.whole(input, constants, body);
        assertFalse(made.isEmpty(), String.join("; ", body));
    }

    @Test
    void operatorsOfComplexNumbersAreOperatorsOfTheirParts() {
        for (String expression : List.of(
                "torch.mul(z, w)",
                "torch.add(z, w)",
                "torch.sub(z, w, alpha=2)",
                "torch.div(z, w)",
                "torch.mul(z, 3)",
                "torch.div(z, 4)",
                "torch.conj_physical(z)",
                "torch.neg(z)",
                "torch.matmul(z, torch.transpose(w, 0, 1))",
                "torch.einsum(\"ab,cb->ac\", [z, w])",
                "torch.cat([z, w], 1)",
                "torch.stack([z, w], -1)",
                "torch.slice(torch.flip(z, [1]), 1, 1, 9, 2)",
                "torch.sum(z, [1])",
                "torch.exp(z)",
                "torch.mul(z, torch.real(w))",
                "torch.add(z, torch.imag(w))",
                "torch.sub(torch.real(z), w)",
                "torch.complex(torch.abs(z), torch.angle(w))",
                "torch.polar(torch.abs(z), torch.imag(w))")) {
            whole(
                    PAIRS,
                    List.of(FreeUnderTest.random(2, 6, 2)),
                    "z = torch.view_as_complex(x)",
                    "w = torch.view_as_complex(torch.add(torch.mul(x, 0.5), 1.))",
                    "torch.view_as_real(" + expression + ")");
        }
    }

    @Test
    void realNumbersBecomeComplexAndBack() {
        whole(
                ROWS,
                List.of(),
                "z = torch.fft_fft(torch.to(x, 9))",
                "torch.add(torch.to(torch.to(z, 9), 6), torch.imag(z))");
    }

    @Test
    void constantsMayBeComplex() {
        whole(
                PAIRS,
                List.of(FreeUnderTest.random(6, 2)),
                "z = torch.mul(torch.view_as_complex(x), torch.view_as_complex(CONSTANTS.c0))",
                "torch.add(torch.real(z), torch.imag(z))");
    }

    @Test
    void transformsAreProductsWithMatrices() {
        for (String norm : List.of("None", "\"ortho\"", "\"forward\"")) {
            for (String dimension : List.of("-1", "1")) {
                for (String length : List.of("None", "4", "9")) {
                    String rest = ", " + length + ", " + dimension + ", " + norm + ")";
                    whole(ROWS, List.of(), "z = torch.fft_rfft(x" + rest, "torch.sub(torch.real(z), torch.imag(z))");
                    whole(ROWS, List.of(), "torch.fft_irfft(torch.fft_fft(x, None, -2)" + rest);
                    whole(
                            ROWS,
                            List.of(),
                            "z = torch.fft_ifft(torch.fft_fft(x" + rest + rest,
                            "torch.add(torch.mul(torch.real(z), 2), torch.imag(z))");
                }
            }
        }
        whole(ROWS, List.of(), "torch.fft_irfft2(torch.fft_rfft2(x), [3, 6])");
        whole(ROWS, List.of(), "torch.abs(torch.fft_fftn(x, None, [0, 2]))");
        whole(ROWS, List.of(), "torch.fft_irfftn(torch.fft_rfftn(x, [2, 4], [1, 2]), [3, 7], [1, 2], \"ortho\")");
    }

    @Test
    void framesOfASignalAreConvolutions() {
        Tensor signal = FreeUnderTest.random(2, 40);
        for (String rest : List.of(
                "8, 4, 8, CONSTANTS.c0, False, True, True",
                "8, 3, 6, CONSTANTS.c1, True, False, True",
                "8, None, None, None, False, None, True")) {
            whole(
                    signal,
                    List.of(FreeUnderTest.random(8), FreeUnderTest.random(6)),
                    "z = torch.stft(x, " + rest + ")",
                    "torch.add(torch.real(z), torch.imag(z))");
        }
        whole(FreeUnderTest.random(40), List.of(), "torch.stft(x, 8, 4, 8, None, False, True, False)");
        Tensor window = Tensor.of(new float[] {0.1f, 0.5f, 0.9f, 1, 1, 0.9f, 0.5f, 0.1f}, 8);
        for (String rest : List.of(
                "True, False, True, None",
                "True, True, None, 30",
                "True, False, True, 45",
                "False, False, True, None")) {
            whole(
                    signal,
                    List.of(window),
                    "torch.istft(torch.stft(x, 8, 3, 8, CONSTANTS.c0, False, True, True), 8, 3, 8, CONSTANTS.c0, "
                            + rest + ")");
        }
    }

    /** The matrix would be larger than 16 MB. */
    @Test
    void longTransformsStay() {
        Tensor signal = FreeUnderTest.random(1, 4096);
        Conversion conversion = FreeUnderTest.convert(
                FreeUnderTest.module(
                        List.of(FreeUnderTest.random(64, 64)),
                        "Tensor",
                        "y = torch.view(torch.abs(torch.fft_fft(x)), [64, 64])",
                        "torch.matmul(torch.matmul(torch.matmul(y, CONSTANTS.c0), CONSTANTS.c0), CONSTANTS.c0)"),
                signal);
        assertTrue(
                conversion.refusals().stream()
                        .anyMatch(refusal -> refusal.node().equals("aten::fft_fft")),
                conversion.report().text());
    }

    @Test
    void resultsMayBeComplex() {
        ScriptModule original = FreeUnderTest.module(
                List.of(FreeUnderTest.random(6, 6)),
                "Tensor",
                "y = torch.matmul(torch.select(x, -1, 0), CONSTANTS.c0)",
                "z = torch.mul(torch.complex(y, torch.select(x, -1, 1)), 2)",
                "z");
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(List.of(PAIRS))
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(
                List.of("aten::complex"),
                conversion.refusals().stream()
                        .map(refusal -> refusal.node())
                        .distinct()
                        .toList());
        FreeUnderTest.compare(original, conversion, PAIRS);
    }
}
