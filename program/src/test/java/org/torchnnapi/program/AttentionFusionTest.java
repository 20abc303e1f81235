package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.MaskedFillOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.program.op.TransposeOp;

/** Which graphs become attention in one operation, which do not, and that results stay. */
class AttentionFusionTest {
    private static final int BATCH = 2;
    private static final int HEADS = 3;
    private static final int QUERIES = 37;
    private static final int KEYS = 21;
    private static final int WIDTH = 8;

    private final GraphBuilder graph = new GraphBuilder();

    private int input(int... shape) {
        return graph.input(ValueType.floats(shape), ImageStorage.DECLARED);
    }

    private int number(float value) {
        return graph.constant(ValueType.floats(), new float[] {value});
    }

    private int binary(BinaryOp op, int a, int b) {
        return graph.add(BinaryMathOp.of(op), a, b);
    }

    private int queries() {
        return input(BATCH, HEADS, QUERIES, WIDTH);
    }

    private int values() {
        return input(BATCH, HEADS, KEYS, WIDTH);
    }

    private int transposed(int value, int... permutation) {
        return graph.add(new TransposeOp(permutation), value);
    }

    private int scores() {
        return product(queries(), transposed(values(), 0, 1, 3, 2));
    }

    private int product(int a, int b) {
        return graph.add(new MatrixProductOp(false, 1), a, b);
    }

    private int softmax(int scores) {
        return graph.add(new SoftmaxOp(-1, 1, false), scores);
    }

    /** The steps without those that only lay elements out. */
    private List<String> steps(int... outputs) {
        for (int output : outputs) {
            graph.output(output, ImageStorage.DECLARED);
        }
        return Plain.compare(graph.build(), 1).labels().stream()
                .filter(label -> !label.startsWith("transpose") && !label.startsWith("slice"))
                .map(label -> label.substring(0, label.indexOf(" to ")))
                .toList();
    }

    private static final List<String> FUSED = List.of("attention");

