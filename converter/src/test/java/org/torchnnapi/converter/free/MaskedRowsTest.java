package org.torchnnapi.converter.free;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.free.FreeUnderTest.random;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/** What a mask picks and what is put back where it picked, for masks that pick other rows when the file runs, or none. */
class MaskedRowsTest {
    /** NNAPI costs nothing, so that all goes there that can. */
    private static final SegmentCost FREE = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));
    private static final Tensor X = random(6, 4);
    private static final List<Tensor> WEIGHTS = List.of(random(4, 4), random(4));
    private static final String MASK = "m = torch.gt(torch.select(x, 1, 0), 0.1)";
    private static final String ROWS = "torch.relu(torch.linear(%s, CONSTANTS.c0, CONSTANTS.c1))";

    private static Conversion converted(String... body) {
        ScriptModule original = FreeUnderTest.module(WEIGHTS, "Tensor", body);
        Conversion conversion = Converter.convert(original, ConversionOptions.defaults().withExample(List.of(X)).withSegmentCost(FREE), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        float[] none = X.toFloatArray().clone();
        float[] all = none.clone();
        for (int i = 0; i < none.length; i++) {
            none[i] = -Math.abs(none[i]) - 1;
            all[i] = Math.abs(all[i]) + 1;
        }
        for (Tensor input : List.of(X, Tensor.of(none, 6, 4), Tensor.of(all, 6, 4), Tensor.of(reversed(X.toFloatArray()), 6, 4))) {
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
        whole(MASK, "y = " + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [m]))"), "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y)");
        whole(MASK, "y = " + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [m]))"), "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y, True)");
    }

    @Test
    void ofPlacesPutBackThere() {
        for (String places : new String[] {"(torch.where(m))[0]", "(torch.nonzero_numpy(m))[0]", "torch.squeeze(torch.nonzero(m), -1)"}) {
            whole(MASK, "i = " + places, "y = " + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [i]))"),
                "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [i]), y)");
            whole(MASK, "i = " + places, "y = " + String.format(ROWS, "torch.index_select(x, 0, i)"), "torch.index_add(torch.neg(x), 0, i, y, alpha=2)");
        }
    }

    /** Rows of a table of two dimensions, as of experts that are the first or the second of tokens. */
    @Test
    void ofPlacesInTwoDimensionsAddedUp() {
        whole("m = torch.to(torch.gt(torch.t(torch.slice(x, 1, 0, 2, 1)), 0.1), 4)", "i, j = torch.where(m)",
            "w = torch.unsqueeze(torch.index(x, annotate(List[Optional[Tensor]], [j, i])), 1)",
            "y = torch.mul(" + String.format(ROWS, "torch.index(x, annotate(List[Optional[Tensor]], [j]))") + ", w)", "torch.index_add(torch.zeros_like(x), 0, j, y)");
    }

    /** What is made of all the rows that are picked together, and what else goes by how many they are, stays. */
    @Test
    void othersStay() {
        for (String rows : new String[] {"torch.sub(p, torch.mean(p, [0], True))", "torch.cumsum(p, 0)", "torch.flip(p, [0])", "torch.softmax(p, 0)"}) {
            assertFalse(converted(MASK, "z = torch.linear(x, CONSTANTS.c0, CONSTANTS.c1)", "p = torch.index(z, annotate(List[Optional[Tensor]], [m]))", "y = " + rows,
                "torch.index_put(torch.neg(x), annotate(List[Optional[Tensor]], [m]), y)").refusals().isEmpty(), rows);
        }
    }
}
