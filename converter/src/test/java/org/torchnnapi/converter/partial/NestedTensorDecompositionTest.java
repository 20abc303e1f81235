package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/**
 * Encoder layers over sequences without their padding, (batch 2, time 5, features 4), which are as long as the first
 * feature of each says.
 */
class NestedTensorDecompositionTest {
    private static final SegmentCost FREE = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));
    private static final List<Tensor> WEIGHTS =
            List.of(random(12, 4), random(12), random(4, 4), random(4), random(6, 4), random(6), random(4, 6));
    private static final String MASK =
            "m = torch.le(torch.arange(5), torch.unsqueeze(torch.select(torch.select(x, 2, 0), 1, 0), 1))";
    private static final String NEST = "n = torch._nested_tensor_from_mask(x, m, False)";

    private static String layer(String in, boolean first) {
        return "torch._transformer_encoder_layer_fwd(" + in
                + ", 4, 2, CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, True, " + (first ? "True" : "False")
                + ", 1e-05, CONSTANTS.c3, CONSTANTS.c3, CONSTANTS.c3, CONSTANTS.c3, CONSTANTS.c4, CONSTANTS.c5, "
                + "CONSTANTS.c6, CONSTANTS.c3)";
    }

    private static Tensor sequences(int first, int second) {
        Tensor x = random(2, 5, 4).contiguous();
        x.storage().floatArray()[0] = first - 0.5f;
        x.storage().floatArray()[20] = second - 0.5f;
        return x;
    }

    private static Conversion converted(String... body) {
        ScriptModule original = FreeUnderTest.module(WEIGHTS, "Tensor", body);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(List.of(sequences(5, 3)))
                        .withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        for (Tensor x : List.of(sequences(5, 3), sequences(2, 4), sequences(1, 1), sequences(5, 5))) {
            FreeUnderTest.compare(original, conversion, x);
        }
        return conversion;
    }

    @Test
    void layersOneAfterTheOther() {
        Conversion conversion = converted(
                MASK,
                NEST,
                "a = " + layer("n", false),
                "b = " + layer("a", true),
                "torch.relu(torch.to_padded_tensor(b, 0.25))");
        assertEquals(
                1,
                conversion.report().coverage().segments(),
                conversion.report().text());
        assertEquals(
                conversion.report().coverage().allMultiplyAdds(),
                conversion.report().coverage().multiplyAdds());
    }

    @Test
    void whatIsPooledOrPickedStaysOnNnapi() {
        assertEquals(
                List.of(),
                converted(
                                MASK,
                                NEST,
                                "a = torch.to_padded_tensor(" + layer("n", false) + ", 0.)",
                                "torch.select(torch.layer_norm(a, [4]), 1, 0)")
                        .refusals());
        assertEquals(
                List.of(),
                converted(
                                MASK,
                                NEST,
                                "a = torch.to_padded_tensor(" + layer("n", false) + ", 0.)",
                                "torch.add(torch.mean(a, [1]), torch.amax(a, [1]))")
                        .refusals());
    }
}