    @Test
    void productSoftmaxProduct() {
        assertEquals(FUSED, steps(product(softmax(scores()), values())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"MUL", "DIV"})
    void scalesOfScores(String op) {
        int scaled = binary(BinaryOp.valueOf(op), scores(), number(3));
        assertEquals(FUSED, steps(product(softmax(scaled), values())));
    }

    @Test
    void scalesOfQueries() {
        int scaled = binary(BinaryOp.MUL, queries(), number(0.3f));
        int scores = product(scaled, transposed(values(), 0, 1, 3, 2));
        assertEquals(FUSED, steps(product(softmax(scores), values())));
    }

    @Test
    void masksOfEveryKind() {
        int scaled = binary(BinaryOp.MUL, number(0.5f), scores());
        int filled = graph.add(
                new MaskedFillOp(Float.NEGATIVE_INFINITY, true),
                scaled,
                graph.constant(ValueType.flags(KEYS), new byte[KEYS]));
        int added = binary(BinaryOp.ADD, filled, input(BATCH, 1, 1, KEYS));
        int relative = binary(BinaryOp.ADD, input(HEADS, QUERIES, KEYS), added);
        int bias = binary(BinaryOp.ADD, input(BATCH, HEADS, QUERIES, KEYS), relative);
        assertEquals(FUSED, steps(product(softmax(bias), values())));
    }

    @Test
    void headsAreReadAndWrittenWhereTheyLie() {
        int all = input(BATCH, QUERIES, 3 * HEADS * WIDTH);
        int split = graph.add(new ReshapeOp(new int[] {BATCH, QUERIES, 3, HEADS, WIDTH}), all);
        int turned = transposed(split, 2, 0, 3, 1, 4);
        int[] parts = new int[3];
        for (int i = 0; i < 3; i++) {
            parts[i] = graph.add(
                    new ReshapeOp(new int[] {BATCH, HEADS, QUERIES, WIDTH}),
                    graph.add(SliceOp.of(graph.type(turned), 0, i, i + 1), turned));
        }
        int weights = softmax(product(parts[0], transposed(parts[1], 0, 1, 3, 2)));
        int joined = graph.add(
                new ReshapeOp(new int[] {BATCH, QUERIES, HEADS * WIDTH}),
                transposed(product(weights, parts[2]), 0, 2, 1, 3));
        graph.output(joined, ImageStorage.DECLARED);
        List<String> labels = Plain.compare(graph.build(), 1).labels();
        // Keys alone are taken out and turned.
        assertEquals(3, labels.size(), labels::toString);
        assertTrue(labels.get(labels.size() - 1).startsWith("attention"), labels::toString);
    }

    @Test
    void batchesUnderAnotherShape() {
        int scores =
                product(input(BATCH * HEADS, QUERIES, WIDTH), transposed(input(BATCH * HEADS, KEYS, WIDTH), 0, 2, 1));
        int masked = binary(
                BinaryOp.ADD,
                graph.add(new ReshapeOp(new int[] {BATCH, HEADS, QUERIES, KEYS}), scores),
                input(BATCH, 1, QUERIES, KEYS));
        int weights = softmax(graph.add(new ReshapeOp(new int[] {BATCH * HEADS, QUERIES, KEYS}), masked));
        int attended = product(weights, input(BATCH * HEADS, KEYS, WIDTH));
        assertEquals(FUSED, steps(transposed(attended, 1, 0, 2)));
    }

    @Test
    void keysThatAreGivenRowByRow() {
        int scores = graph.add(new MatrixProductOp(true, 0.25f), queries(), input(BATCH, HEADS, KEYS, WIDTH));
        assertEquals(FUSED, steps(product(softmax(scores), values())));
    }

    @Test
    void keysAndValuesForAllHeads() {
        int scores = product(queries(), transposed(input(KEYS, WIDTH), 1, 0));
        assertEquals(FUSED, steps(product(softmax(scores), input(KEYS, WIDTH))));
    }

    @Test
    void noProgramHasRoomForAllScores() {
        int size = 256;
        int heads = input(4, size, WIDTH);
        int weights = softmax(product(heads, transposed(heads, 0, 2, 1)));
        graph.output(product(weights, heads), ImageStorage.DECLARED);
        long arena = Plain.shared(graph.build()).arenaBytes();
        assertTrue(arena < 4L * size * size * Float.BYTES, "arena: " + arena);
    }

    @Test
    void weightsThatOthersUseStay() {
        int weights = softmax(scores());
        assertFalse(steps(product(weights, values()), weights).contains("attention"));
    }

    @Test
    void scoresThatOthersUseStay() {
        int scores = scores();
        int mean = graph.add(new ClampOp(Clamp.RELU), scores);
        assertFalse(steps(product(softmax(scores), values()), mean).contains("attention"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void otherAxesStay(int axis) {
        int weights = graph.add(new SoftmaxOp(axis, 1, false), scores());
        assertFalse(steps(product(weights, values())).contains("attention"));
    }

    @Test
    void logarithmsStay() {
        int weights = graph.add(new SoftmaxOp(-1, 1, true), scores());
        assertFalse(steps(product(weights, values())).contains("attention"));
    }

    @Test
    void quotientsByScoresStay() {
        int turned = binary(BinaryOp.DIV, number(2), binary(BinaryOp.ADD, scores(), number(100)));
        assertFalse(steps(product(softmax(turned), values())).contains("attention"));
    }

    @Test
    void scoresThatGrowByBroadcastingStay() {
        int scores = product(input(1, QUERIES, WIDTH), transposed(input(1, KEYS, WIDTH), 0, 2, 1));
        int grown = binary(BinaryOp.ADD, scores, input(HEADS, QUERIES, KEYS));
        assertFalse(steps(product(softmax(grown), input(HEADS, KEYS, WIDTH))).contains("attention"));
    }

    @Test
    void softmaxesOfWhatIsNoProductStay() {
        assertFalse(steps(product(softmax(input(HEADS, QUERIES, KEYS)), input(HEADS, KEYS, WIDTH)))
                .contains("attention"));
    }
}
