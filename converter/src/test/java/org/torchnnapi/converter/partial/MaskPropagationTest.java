package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.ArrayList;
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
 * What a mask picks and what is put back where it picked, for masks that pick other rows when the file runs, or none.
 */
class MaskPropagationTest {
    /** NNAPI costs nothing, so that all goes there that can. */
    private static final SegmentCost FREE = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));

    private static final Tensor X = random(6, 4);
    private static final List<Tensor> WEIGHTS = List.of(random(4, 4), random(4));
    private static final String MASK = "m = torch.gt(torch.select(x, 1, 0), 0.1)";
    private static final String ROWS = "torch.relu(torch.linear(%s, CONSTANTS.c0, CONSTANTS.c1))";

    private static Conversion converted(String... body) {
        ScriptModule original = FreeUnderTest.module(WEIGHTS, "Tensor", body);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(X)).withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        float[] none = X.toFloatArray().clone();
        float[] all = none.clone();
        for (int i = 0; i < none.length; i++) {
            none[i] = -Math.abs(none[i]) - 1;
            all[i] = Math.abs(all[i]) + 1;
        }
        for (Tensor input :
                List.of(X, Tensor.of(none, 6, 4), Tensor.of(all, 6, 4), Tensor.of(reversed(X.toFloatArray()), 6, 4))) {
            FreeUnderTest.compare(original, conversion, input);
        }
        return conversion;
    }

    private static float[] reversed(float[] values) {
        float[] out = new float[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = values[out.length - 1 - i];
        }
        return out;
    }

    private static void whole(String... body) {
        assertEquals(List.of(), converted(body).refusals());
    }

    @Test
    void ofAMaskPutBackByIt() {
        whole(
                MASK,
                "y = " + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [m]))"),
                "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y)");
        whole(
                MASK,
                "y = " + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [m]))"),
                "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y, True)");
    }

    @Test
    void ofPlacesPutBackThere() {
        for (String places : new String[] {
            "(torch.where(m))[0]", "(torch.nonzero_numpy(m))[0]", "torch.squeeze(torch.nonzero(m), -1)"
        }) {
            whole(
                    MASK,
                    "i = " + places,
                    "y = " + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [i]))"),
                    "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [i]), y)");
            whole(
                    MASK,
                    "i = " + places,
                    "y = " + String.format(ROWS, "torch.index_select(x, 0, i)"),
                    "torch.index_add(torch.neg(x), 0, i, y, alpha=2)");
        }
    }

    @Test
    void ofPlacesCopiedThere() {
        whole(
                MASK,
                "i = torch.squeeze(torch.nonzero(m), -1)",
                "y = " + String.format(ROWS, "torch.index_select(x, 0, i)"),
                "torch.index_copy(torch.neg(x), -2, i, y)");
        whole(
                MASK,
                "i = (torch.where(m))[0]",
                "y = " + String.format(ROWS, "torch.index_select(x, 0, i)"),
                "torch.index_copy(torch.neg(x), 0, torch.add(torch.neg(i), 5), y)");
    }

    /** Rows of a table of two dimensions, as of experts that are the first or the second of tokens. */
    @Test
    void ofPlacesInTwoDimensionsAddedUp() {
        whole(
                "m = torch.to(torch.gt(torch.t(torch.slice(x, 1, 0, 2, 1)), 0.1), 4)",
                "i, j = torch.where(m)",
                "w = torch.unsqueeze(torch.index(x, annotate(List[Optional[Tensor]], [j, i])), 1)",
                "y = torch.mul(" + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [j]))")
                        + ", w)",
                "torch.index_add(torch.zeros_like(x), 0, j, y)");
    }

    /** The same, as a column of rows that is made flat. */
    @Test
    void ofPlacesBehindAnotherDimension() {
        whole(
                MASK,
                "i = (torch.where(m))[0]",
                "p = torch.reshape(torch.index(torch.unsqueeze(x, 0), annotate(List[Optional[Tensor]], [None, i])), "
                        + "[-1, 4])",
                "torch.index_add(torch.zeros_like(x), 0, i, " + String.format(ROWS, "p") + ")");
    }

    private static final List<String> EDGES = List.of(
            "e = torch.stack([torch.argsort(torch.select(x, 1, 1)), torch.argsort(torch.select(x, 1, 2))], 0)",
            MASK,
            "k = torch.index(e, annotate(List[Optional[Tensor]], [None, m]))",
            "a = torch.cat([k, torch.repeat(torch.unsqueeze(torch.arange(6), 0), [2, 1])], 1)",
            "f = torch.select(a, 0, 0)",
            "t = torch.select(a, 0, 1)");

    private static void edges(String... body) {
        List<String> all = new ArrayList<>(EDGES);
        all.addAll(List.of(body));
        whole(all.toArray(new String[0]));
    }

    /**
     * Edges that the mask leaves and loops behind them: degrees are counted, what comes along the edges is weighted and
     * added up.
     */
    @Test
    void ofEdgesOfAGraph() {
        edges(
                "w = torch.ones([torch.size(a, 1)])",
                "d = torch.rsqrt(torch.scatter_add(torch.zeros([6]), 0, t, w))",
                "s = torch.mul(torch.mul(torch.index_select(d, 0, f), w), torch.index(d, "
                        + "annotate(List[Optional[Tensor]], [t])))",
                "y = torch.mul(torch.view(s, [-1, 1]), torch.index_select(" + String.format(ROWS, "x") + ", -2, f))",
                "torch.scatter_add(torch.new_zeros(y, [6, torch.size(y, 1)]), 0, torch.expand_as(torch.view(t, [-1, "
                        + "1]), y), y)");
        edges(
                "w = torch.ones([torch.size(a, 1)], dtype=4)",
                "torch.mul(x, torch.unsqueeze(torch.scatter_add(torch.zeros([6], dtype=4), 0, t, w), -1))");
        edges(
                "y = torch.softmax(torch.cat([torch.index_select(x, 0, f), torch.index_select(x, 0, t)], 1), 1)",
                "torch.index_add(torch.neg(x), 0, t, torch.slice(y, 1, 0, 4))");
    }

    /** Of the edges that are left those to the node itself weigh less, and all are measured by the heaviest. */
    @Test
    void ofEdgesThatAMaskOfThemNarrows() {
        edges(
                "w = torch.index_select(torch.select(x, 1, 3), 0, f)",
                "s = torch.div(w, torch.max(w))",
                "l = torch.eq(f, t)",
                "u = torch.index_put(s, annotate(List[Optional[Tensor]], [l]), torch.sub(torch.index(s, "
                        + "annotate(List[Optional[Tensor]], [l])), 1))",
                "torch.index_add(torch.neg(x), 0, t, torch.mul(torch.index_select(x, 0, f), torch.unsqueeze(u, 1)))");
        edges(
                "n = torch.ne(f, t)",
                "g = torch.index(a, annotate(List[Optional[Tensor]], [None, n]))",
                "torch.index_add(torch.neg(x), 0, torch.select(g, 0, 1), torch.index_select(x, 0, torch.select(g, 0, "
                        + "0)))");
    }

    /**
     * What goes to a place instead of what is there leaves rows out that are not picked, whichever place theirs would
     * be.
     */
    @Test
    void ofEdgesInPlaceOfOthers() {
        for (String reduce : new String[] {"\"amax\", include_self=False", "\"mean\"", "\"sum\", include_self=False"}) {
            edges(
                    "y = torch.index_select(x, 0, f)",
                    "torch.scatter_reduce(torch.neg(x), 0, torch.expand(torch.unsqueeze(t, 1), [torch.size(y, 0), "
                            + "4]), y, "
                            + reduce + ")");
        }
        whole(
                "e = torch.argsort(torch.select(x, 1, 1))",
                MASK,
                "n = torch.bitwise_not(m)",
                "i = torch.index(e, annotate(List[Optional[Tensor]], [n]))",
                "v = torch.index(torch.select(x, 1, 3), annotate(List[Optional[Tensor]], [n]))",
                "w = torch.index_put(torch.ones([6]), annotate(List[Optional[Tensor]], [i]), v)",
                "torch.mul(x, torch.unsqueeze(w, 1))");
    }

    @Test
    void addedUp() {
        whole(
                MASK,
                "p = torch.log(torch.index(torch.add(x, 0.), annotate(List[Optional[Tensor]], [m])))",
                "torch.sum(torch.select(p, 1, 0), [0], True)");
    }

    /** Of no rows the mean is no number. */
    @Test
    void averaged() {
        String picked = "p = torch.index(x, annotate(List[Optional[Tensor]], [m]))";
        whole(MASK, picked, "torch.nan_to_num(torch.mean(p, [0]), 7.)");
        whole(MASK, picked, "torch.nan_to_num(torch.mean(p), 7.)");
        whole(
                MASK,
                picked,
                "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), torch.sub(p, torch.mean(p, "
                        + "[0], True)))");
    }

    /** Which dimensions go by rows the operators say, those that are made of others too. */
    @Test
    void whateverMakesEachRowOfItself() {
        for (String rows : new String[] {
            "torch.cumsum(p, 1)",
            "torch.flip(p, [1])",
            "torch.mul(p, torch.std(p, [1], True, True))",
            "torch.t(torch.matmul(CONSTANTS.c0, torch.t(p)))",
            "torch.addmm(CONSTANTS.c1, p, CONSTANTS.c0)"
        }) {
            whole(
                    MASK,
                    "p = torch.index(torch.mul(x, 2.), annotate(List[Optional[Tensor]], [m]))",
                    "y = " + rows,
                    "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y)");
        }
    }

    /** What is made of all the rows that are picked together, and what else goes by how many they are, stays. */
    @Test
    void othersStay() {
        for (String rows : new String[] {
            "torch.cumsum(p, 0)", "torch.flip(p, [0])", "torch.softmax(p, 0)", "torch.div(p, torch.size(p, 0))"
        }) {
            assertFalse(
                    converted(
                                    MASK,
                                    "z = torch.linear(x, CONSTANTS.c0, CONSTANTS.c1)",
                                    "p = torch.index(z, annotate(List[Optional[Tensor]], [m]))",
                                    "y = " + rows,
                                    "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y)")
                            .refusals()
                            .isEmpty(),
                    rows);
        }
    }
}
