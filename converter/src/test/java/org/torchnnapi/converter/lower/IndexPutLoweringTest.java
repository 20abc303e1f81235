package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

class IndexPutLoweringTest {
    private static final Tensor X = random(3, 4, 5);
    private static final Tensor PLACES = Tensor.of(new long[] {3, -4, 1}, 3);

    private static void constants(List<Tensor> constants, String... body) {
        whole(X, constants, body);
    }

    @Test
    void constantPlacesAreWrittenTo() {
        String values = "torch.mul(torch.slice(x, 1, 0, 3), 2.)";
        constants(List.of(PLACES), "torch.index_put(x, [None, CONSTANTS.c0], " + values + ")");
        constants(List.of(PLACES), "torch.index_put(x, [None, CONSTANTS.c0], " + values + ", True)");
        constants(
                List.of(PLACES, Tensor.of(new long[] {0, 2, 2}, 3)),
                "torch.index_put(x, [CONSTANTS.c1, CONSTANTS.c0], torch.tensor(7.))");
        Tensor counted = Tensor.of(new long[] {3, 0, 1}, 3);
        constants(List.of(counted), "torch.index_copy(x, 1, CONSTANTS.c0, " + values + ")");
        constants(List.of(counted), "torch.index_fill(x, 1, CONSTANTS.c0, 3.5)");
        constants(List.of(), "torch.slice_scatter(x, torch.mul(torch.slice(x, 2, 0, 2), 2.), 2, 1, 5, 2)");
    }

    @Test
    void masksTellWhatIsFilled() {
        constants(List.of(), "torch.index_put(x, [torch.lt(x, 0.)], torch.tensor(0.))");
        constants(List.of(), "torch.index_put(x, [torch.lt(torch.mean(x, [2]), 0.)], torch.tensor(9.))");
        constants(List.of(random(5)), "torch.index_put(x, [torch.lt(torch.mean(x, [2]), 0.)], CONSTANTS.c0)");
        constants(List.of(), "torch.index_put(x, [None, torch.lt(torch.mean(x, [0]), 0.)], torch.tensor(9.))");
        constants(List.of(), "torch.to(torch.index_put(torch.gt(x, 1.), [torch.lt(x, 0.)], torch.tensor(True)), 6)");
    }

    @Test
    void severalSummandsForOnePlaceAreAllAdded() {
        constants(List.of(Tensor.of(new long[] {0, 0, 1}, 3)), "torch.index_put(x, [CONSTANTS.c0], x, True)");
        constants(
                List.of(),
                "torch.index_put(x, [torch.remainder(torch.argmax(torch.mean(x, [2]), 1), 3)], torch.mul(x, 2.), "
                        + "True)");
    }

    @Test
    void computedPlacesAreWrittenToTheLastOfSeveralTimes() {
        String places = "torch.argmax(x, 2)";
        String rows = "torch.argmax(torch.mean(x, [2]), 0)";
        constants(
                List.of(),
                "torch.index_put(x, [torch.remainder(torch.argmax(torch.mean(x, [2]), 1), 3)], torch.tensor(0.))");
        constants(
                List.of(),
                "torch.index_put(x, [None, None, torch.select(" + places
                        + ", 0, 1)], torch.slice(torch.mul(x, 2.), 2, 0, 4))");
        constants(
                List.of(),
                "torch.index_put(x, [torch.remainder(" + places + ", 3), None, torch.remainder(" + places
                        + ", 5)], torch.tensor(3.))");
        constants(
                List.of(PLACES),
                "torch.index_put(x, [torch.remainder(torch.slice(" + rows
                        + ", 0, 0, 3), 3), CONSTANTS.c0], torch.mul(torch.select(x, 1, 0), 2.))");
        constants(
                List.of(),
                "torch.index_put(x, [None, torch.sub(torch.select(" + places
                        + ", 1, 0), 4)], torch.slice(torch.mul(x, 2.), 1, 0, 3))");
        constants(
                List.of(),
                "torch.index_copy(x, 1, torch.remainder(torch.select(" + places
                        + ", 1, 2), 4), torch.slice(torch.mul(x, 2.), 1, 0, 3))");
        constants(List.of(), "torch.index_fill(x, 2, torch.select(" + places + ", 1, 2), 3.5)");
        constants(
                List.of(),
                "torch.scatter(torch.argmax(torch.mean(x, [2]), 1), 0, torch.argsort(torch.mean(x, [1, 2])), "
                        + "torch.arange(3))");
    }

