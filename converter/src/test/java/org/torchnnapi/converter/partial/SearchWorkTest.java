package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;

class SearchWorkTest {
    /** A graph of so many nodes. */
    private static Graph graph(int nodes) {
        Graph graph = new Graph();
        graph.addInput(Type.Basic.ANY, "self");
        graph.addInput(Type.Basic.TENSOR, "x");
        for (int i = 0; i < nodes; i++) {
            Node constant = graph.constant((long) i, Type.Basic.INT);
            graph.block().append(constant);
        }
        return graph;
    }

    private static void evaluate(SearchWork work) {
        Graph graph = graph(100);
        PartialEvaluation.run(
                graph,
                List.of(Tensor.zeros(DType.FLOAT32, 2)),
                null,
                SizeTrial.of(work).step(graph));
    }

    @Test
    void itEndsAtOneNodeWhateverTimeItTook() {
        SearchWork work = new SearchWork();
        evaluate(work);
        assertTrue(work.exceeds(99));
        assertFalse(work.exceeds(100));
        work.within(200, () -> {
            evaluate(work);
            return null;
        });
        assertThrows(
                RuntimeException.class,
                () -> work.within(299, () -> {
                    evaluate(work);
                    return null;
                }));
        evaluate(work);
        assertTrue(work.exceeds(399));
        assertFalse(work.exceeds(400));
    }

    @Test
    void whatIsKnownIsNotAskedAgain() {
        SearchWork work = new SearchWork();
        int[] asked = new int[1];
        for (int i = 0; i < 3; i++) {
            assertEquals(1, work.<Integer>once("a", () -> ++asked[0]));
            assertNull(work.<Integer>once("b", () -> {
                asked[0] += 10;
                return null;
            }));
        }
        assertEquals(11, asked[0]);
        SizeTrial.Step alone = SizeTrial.NONE.step(new Graph());
        assertEquals(12, alone.<Integer>once("a", () -> ++asked[0]));
        assertEquals(13, alone.<Integer>once("a", () -> ++asked[0]));
    }
}
