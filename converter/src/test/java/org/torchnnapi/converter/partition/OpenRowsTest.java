package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/** Rows of which elements decide how many there are: NNAPI computes some at a time where each is computed by itself. */
class OpenRowsTest {
    /** NNAPI costs next to nothing, so that all goes there that can, in chunks of some rows. */
    private static final SegmentCost FREE =
            new SegmentCost(64, 0, DeviceSpeed.of("processor=1e3,start=1e-8,bytes=1e15"));

    private static final int MOST = 24;
    private static final List<Tensor> WEIGHTS = List.of(random(6, 4), random(6), random(4, 6), random(4));
    private static final String PICKED =
            "r = torch.index(x, annotate(List[Optional[Tensor]], [torch.gt(torch.select(x, 1, 0), 0.)]))";
    private static final String FIRST = "a = torch.relu(torch.linear(r, CONSTANTS.c0, CONSTANTS.c1))";
    private static final String SECOND = "b = torch.linear(a, CONSTANTS.c2, CONSTANTS.c3)";

    /** An input of which a positive first column picks so many rows. */
    private static Tensor picking(int rows) {
        float[] values = random(MOST, 4).toFloatArray().clone();
        for (int i = 0; i < MOST; i++) {
            float size = Math.abs(values[4 * i]) + 0.1f;
            values[4 * i] = i * 7 % MOST < rows ? size : -size;
        }
        return Tensor.of(values, MOST, 4);
    }

