package org.torchnnapi.converter.free;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.torchnnapi.converter.free.FreeUnderTest.random;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptList;

class SampleShapesTest {
    private static final Random RANDOM = new Random(5);

    private static Node node(String kind) {
        return new Graph().create(kind);
    }

    private static int upTo(int most) {
        return 1 + RANDOM.nextInt(most);
    }

    @Test
    void convolutionsHaveTheShapeThatIsComputed() {
        for (int i = 0; i < 40; i++) {
            Tensor x = random(upTo(2), 2, 5 + upTo(6), 5 + upTo(6));
            Tensor weight = random(upTo(3), 2, upTo(3), upTo(3));
            int[] numbers = {upTo(3), upTo(3), upTo(3) - 1, upTo(3) - 1, upTo(2), upTo(2)};
            var module = FreeUnderTest.module(List.of(weight), "Tensor", String.format("torch.conv2d(x, CONSTANTS.c0, None, [%d, %d], [%d, %d], [%d, %d])", numbers[0],
                numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]));
            Tensor made = SampleShapes.zeros(node("aten::conv2d"), new Object[] {x, weight, null, ScriptList.ofInts(numbers[0], numbers[1]),
                ScriptList.ofInts(numbers[2], numbers[3]), ScriptList.ofInts(numbers[4], numbers[5]), 1L});
            assertArrayEquals(((Tensor) module.call("forward", x)).sizes(), made.sizes());
        }
    }

    @Test
    void productsHaveTheShapeThatIsComputed() {
        assertArrayEquals(new int[] {2, 3, 5}, SampleShapes.zeros(node("aten::linear"), new Object[] {random(2, 3, 4), random(5, 4), null}).sizes());
    }

    @Test
    void whatIsNotLegalIsComputedAndFails() {
        assertNull(SampleShapes.zeros(node("aten::linear"), new Object[] {random(2, 3), random(5, 4), null}));
        ScriptList one = ScriptList.ofInts(1, 1);
        assertNull(SampleShapes.zeros(node("aten::conv2d"), new Object[] {random(1, 2, 2, 2), random(1, 2, 5, 5), null, one, ScriptList.ofInts(0, 0), one, 1L}));
        assertNull(SampleShapes.zeros(node("aten::relu"), new Object[] {random(2)}));
    }
}
