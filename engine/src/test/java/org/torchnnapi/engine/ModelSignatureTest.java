package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ModelSignatureTest {
    private static final String TWO = """
        class M(Module):
          __parameters__ = []
          __buffers__ = []
          def forward(self: __torch__.M,
            image: Tensor,
            scale: float=2.) -> Tuple[Tensor, List[int]]:
            return (torch.mul(image, scale), [1])
          def get_all_bundled_inputs(self: __torch__.M) -> List[Tuple[Tensor]]:
            return [(torch.zeros([1, 3]),)]
        """;

    @Test
    void namesAndTypesAreThoseOfTheMethod() throws IOException {
        try (LoadedModel model = TestModels.of(TWO)) {
            assertEquals("""
                    input image: Tensor
                    input scale: float, may be left out
                    output output0: Tensor
                    output output1: List[int]
                    """, ModelSignature.of(model.module(), "forward").toText());
            assertEquals(
                    List.of("image: Tensor, such as float32[1,3]", "scale: float, may be left out"),
                    model.inputs().stream().map(ValueInfo::text).toList());
            assertEquals(
                    List.of("output0", "output1"),
                    model.outputs().stream().map(ValueInfo::name).toList());
            assertEquals(
                    "method: backward (expected: one of [forward, get_all_bundled_inputs])",
                    assertThrows(IllegalArgumentException.class, () -> ModelSignature.of(model.module(), "backward"))
                            .getMessage());
        }
    }

    @Test
    void inputsGoByNames() throws IOException {
        try (LoadedModel model = TestModels.of(TWO)) {
            Tensor x = Tensor.of(new float[] {1, 2}, 2);
            assertEquals(4, model.forward(Map.of("image", x)).tensor(0).getDouble(1));
            assertEquals(
                    6, model.forward(Map.of("scale", 3., "image", x)).tensor(0).getDouble(1));
            InputNamesException e = assertThrows(InputNamesException.class, () -> model.forward(Map.of("imgae", x)));
            assertEquals(
                    "forward inputs: imgae unknown; image missing (expected: those of [image, scale])", e.getMessage());
            assertEquals(List.of("imgae"), e.unknown());
            assertEquals(List.of("image"), e.missing());
            assertEquals(List.of("image", "scale"), e.known());
        }
    }
}