    @Test
    void distinctPlacesNeedNoLast() {
        String write =
                "torch.scatter(x, 2, torch.expand(torch.unsqueeze(%s, 1), [3, 4, 3]), torch.mul(torch.slice(x, 2, 0, "
                        + "3), 2.))";
        String[] distinct = {"_0, places = torch.topk(torch.mean(x, [1]), 3, 1)", String.format(write, "places")};
        assertFalse(whole(X, List.of(), distinct).contains("LOGICAL_AND"));
        String[] repeated = {
            "_0, places = torch.topk(torch.mean(x, [1]), 3, 1)", String.format(write, "torch.remainder(places, 2)")
        };
        assertTrue(whole(X, List.of(), repeated).contains("LOGICAL_AND"));
        String[] across = {
            "_0, places = torch.topk(torch.mean(x, [2]), 1, 1)",
            "_1 = torch.expand(torch.unsqueeze(places, 1), [3, 2, 1])",
            "torch.scatter(x, 1, torch.expand(_1, [3, 2, 5]), torch.mul(torch.slice(x, 1, 0, 2), 2.))"
        };
        assertTrue(whole(X, List.of(), across).contains("LOGICAL_AND"));
    }

    @Test
    void tensorsOfOneNumberAreConstants() {
        constants(List.of(), "torch.add(x, torch.scatter(torch.full_like(x, 2.), 2, torch.argmax(x, 2, True), 7.))");
    }

    @Test
    void viewsByStridesPickElements() {
        constants(List.of(), "torch.as_strided(x, [4, 3, 2], [5, 1, 20], 3)");
        constants(List.of(), "torch.as_strided(torch.relu(x), [11, 10], [5, 1])");
    }

    @Test
    void trianglesAndDiagonals() {
        for (int offset = -2; offset <= 2; offset++) {
            constants(List.of(), "torch.tril(x, " + offset + ")");
            constants(List.of(), "torch.triu(x, " + offset + ")");
            constants(List.of(), "torch.diagonal(x, " + offset + ", 1, 2)");
            constants(List.of(), "torch.diagonal(x, " + offset + ", -1, 0)");
            constants(List.of(), "torch.diag_embed(x, " + offset + ")");
            constants(List.of(), "torch.diag(torch.select(x, 0, 1), " + offset + ")");
            constants(List.of(), "torch.diag(torch.mean(x, [0, 1]), " + offset + ")");
        }
        constants(List.of(), "torch.to(torch.tril(torch.gt(x, 0.)), 6)");
        constants(List.of(), "torch.tril(torch.to(torch.clamp(torch.mul(x, 10.), -99., 99.), 4))");
    }

    /**
     * How many elements a mask picks is not known, but that a tensor's elements go to the places that they have in
     * another.
     */
    @Test
    void elementsThatAMaskPicksGoWhereItPicksThem() {
        Tensor input = FreeUnderTest.random(3, 4);
        List<Tensor> none = List.of();
        FreeUnderTest.whole(
                input,
                none,
                "m = torch.lt(torch.mul(x, x), x)",
                "y = torch.mul(x, 2.)",
                "torch.index_put(y, [m], torch.index(torch.sub(x, 5.), [m]))");
        // The mask has fewer dimensions, and what was written is read and written again.
        FreeUnderTest.whole(
                input,
                none,
                "m = torch.gt(torch.sum(x, [1]), 0)",
                "y = torch.index_put(torch.mul(x, 2.), [m], torch.index(x, [m]))",
                "n = torch.gt(y, 0.5)",
                "torch.index_put(torch.relu(x), [n], torch.index(y, [n]))");
    }

    /** Two of the five targets stay as they are, or take part. */
    @Test
    void whatIsScatteredIsReduced() {
        for (String reduction : List.of("sum", "mean", "amax", "amin")) {
            for (String keeps : List.of("True", "False")) {
                String rest = "torch.remainder(torch.argsort(x, 1), 3), x, \"" + reduction + "\", include_self=" + keeps
                        + ")";
                FreeUnderTest.whole(
                        FreeUnderTest.random(3, 8),
                        List.of(FreeUnderTest.random(3, 5)),
                        "torch.scatter_reduce(torch.mul(CONSTANTS.c0, torch.mean(x)), 1, " + rest);
            }
        }
    }

    /** Whatever the places turn out to be when the file runs. */
    @Test
    void ofSeveralThatAreScatteredToOnePlaceTheLastStays() {
        Tensor x = Tensor.of(new float[] {0, 1, 2, 3, 3, 2, 0, 1}, 2, 4);
        Tensor same = Tensor.of(new float[] {1, 1, 1, 3, 0, 0, 2, 2}, 2, 4);
        String[] body = {
            "places = torch.to(x, 4)",
            "torch.scatter(torch.zeros_like(x), 1, places, torch.mul(torch.add(x, CONSTANTS.c0), 2))"
        };
        List<Tensor> constants = List.of(Tensor.of(new float[] {1, 10, 100, 1000}, 4));
        ScriptModule original = FreeUnderTest.module(constants, "Tensor", body);
        Conversion conversion = FreeUnderTest.convert(original, x);
        FreeUnderTest.compare(original, conversion, x);
        FreeUnderTest.compare(original, conversion, same);
    }
}