    private static Conversion converted(String result, int[] numbers, String... body) {
        ScriptModule original = FreeUnderTest.module(WEIGHTS, result, body);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(picking(11))).withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        for (int rows : numbers) {
            FreeUnderTest.compare(original, conversion, picking(rows));
        }
        return conversion;
    }

    private static final int[] ANY = {0, 1, 3, 8, 9, 12, 13, 16, MOST};

    /** Of how many rows the chunks of segments are: some, and not all that there may be. */
    private static List<Integer> chunks(Conversion conversion) {
        Matcher said = Pattern.compile("in chunks of ([0-9, ]+), the last")
                .matcher(conversion.report().text());
        assertTrue(said.find(), conversion.report().text());
        List<Integer> chunks = new ArrayList<>();
        for (String rows : said.group(1).split(", ")) {
            chunks.add(Integer.parseInt(rows));
            assertTrue(Integer.parseInt(rows) > 1 && Integer.parseInt(rows) < MOST, rows);
        }
        return chunks;
    }

    /** Requires that so many operators are computed of rows, in one part, and returns its NNAPI operations. */
    private static List<String> inChunks(String result, String... body) {
        Conversion conversion = converted(result, ANY, body);
        assertEquals(1, chunks(conversion).size(), conversion.report().text());
        assertEquals(0, conversion.report().coverage().openProducts());
        LoweredModel model = conversion.models().get(conversion.models().size() - 1);
        List<String> operations = new ArrayList<>();
        model.model()
                .operations()
                .forEach(operation -> operations.add(operation.type().name()));
        return operations;
    }

    @Test
    void picksByAMaskGoThroughDenseLayers() {
        assertEquals(
                List.of("FULLY_CONNECTED", "RELU", "FULLY_CONNECTED"), inChunks("Tensor", PICKED, FIRST, SECOND, "b"));
    }

    /** Several results, of whole numbers and truth values too, and rows that come from outside twice. */
    @Test
    void severalTensorsOfTheSameRowsAreCutAlike() {
        inChunks(
                "Tuple[Tensor, Tensor, Tensor]",
                PICKED,
                "i = (torch.where(torch.gt(torch.select(x, 1, 0), 0.)))[0]",
                "s = torch.index_select(x, 0, i)",
                FIRST,
                SECOND,
                "(torch.add(b, r), torch.argmax(b, 1), torch.gt(b, 0.))");
    }

    /** Nothing is filled up where each call takes one. */
    @Test
    void oneRowAtATime() {
        ScriptModule original = FreeUnderTest.module(WEIGHTS, "Tensor", PICKED, FIRST, SECOND, "b");
        SegmentCost cost = new SegmentCost(64, 0, DeviceSpeed.of("processor=1e3,start=0,bytes=1e15"));
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(picking(11))).withSegmentCost(cost),
                FreeUnderTest.RUNTIME);
        assertTrue(
                conversion.report().text().contains("in chunks of 1,"),
                conversion.report().text());
        for (int rows : ANY) {
            FreeUnderTest.compare(original, conversion, picking(rows));
        }
    }

    @Test
    void theNumberOfRowsMayStandInShapes() {
        List<String> operations = inChunks(
                "Tuple[Tensor, int]",
                PICKED,
                "n = torch.size(r, 0)",
                FIRST,
                "f = torch.reshape(a, [n, 2, 3])",
                "g = torch.view(f, [torch.size(f, 0), 6])",
                "b = torch.linear(g, CONSTANTS.c2, CONSTANTS.c3)",
                "(torch.reshape(b, [(torch.size(b))[0], 4, 1]), n)");
        assertEquals(2, operations.stream().filter("FULLY_CONNECTED"::equals).count());
    }

    /** What a branch asks about rows is known, but for their number. */
    @Test
    void whatDoesNotDependOnTheNumberIsKnown() {
        Conversion conversion = converted(
                "Tensor",
                ANY,
                PICKED,
                FIRST,
                SECOND,
                "c = b",
                "if torch.ne(torch.dim(b), 2):",
                "  ops.prim.RaiseException(\"no rows\")",
                "else:",
                "  pass",
                "if torch.gt(torch.size(b, 0), 12):",
                "  c = torch.neg(b)",
                "else:",
                "  pass",
                "c");
        chunks(conversion);
        assertEquals(
                1,
                conversion.models().stream()
                        .filter(model -> model.model().operations().size() == 3)
                        .count(),
                conversion.report().text());
    }

    private static final String BOXES = "c = torch.abs(x)";
    private static final String[] REGIONS = {
        BOXES,
        "o = torch.add(torch.add(torch.slice(c, 1, 0, 2), torch.slice(c, 1, 2, 4)), 0.5)",
        "k = ops.torchvision.nms(torch.cat([torch.slice(c, 1, 0, 2), o], 1), torch.select(x, 1, 0), 0.3)",
        "p = torch.index_select(torch.cat([torch.mul(torch.slice(c, 1, 0, 1), 0.), torch.slice(c, 1, 0, 2), o], 1), "
                + "0, k)"
    };

    /** As detectors do: boxes that are left of many, their parts of a feature map, a head for each. */
    @Test
    void regionsThatAreProposedHaveHeads() {
        List<String> body = new ArrayList<>(List.of(REGIONS));
        body.addAll(List.of(
                "f = torch.reshape(torch.slice(torch.reshape(x, [-1]), 0, 0, 64), [1, 1, 8, 8])",
                "h = torch.zeros([torch.size(p, 0), 1, 2, 2])",
                "w = (torch.where(torch.lt(torch.select(p, 1, 1), 0.7)))[0]",
                "g = torch.index_put(h, annotate(List[Optional[Tensor]], [w]), ops.torchvision.roi_align(f, "
                        + "torch.index_select(p, 0, w), 1., 2, 2, 2, False))",
                "r = torch.flatten(g, 1)",
                FIRST,
                SECOND,
                "(b, torch.softmax(b, -1))"));
        List<String> operations = inChunks("Tuple[Tensor, Tensor]", body.toArray(new String[0]));
        assertTrue(operations.containsAll(List.of("FULLY_CONNECTED", "RELU", "SOFTMAX")), operations.toString());
    }

    @Test
    void imagesOfRegionsGoThroughConvolutions() {
        List<Tensor> weights = List.of(random(2, 1, 3, 3), random(2), random(2, 3, 2, 2), random(3));
        ScriptModule original = FreeUnderTest.module(
                weights,
                "Tensor",
                PICKED,
                "i = torch.reshape(r, [-1, 1, 2, 2])",
                "a = torch.relu(torch.conv2d(i, CONSTANTS.c0, CONSTANTS.c1, [1, 1], [1, 1]))",
                "torch.conv_transpose2d(a, CONSTANTS.c2, CONSTANTS.c3, [2, 2])");
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(picking(11))).withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(0, conversion.report().coverage().openProducts());
        for (int rows : ANY) {
            FreeUnderTest.compare(original, conversion, picking(rows));
        }
    }

    /** Whatever of these were computed in chunks would be wrong, if only for more rows than one has. */
    @Test
    void whatJoinsRowsIsNotCut() {
        for (String joins : new String[] {
            "torch.softmax(b, 0)",
            "torch.cat([b, b], 0)",
            "torch.cumsum(b, 0)",
            "torch.flip(b, [0])",
            "torch.triu(b)",
            "torch.div(b, torch.size(b, 0))",
            "torch.roll(b, [1], [0])",
            "torch.slice(b, 0, 0, 6)",
            "torch.slice(b, 0, 0, 20)",
            "torch.slice(b, 0, 1, 9223372036854775807)",
            "torch.slice(b, 0, -9, 9223372036854775807)",
            "torch.gather(b, 0, torch.argsort(b, 0))",
            "torch.sub(b, torch.sum(b, [0], True))",
            "(torch.sort(b, 0))[0]",
            "torch.index_select(b, 0, torch.argsort(torch.select(b, 1, 0)))",
            "torch.matmul(b, torch.matmul(torch.t(b), b))",
            "torch.mul(b, torch.unsqueeze(torch.arange(torch.size(b, 0)), 1))",
            "torch.squeeze(torch.slice(b, 1, 0, 1))"
        }) {
            Conversion conversion = converted("Tensor", ANY, PICKED, FIRST, SECOND, "torch.neg(" + joins + ")");
            assertEquals(1, chunks(conversion).size(), joins);
        }
        Conversion conversion = converted(
                "Tensor",
                new int[] {3, 8, MOST},
                PICKED,
                FIRST,
                SECOND,
                "torch.neg(torch.batch_norm(b, None, None, None, None, True, 0.1, 1e-05, False))");
        assertTrue(
                conversion.report().text().contains("aten::batch_norm"),
                conversion.report().text());
    }

    /** A bound among an operator's arguments shows only where there are more rows. */
    @Test
    void boundsAboveTheUsualNumberOfRowsHold() {
        float[] values = random(200, 4).toFloatArray().clone();
        for (int i = 0; i < values.length; i += 4) {
            values[i] = Math.abs(values[i]) + 0.1f;
        }
        Tensor all = Tensor.of(values, 200, 4);
        ScriptModule original =
                FreeUnderTest.module(WEIGHTS, "Tensor", PICKED, FIRST, SECOND, "torch.neg(torch.slice(b, 0, 0, 150))");
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(List.of(all))
                        .withSegmentCost(FREE)
                        .withSelfCheck(false),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(original, conversion, all);
    }

    @Test
    void rowsThatAreMadeOfNoneStay() {
        ScriptModule original = FreeUnderTest.module(
                WEIGHTS, "Tensor", PICKED, "torch.relu(torch.linear(torch.zeros_like(r), CONSTANTS.c0, CONSTANTS.c1))");
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(picking(11))).withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(
                conversion.report().text().contains("rows are computed of rows"),
                conversion.report().text());
    }

    /** Rows of one turn of a loop, and of one way of a branch, are cut there. */
    @Test
    void rowsInLoopsAndBranchesAreCutThere() {
        Conversion conversion = converted(
                "Tensor",
                ANY,
                PICKED,
                "s = torch.neg(x)",
                "n = torch.size(r, 0)",
                "for i in range(n):",
                "  q = torch.index(x, annotate(List[Optional[Tensor]], [torch.gt(torch.select(x, 1, 0), torch.div(i, "
                        + "9.))]))",
                "  c = torch.relu(torch.linear(q, CONSTANTS.c0, CONSTANTS.c1))",
                "  if torch.gt(i, 4):",
                "    d = torch.linear(c, CONSTANTS.c2, CONSTANTS.c3)",
                "  else:",
                "    d = torch.mul(q, 2.)",
                "  s = torch.cat([s, d], 0)",
                "torch.sum(s, [0])");
        chunks(conversion);
    }

    /** What is made of all rows together has a shape that is known, if not for no rows. */
    @Test
    void sumsOverRowsHaveKnownShapes() {
        Conversion conversion = converted(
                "Tensor",
                ANY,
                "r = torch.index(x, annotate(List[Optional[Tensor]], [torch.gt(torch.select(x, 1, 0), 0.)]))",
                "s = torch.mean(torch.cumsum(r, 0), [0])",
                "torch.relu(torch.linear(s, CONSTANTS.c0, CONSTANTS.c1))");
        assertEquals(0, conversion.report().coverage().openProducts());
    }

    /**
     * Calls take so few rows that hardly any are filled up, and so many that starts and the reading of weights take
     * little: heads of dense layers, whose weights take longer to read than to compute with, and heads of convolutions,
     * whose weights are read while one row is computed. Where rows are next to no work, nothing pays.
     */
    @Test
    void chunksFollowFromTheWork() {
        SegmentCost cost = SegmentCost.DEFAULT;
        long backbone = 100_000_000_000L;
        assertEquals(1, cost.rows(500_000_000L, 300_000, 10_000_000, 100, backbone));
        assertEquals(1, cost.rows(3_500_000_000L, 500_000, 70_000_000, Integer.MAX_VALUE, 600_000_000));
        assertEquals(32, cost.rows(14_000_000, 50_000, 55_000_000, Integer.MAX_VALUE, backbone));
        assertEquals(32, cost.rows(14_000_000, 50_000, 55_000_000, 1000, backbone));
        assertEquals(
                16,
                cost.rows(14_000_000, 50_000, 55_000_000, Integer.MAX_VALUE, 0),
                "few rows, where these are all that takes time");
        assertEquals(15, cost.rows(14_000_000, 50_000, 55_000_000, 30, backbone));
        assertEquals(256, cost.rows(1000, 64, 4000, Integer.MAX_VALUE, 0));
        assertEquals(1, cost.rows(1000, 64, 4000, 1, 0));
        ScriptModule original = FreeUnderTest.module(WEIGHTS, "Tensor", PICKED, FIRST, SECOND, "b");
        Conversion conversion = Converter.convert(
                original, ConversionOptions.defaults().withExample(List.of(picking(11))), FreeUnderTest.RUNTIME);
        assertFalse(conversion.succeeded(), conversion.report().text());
    }
}
