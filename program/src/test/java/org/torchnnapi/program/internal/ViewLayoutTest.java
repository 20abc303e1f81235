package org.torchnnapi.program.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.StridedView;

class ViewLayoutTest {
    private static final ValueType SOURCE = ValueType.floats(4, 6, 2, 8);

    private static List<OpGraph.Node> nodes(StridedView view) {
        GraphBuilder graph = new GraphBuilder();
        int source = graph.input(SOURCE, ImageStorage.DECLARED);
        MutableGraph draft = new MutableGraph(graph.build());
        return ViewLayout.nodes(draft, source, view, draft.add(ValueType.floats(view.shape()), null, null));
    }

    /** What the nodes make of the numbers of their places. */
    private static float[] laid(StridedView view) {
        GraphBuilder graph = new GraphBuilder();
        int value = graph.input(SOURCE, ImageStorage.DECLARED);
        List<OpGraph.Node> nodes = nodes(view);
        assertNotNull(nodes);
        for (OpGraph.Node node : nodes) {
            value = graph.add(node.op(), value);
        }
        graph.output(value, ImageStorage.DECLARED);
        float[] places = new float[SOURCE.count()];
        for (int i = 0; i < places.length; i++) {
            places[i] = i;
        }
        float[] out = new float[graph.type(value).count()];
        Plain.shared(graph.build())
                .newRun()
                .execute(new Buffer[] {FloatBuffer.wrap(places)}, new Buffer[] {FloatBuffer.wrap(out)}, () -> {});
        return out;
    }

    private static float[] places(StridedView view) {
        float[] places = new float[ValueType.floats(view.shape()).count()];
        for (int i = 0; i < places.length; i++) {
            int rest = i;
            int at = view.offset();
            for (int axis = view.shape().length - 1; axis >= 0; axis--) {
                at += rest % view.shape()[axis] * view.steps()[axis];
                rest /= view.shape()[axis];
            }
            places[i] = at;
        }
        return places;
    }

    @Test
    void laysOutSlicesInAnyOrder() {
        Random random = new Random(3);
        for (int i = 0; i < 100; i++) {
            int[] begin = new int[4];
            int[] size = SOURCE.shape().clone();
            for (int axis = 0; axis < 4; axis++) {
                if (random.nextBoolean()) {
                    size[axis] = 1 + random.nextInt(size[axis]);
                    begin[axis] = random.nextInt(SOURCE.dimension(axis) - size[axis] + 1);
                }
            }
            List<Integer> order = new ArrayList<>(List.of(0, 1, 2, 3));
            Collections.shuffle(order, random);
            StridedView view = StridedView.of(SOURCE)
                    .sliced(new SliceOp(begin, size, new int[] {1, 1, 1, 1}))
                    .turned(order.stream().mapToInt(Integer::intValue).toArray());
            assertArrayEquals(places(view), laid(view), "case " + i);
        }
    }

    @Test
    void doesNoMoreThanIsNeeded() {
        assertEquals(1, nodes(StridedView.of(SOURCE).shaped(24, 16)).size());
        assertEquals(3, nodes(StridedView.of(SOURCE).turned(1, 0, 2, 3)).size());
    }

    @Test
    void knowsWhatIsNoSlice() {
        assertNull(nodes(new StridedView(new int[] {3, 8}, 0, new int[] {100, 1})));
        assertNull(nodes(new StridedView(new int[] {4, 8}, 0, new int[] {0, 1})));
        assertNull(nodes(new StridedView(new int[] {2, 8}, 95, new int[] {96, 1})));
    }
}
