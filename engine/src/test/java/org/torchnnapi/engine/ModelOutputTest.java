package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.torchnnapi.tensor.Tensor;

class ModelOutputTest {
    private static final Tensor X = Tensor.of(new float[] {1, -2}, 2);

    private static ModelOutput answer(String type, String expression) throws IOException {
        try (LoadedModel model = TestModels.of(type, "return " + expression)) {
            return model.forward(X);
        }
    }

    private static void refuses(String message, Executable asked) {
        assertEquals(message, assertThrows(OutputTypeException.class, asked).getMessage());
    }

    @Test
    void aTensorIsOne() throws IOException {
        ModelOutput output = answer("Tensor", "torch.neg(x)");
        assertEquals(2, output.tensor().getDouble(1));
        assertSame(output.tensor(), output.tensors().get(0));
        refuses("forward: its result: a Tensor (expected: a tuple or list of at least 1)", () -> output.get(0));
        refuses("forward: its result: a Tensor (expected: a named tuple, or a dict of names)", output::named);
    }

    @Test
    void partsOfATupleSayWhatTheyAre() throws IOException {
        ModelOutput output = answer("Tuple[Tensor, List[int]]", "(torch.neg(x), [3])");
        assertEquals(2, output.tensor(0).getDouble(1));
        assertEquals(3L, output.get(1).get(0).value(Long.class));
        assertEquals(2, output.items().size());
        assertEquals(1, output.tensors().size());
        refuses("forward: its result: a Tuple[Tensor, List[int]] (expected: a Tensor)", output::tensor);
        refuses("forward: its result[1]: a List[int] (expected: a Tensor)", () -> output.tensor(1));
        refuses("forward: its result: no item 2 (expected: 0 to 1)", () -> output.get(2));
        refuses(
                "forward: its result[1][0]: a int (expected: a String)",
                () -> output.get(1).get(0).value(String.class));
    }

    @Test
    void partsOfADictHaveNames() throws IOException {
        ModelOutput output = answer("Dict[str, Tensor]", "{\"boxes\": torch.neg(x), \"scores\": x}");
        assertEquals(2, output.tensor("boxes").getDouble(1));
        assertEquals(Set.of("boxes", "scores"), output.named().keySet());
        refuses("forward: its result: no masks (expected: one of [boxes, scores])", () -> output.tensor("masks"));
    }
}
