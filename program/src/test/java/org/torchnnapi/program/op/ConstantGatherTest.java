package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;

class ConstantGatherTest {
    private static final ImageStorage[] STORAGES = {ImageStorage.DECLARED, ImageStorage.CHANNELS_LAST};

    @Test
    void aNumberHasNoAxes() {
        GraphBuilder graph = new GraphBuilder();
        int number = graph.input(ValueType.floats(), ImageStorage.DECLARED);
        graph.output(graph.add(new ConstantGather(new int[0][]), number), ImageStorage.DECLARED);
        float[] out = new float[1];
        Plain.shared(graph.build())
                .newRun()
                .execute(
                        new FloatBuffer[] {FloatBuffer.wrap(new float[] {3})},
                        new FloatBuffer[] {FloatBuffer.wrap(out)},
                        () -> {});
        assertEquals(3, out[0]);
    }

    /** Random places along random axes, against the definition element by element. */
    @Test
    void equalsItsTwin() {
        Random random = new Random(1);
        for (int time = 0; time < 60; time++) {
            int[] dims = {1 + random.nextInt(2), 1 + random.nextInt(20), 1 + random.nextInt(5), 1 + random.nextInt(6)};
            int[][] sources = new int[4][];
            for (int axis = 0; axis < 4; axis++) {
                if (random.nextBoolean()) {
                    int size = dims[axis];
                    int kind = random.nextInt(3);
                    sources[axis] = kind == 0
                            ? random.ints(1 + random.nextInt(9), 0, size).toArray()
                            : new int[1 + random.nextInt(4)];
                }
            }
            ConstantGather pick = new ConstantGather(sources);
            ImageStorage storage = STORAGES[time % 2];
            GraphBuilder graph = new GraphBuilder();
            ValueType type = ValueType.floats(dims);
            int picked = graph.add(pick, graph.input(type, storage));
            graph.output(picked, storage);
            int[] made = pick.result(List.of(type)).shape();
            float[] in = new float[type.count()];
            for (int i = 0; i < in.length; i++) {
                in[i] = i;
            }
            float[] out = new float[ValueType.floats(made).count()];
            Plain.shared(graph.build())
                    .newRun()
                    .execute(
                            new FloatBuffer[] {FloatBuffer.wrap(in)},
                            new FloatBuffer[] {FloatBuffer.wrap(out)},
                            () -> {});
            for (int i = 0; i < out.length; i++) {
                int[] at = places(i, made);
                int[] from = at.clone();
                for (int axis = 0; axis < 4; axis++) {
                    from[axis] = sources[axis] == null ? at[axis] : sources[axis][at[axis]];
                }
                assertEquals(in[place(from, dims, storage)], out[place(at, made, storage)], pick.label() + " " + time);
            }
        }
    }

    private static int[] places(int index, int[] dims) {
        int[] at = new int[dims.length];
        for (int axis = dims.length - 1, rest = index; axis >= 0; rest /= dims[axis--]) {
            at[axis] = rest % dims[axis];
        }
        return at;
    }

    private static int place(int[] at, int[] dims, ImageStorage storage) {
        return storage == ImageStorage.DECLARED
                ? ((at[0] * dims[1] + at[1]) * dims[2] + at[2]) * dims[3] + at[3]
                : ((at[0] * dims[2] + at[2]) * dims[3] + at[3]) * dims[1] + at[1];
    }

    @Test
    void placesAreInside() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConstantGather(new int[][] {{0, 3}}).result(List.of(ValueType.floats(3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConstantGather(new int[][] {null, null}).result(List.of(ValueType.floats(3))));
    }

    @Test
    void numbersToo() {
        assertArrayEquals(new int[] {3, 3, 4, 3, 1, 1, 2, 1}, (int[]) Ops.run(
                new ConstantGather(new int[][] {{1, 0}, {0, 0, 1, 0}}),
                List.of(ValueType.ints(2, 2)),
                new int[] {1, 2, 3, 4}));
    }
}
