package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.tensor.Tensor;

/**
 * What a module holds does not grow with the shapes that it has seen. Bytes are counted, so nothing depends on when
 * memory is given back.
 */
class MemoryTest {
    private static final int WIDTH = 256;
    private static final long WEIGHTS = 2L * WIDTH * WIDTH * Float.BYTES;
    private static final List<String> LINES =
            List.of("y = torch.relu(torch.linear(x, CONSTANTS.c0))", "return torch.linear(y, CONSTANTS.c1)");

    private static Methods module(Object... constants) {
        return Methods.forward(1, LINES, constants);
    }

    @Test
    void fortyLengthsTakeOneLengthsMemory() {
        Methods methods = module(Agreement.floats(WIDTH, WIDTH), Agreement.floats(WIDTH, WIDTH));
        methods.specialise("forward", Agreement.floats(40, WIDTH));
        long weights = methods.memory().weights();
        long working = methods.memory().working();
        long packed = Kernels.sharedWeightBytes();
        assertEquals(WEIGHTS, weights);
        assertTrue(working > 0);
        for (int length = 1; length <= 40; length++) {
            methods.specialise("forward", Agreement.floats(length, WIDTH));
        }
        assertEquals(weights, methods.memory().weights());
        assertTrue(
                methods.memory().working() <= 1.3 * working,
                methods.memory() + " (expected: about " + working + " bytes to work in)");
        assumeTrue(packed > 0, "these kernels are not native");
        // What others had before may have been given back meanwhile, which only makes it less.
        assertTrue(
                Kernels.sharedWeightBytes() <= packed + WEIGHTS / 10,
                "packed: " + Kernels.sharedWeightBytes() + " bytes (expected: about " + packed + ")");
    }

    /** Convolutions of each kind, where the best arrangement of weights may hang on the number and size of images. */
    @Test
    void sixteenBatchesTakeTheLargestBatchsMemory() {
        int channels = 64;
        Tensor[] constants = {
            Agreement.floats(channels, channels, 3, 3),
            Agreement.floats(channels, channels, 1, 1),
            Agreement.floats(channels, 1, 3, 3)
        };
        long elements = Arrays.stream(constants).mapToLong(Tensor::numel).sum();
        List<String> lines = List.of(
                "y = torch.relu(torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1))",
                "z = torch.relu(torch.conv2d(y, CONSTANTS.c1, None, [2, 2], [0, 0], [1, 1], 1))",
                "return torch.conv2d(z, CONSTANTS.c2, None, [1, 1], [1, 1], [1, 1], " + channels + ")");
        Methods methods = Methods.forward(1, lines, (Object[]) constants);
        methods.specialise("forward", Agreement.floats(16, channels, 14, 14));
        long weights = methods.memory().weights();
        long working = methods.memory().working();
        long packed = Kernels.sharedWeightBytes();
        for (int batch = 1; batch <= 16; batch++) {
            methods.specialise("forward", Agreement.floats(batch, channels, 14, 14));
        }
        assertEquals(16, methods.compilations());
        assertTrue(
                methods.memory().weights() <= 1.3 * weights,
                methods.memory() + " (expected: about " + weights + " bytes of weights)");
        assertTrue(
                methods.memory().working() <= 1.3 * working,
                methods.memory() + " (expected: about " + working + " bytes to work in)");
        assumeTrue(packed > 0, "these kernels are not native");
        assertTrue(
                Kernels.sharedWeightBytes() <= packed + elements * Float.BYTES / 3,
                "packed: " + Kernels.sharedWeightBytes() + " bytes (expected: about " + packed + ")");
    }

    @Test
    void modulesOfTheSameWeightsShareThem() {
        Tensor[] constants = {Agreement.floats(WIDTH, WIDTH), Agreement.floats(WIDTH, WIDTH)};
        Methods first = module((Object[]) constants);
        first.specialise("forward", Agreement.floats(8, WIDTH));
        long packed = Kernels.sharedWeightBytes();
        assumeTrue(packed > 0, "these kernels are not native");
        Methods second = module((Object[]) constants);
        Tensor x = Agreement.floats(8, WIDTH);
        Agreement.equal(first.specialise("forward", x), second.specialise("forward", x), "the same");
        assertTrue(
                Kernels.sharedWeightBytes() <= packed,
                "packed: " + Kernels.sharedWeightBytes() + " (expected: at most " + packed + ")");
        assertEquals(WEIGHTS, first.memory().weights());
    }

    /** Elements that are changed without a word tell whether they are read again. */
    @ParameterizedTest
    @CsvSource({"gru, 3", "rnn_tanh, 1"})
    void aNewShapeDoesNotReadRecurrentWeightsAgain(String network, int gates) {
        int units = 64;
        Tensor[] constants = {Agreement.floats(gates * units, units), Agreement.floats(gates * units, units)};
        for (Tensor constant : constants) {
            float[] values = constant.storage().floatArray();
            for (int i = 0; i < values.length; i++) {
                values[i] /= units;
            }
        }
        List<String> lines = List.of(
                "y, h = torch." + network + "(x, y, [CONSTANTS.c0, CONSTANTS.c1], False, 1, 0., False, False, False)",
                "return y");
        Methods methods = Methods.forward(2, lines, (Object[]) constants);
        methods.specialise("forward", Agreement.floats(3, 1, units), Agreement.floats(1, 1, units));
        assertEquals(1, methods.compilations());
        assumeTrue(Kernels.sharedWeightBytes() > 0, "these kernels are not native");
        Tensor x = Agreement.floats(5, 1, units);
        Tensor state = Agreement.floats(1, 1, units);
        Object expected = methods.interpret("forward", x, state);
        for (Tensor constant : constants) {
            Arrays.fill(constant.storage().floatArray(), Float.NaN);
        }
        Agreement.equal(expected, methods.specialise("forward", x, state), network);
        assertEquals(2, methods.compilations());
        for (Tensor constant : constants) {
            constant.storage().written();
        }
        assertTrue(
                Double.isNaN(
                        ((Tensor) methods.specialise("forward", Agreement.floats(6, 1, units), state)).getDouble(0)),
                "weights that were written are read");
    }

    @Test
    void shapesOfTheLatestCallsAreNotCompiledAgain() {
        Methods methods = module(Agreement.floats(WIDTH, WIDTH), Agreement.floats(WIDTH, WIDTH));
        for (int length = 1; length <= 32; length++) {
            methods.specialise("forward", Agreement.floats(length, WIDTH));
        }
        int compiled = methods.compilations();
        assertEquals(32, compiled);
        for (int length = 32; length >= 1; length--) {
            methods.specialise("forward", Agreement.floats(length, WIDTH));
        }
        assertEquals(compiled, methods.compilations());
    }
}
