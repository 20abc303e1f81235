package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class ElementwiseTest {
    private static final Tensor X = random(2, 3, 4, 5);

    @Test
    void numbersStandOnEitherSide() {
        whole("MUL", X, List.of(), "torch.mul(x, 2)");
        whole("ADD MUL", X, List.of(), "torch.mul(torch.add(x, 1.5), 2)");
        whole("SUB", X, List.of(), "torch.rsub(x, 1)");
        whole("DIV", X, List.of(), "torch.div(x, 3)");
        whole("MUL DIV", X, List.of(), "torch.divide(torch.multiply(x, 2), 3)");
        whole("MUL ADD", X, List.of(random(5)), "torch.add(x, CONSTANTS.c0, alpha=2)");
    }

    /** What NNAPI does not take of whole numbers is no error to be reported. */
    @Test
    void wholeNumbersHaveFewerFunctions() {
        Tensor whole = Tensor.of(new int[] {0, 1, 2, 3, 4, -5}, 2, 3);
        whole(whole, List.of(), "torch.add(x, torch.neg(x), alpha=3)");
        whole(whole, List.of(), "torch.sub(x, torch.neg(x), alpha=-2)");
        for (String expression : new String[] {"torch.pow(x, torch.abs(x))", "torch.pow(x, 5)"}) {
            String told = FreeUnderTest.convert(FreeUnderTest.module(List.of(), "Tensor", expression), whole)
                    .report()
                    .text();
            assertFalse(told.contains("report this model"), told);
        }
    }

    @Test
    void ranksBroadcastAlsoBesideImages() {
        Tensor weight = random(3, 3, 1, 1);
        for (Tensor other :
                new Tensor[] {random(5), random(4, 1), random(3, 1, 1), random(1, 3, 1, 5), random(2, 1, 1, 1)}) {
            whole(
                    X,
                    List.of(weight, other),
                    "torch.mul(torch.silu(torch.conv2d(x, CONSTANTS.c0, None)), CONSTANTS.c1)");
            whole(
                    X,
                    List.of(weight, other),
                    "torch.sub(CONSTANTS.c1, torch.silu(torch.conv2d(x, CONSTANTS.c0, None)))");
        }
    }

    @Test
    void manyDimensionsFold() {
        whole(random(2, 3, 2, 2, 3), List.of(random(3, 1, 2, 3)), "torch.add(x, CONSTANTS.c0)");
        whole(random(2, 3, 2, 2, 3), List.of(), "torch.mul(x, torch.mean(x, [4], True))");
        // More groups than NNAPI has dimensions: one of the two is repeated.
        whole(
                random(2, 3, 2, 1, 3),
                List.of(random(2, 1, 2, 4, 3)),
                "torch.where(torch.gt(x, 0.), torch.neg(x), CONSTANTS.c0)");
        whole(random(1, 2, 3, 4, 1, 2), List.of(random(1, 2, 1, 4, 5, 2)), "torch.mul(x, CONSTANTS.c0)");
    }

    @Test
    void functionsAndPowers() {
        for (String expression : new String[] {
            "torch.exp(x)",
            "torch.sin(x)",
            "torch.cos(x)",
            "torch.floor(x)",
            "torch.square(x)",
            "torch.pow(x, 2)",
            "torch.pow(x, 3)",
            "torch.sqrt(torch.abs(x))",
            "torch.rsqrt(torch.add(torch.abs(x), 1))",
            "torch.log(torch.add(torch.abs(x), 1))",
            "torch.pow(torch.abs(x), 1.7)",
            "torch.reciprocal(torch.add(torch.abs(x), 1))",
            "torch.neg(x)",
            "torch.maximum(x, torch.neg(x))"
        }) {
            whole(X, List.of(), expression);
        }
    }

    @Test
    void choicesFollowComparisons() {
        whole(X, List.of(), "torch.where(torch.gt(x, 0.5), x, torch.neg(x))");
        whole(X, List.of(), "torch.masked_fill(x, torch.le(x, 0), -1.)");
        whole(X, List.of(), "torch.to(torch.logical_and(torch.gt(x, 0), torch.lt(x, 1)), 6)");
    }

    @Test
    void truthAndPlacesPassAsInt32() {
        whole(X, List.of(), "torch.gt(x, 0.5)");
        whole(X, List.of(), "torch.argmax(x, 1)");
        whole(X, List.of(), "torch.mean(x)");
    }

    @Test
    void bitsOfWholeNumbers() {
        Tensor numbers = Tensor.of(
                new int[] {0, 1, -1, 5, -6, 255, 256, -256, 0x7fffffff, 0x80000000, 0x12345678, -0x12345678}, 3, 4);
        Tensor others = Tensor.of(new int[] {3, -1, 0x55555555, -128}, 4);
        for (String name : new String[] {"bitwise_and", "bitwise_or", "bitwise_xor", "__and__", "__or__", "__xor__"}) {
            for (String other : new String[] {"CONSTANTS.c0", "0", "1", "12", "255", "2147483647", "-3"}) {
                whole(numbers, List.of(others), "torch." + name + "(x, " + other + ")");
            }
        }
        whole(numbers, List.of(), "torch.bitwise_not(x)");
        for (String shift : new String[] {
            "torch.__lshift__(x, 3)",
            "torch.__rshift__(x, 3)",
            "torch.__rshift__(x, 30)",
            "torch.bitwise_right_shift(x, 1)"
        }) {
            whole(numbers, List.of(), shift);
        }
        Tensor bytes = Tensor.of(DType.UINT8, new byte[] {0, 1, -1, 127, -128, 85}, 6);
        Tensor mask = Tensor.of(DType.UINT8, new byte[] {3, -1, -86, 15, -128, 85}, 6);
        for (String name : new String[] {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
            whole(bytes, List.of(mask), "torch." + name + "(x, CONSTANTS.c0)");
            whole(bytes, List.of(mask), "torch." + name + "(x, 12)");
        }
        whole(bytes, List.of(), "torch.bitwise_not(x)");
        whole(bytes, List.of(), "torch.__lshift__(x, 3)");
        for (String name : new String[] {"eq", "ne", "lt", "le", "gt", "ge"}) {
            whole(bytes, List.of(), "torch._cast_Int(torch." + name + "(x, -1))");
            whole(bytes, List.of(), "torch._cast_Int(torch." + name + "(x, 341))");
        }
    }
}
