package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.MaskedBranches;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

class MaskedBranchesTest {
    private static final Tensor X = random(6, 4);
    private static final List<Tensor> WEIGHTS = List.of(random(4, 4), random(4));
    private static final String MASK = "m = torch.gt(torch.select(x, 1, 0), 0.1)";
    private static final String COPY = "y = torch.neg(x)";
    private static final String PLACES = "i = torch.where(m)[0]";
    private static final String PUT = "  _0 = torch.index_put_(y, annotate(List[Optional[Tensor]], [m]), "
            + "torch.relu(torch.linear(torch.index(x, annotate(List[Optional[Tensor]], [m])), "
            + "CONSTANTS.c0, CONSTANTS.c1)))";
    private static final String ADD = "  _0 = torch.index_add_(y, 0, i, torch.relu(torch.linear(torch.index(x, "
            + "annotate(List[Optional[Tensor]], [i])), CONSTANTS.c0, CONSTANTS.c1)))";

    private static List<String> lines(Object... parts) {
        List<String> lines = new ArrayList<>();
        for (Object part : parts) {
            if (part instanceof List<?> list) {
                list.forEach(line -> lines.add((String) line));
            } else {
                lines.add((String) part);
            }
        }
        return lines;
    }

    private static int branches(Block block) {
        int found = 0;
        for (Node node : block.nodes()) {
            found += node.is("prim::If") ? 1 : 0;
            for (Block inner : node.blocks()) {
                found += branches(inner);
            }
        }
        return found;
    }

    private static int branchesLeft(Object... body) {
        Graph graph = Passes.prepare(
                FreeUnderTest.module(WEIGHTS, "Tensor", lines(body).toArray(new String[0]))
                        .object(),
                "forward");
        int before = branches(graph.block());
        assertEquals(before > 0 && MaskedBranches.run(graph), branches(graph.block()) < before);
        return branches(graph.block());
    }

    /** Converts whole, and answers as the original where the mask picks some rows, none and all. */
    private static void whole(Object... body) {
        ScriptModule original =
                FreeUnderTest.module(WEIGHTS, "Tensor", lines(body).toArray(new String[0]));
        Conversion conversion = Converter.convert(
                original, ConversionOptions.defaults().withExample(List.of(X)), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals());
        float[] none = X.toFloatArray().clone();
        float[] all = none.clone();
        for (int i = 0; i < none.length; i++) {
            none[i] = -Math.abs(none[i]) - 1;
            all[i] = Math.abs(all[i]) + 1;
        }
        for (Tensor input : List.of(X, Tensor.of(none, 6, 4), Tensor.of(all, 6, 4))) {
            FreeUnderTest.compare(original, conversion, input);
        }
    }

    @Test
    void branchesThatAskWhatTheirMaskPicksAreTaken() {
        for (String condition : List.of(
                "torch.any(m)",
                "torch.gt(torch.sum(m), 0)",
                "torch.sum(m)",
                "torch.ne(torch.count_nonzero(m), 0)",
                "torch.gt(torch.len(torch.nonzero(m)), 0)",
                "torch.numel(torch.index(x, annotate(List[Optional[Tensor]], [m])))")) {
            whole(MASK, COPY, "if bool(" + condition + "):", PUT, "else:", "  pass", "torch.mul(y, 2)");
        }
        whole(MASK, COPY, PLACES, "if torch.gt(torch.len(i), 0):", ADD, "else:", "  pass", "torch.mul(y, 2)");
        whole(MASK, COPY, PLACES, "if torch.eq((torch.size(i))[0], 0):", "  pass", "else:", ADD, "torch.mul(y, 2)");
        whole(MASK, COPY, "if torch.__not__(bool(torch.any(m))):", "  pass", "else:", PUT, "torch.mul(y, 2)");
    }

    @Test
    void resultsThatAreTheOtherBranchsWhereNothingIsPickedAreKept() {
        String put =
                "  z = torch.index_add(y, 0, i, torch.linear(torch.index(x, annotate(List[Optional[Tensor]], [i])), "
                        + "CONSTANTS.c0, CONSTANTS.c1))";
        whole(MASK, COPY, PLACES, "if torch.ge(torch.numel(i), 1):", put, "else:", "  z = y", "torch.mul(z, 2)");
        assertEquals(
                1,
                branchesLeft(
                        MASK,
                        COPY,
                        PLACES,
                        "if torch.ge(torch.numel(i), 1):",
                        put,
                        "else:",
                        "  z = x",
                        "torch.mul(z, 2)"));
    }

    @Test
    void branchesThatDoMoreStay() {
        Object[][] bodies = {
            // Another mask than the one that is asked about.
            {"n = torch.lt(torch.select(x, 1, 1), 0.1)", "if bool(torch.any(n)):", PUT, "else:", "  pass"},
            // All of the tensor is written to.
            {"if bool(torch.any(m)):", PUT, "  _1 = torch.mul_(y, 3)", "else:", "  pass"},
            {"if bool(torch.any(m)):", PUT, "else:", "  _1 = torch.mul_(y, 3)"},
            // Of no rows there is no largest value.
            {
                "if bool(torch.any(m)):",
                PUT.replace(
                        "torch.relu(", "torch.add(torch.max(torch.index(x, annotate(List[Optional[Tensor]], [m]))), "),
                "else:",
                "  pass"
            },
            // There is no quotient of as many rows, and no element.
            {
                "if bool(torch.any(m)):",
                PUT,
                "  _1 = torch.index_put_(y, annotate(List[Optional[Tensor]], [m]), torch.tensor(torch.div(3, "
                        + "torch.len(torch.nonzero(m)))))",
                "else:",
                "  pass"
            },
            {
                "if bool(torch.any(m)):",
                PUT,
                "  _1 = torch.index_put_(y, annotate(List[Optional[Tensor]], [m]), "
                        + "torch.tensor(torch.item(torch.nonzero(m))))",
                "else:",
                "  pass"
            },
            // The mask is written to in between.
            {"a = torch.any(m)", "_2 = torch.logical_not_(m)", "if bool(a):", PUT, "else:", "  pass"},
            // Places, of which the first is 0 and no sign of nothing.
            {"i = torch.argsort(torch.select(x, 1, 0))", "if bool(torch.any(i)):", ADD, "else:", "  pass"},
            // More than one row, not some.
            {PLACES, "if torch.gt(torch.len(i), 1):", ADD, "else:", "  pass"}
        };
        for (Object[] body : bodies) {
            assertEquals(1, branchesLeft(MASK, COPY, List.of(body), "torch.mul(y, 2)"), Arrays.toString(body));
        }
    }
}
