package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Functions that write in place, which compute the same once writes are values: results, and arguments after the call.
 */
class FunctionalizedRunsTest {
    private static Function function(String result, String... body) {
        String text = "def f(x: Tensor, y: Tensor, n: int) -> " + result + ":\n  " + String.join("\n  ", body) + "\n";
        return new CodeLoader(
                        new CodeArchive() {
                            @Override
                            public String source(String entry) {
                                return Map.of("code/__torch__/m.py", text).get(entry);
                            }

                            @Override
                            public Object constant(int index) {
                                return Tensor.of(new float[] {1, 2, 3, 4}, 4);
                            }
                        },
                        OperatorRegistry.withBuiltins())
                .function("__torch__.m.f");
    }

    private static Tensor tensor(double seed) {
        float[] made = new float[16];
        for (int i = 0; i < 16; i++) {
            made[i] = Math.round(8 * Math.sin(seed * (i + 1))) / 4f;
        }
        return Tensor.of(made, 4, 4);
    }

    /** All elements of whatever a value is. */
    private static String text(Object value) {
        if (value instanceof Tensor tensor) {
            Tensor plain = tensor.copy(MemoryFormat.CONTIGUOUS);
            List<Object> elements = new ArrayList<>();
            for (int i = 0; i < plain.numel(); i++) {
                elements.add(plain.getDouble(i));
            }
            return tensor.dtype() + java.util.Arrays.toString(tensor.sizes()) + elements;
        }
        if (value instanceof ScriptList list) {
            return list.items().stream()
                    .map(FunctionalizedRunsTest::text)
                    .toList()
                    .toString();
        }
        if (value instanceof ScriptTuple tuple) {
            return tuple.items().stream()
                    .map(FunctionalizedRunsTest::text)
                    .toList()
                    .toString();
        }
        if (value instanceof Object[] several) {
            return java.util.Arrays.stream(several)
                    .map(FunctionalizedRunsTest::text)
                    .toList()
                    .toString();
        }
        return value instanceof ScriptDict dict
                ? dict.items().values().stream()
                        .map(FunctionalizedRunsTest::text)
                        .toList()
                        .toString()
                : String.valueOf(value);
    }

    /** How many writes are left, but those that write back what was computed. */
    private static long writes(Block block) {
        return block.nodes().stream()
                .mapToLong(node -> (Effects.writes(node, 0)
                                        && node.input(0).type() == Type.Basic.TENSOR
                                        && !Functionalize.isWrittenBack(node)
                                ? 1
                                : 0)
                        + node.blocks().stream()
                                .mapToLong(FunctionalizedRunsTest::writes)
                                .sum())
                .sum();
    }

    private static String run(Function function, int n) {
        Tensor x = tensor(1);
        Tensor y = tensor(2);
        Object result = GraphEvaluator.call(function, new Object[] {x, y, (long) n});
        return text(result) + " x " + text(x) + " y " + text(y);
    }

    private static Function functional(String result, String... body) {
        Function made = function(result, body);
        Functionalize.run(made.graph(), null, true);
        GraphVerifier.verify(made.graph());
        return made;
    }

    /** @param left how many writes stay writes */
    private static void same(int left, String result, String... body) {
        String text = String.join("\n", body);
        Graph made = functional(result, body).graph();
        for (int n = 0; n < 4; n++) {
            assertEquals(run(function(result, body), n), run(functional(result, body), n), "n " + n + "\n" + text);
        }
        assertEquals(left, writes(made.block()), text);
        assertTrue(!Functionalize.run(made, null, true), "a second time\n" + text);
    }

    private static void pure(String... body) {
        same(0, "Tensor", body);
    }

    private static void purePair(String... body) {
        same(0, "Tuple[Tensor, Tensor]", body);
    }

    @Test
    void anArgumentIsWrittenBack() {
        pure("return torch.relu_(x)");
        pure("_0 = torch.add_(x, y)", "return torch.mul(x, 2)");
        purePair("v = torch.cat([x, x], 1)", "_0 = torch.add_(x, y)", "return (torch.neg(x), v)");
    }

    @Test
    void partsOfAnArgumentAreWrittenBack() {
        pure("_0 = torch.neg_(torch.select(x, 0, 1))", "return torch.mul(x, 1)");
        pure("_0 = torch.neg_(torch.unbind(x, 1)[0])", "return torch.mul(x, 1)");
        pure("a, b, = torch.chunk(x, 2, 1)", "_0 = torch.mul_(b, 3)", "return torch.add(a, b)");
        pure("_0 = torch.mul_(torch.split(x, 3)[1], 3)", "return torch.mul(x, 1)");
        pure("_0 = torch.mul_(torch.split_with_sizes(x, [1, 3], 1)[1], 3)", "return torch.mul(x, 1)");
    }

    @Test
    void whatBecomesAnotherViewDoesSoInItsList() {
        same(1, "List[Tensor]", "c = torch.unbind(x)", "_0 = torch.unsqueeze_(c[0], 0)", "return c");
        same(2, "List[Tensor]", "c = torch.split(x, 2)", "_0 = torch.t_(torch.neg_(c[1]))", "return c");
    }

    @Test
    void twoArgumentsThatMayBeOneStayWrittenTo() {
        same(1, "Tensor", "_0 = torch.add_(x, 1)", "return torch.add(x, y)");
        same(2, "Tensor", "_0 = torch.add_(x, 1)", "_1 = torch.add_(y, x)", "return x");
    }

    @Test
    void viewsOfEachKindLeadBack() {
        for (String view : List.of(
                "torch.select(v, 0, -1)",
                "torch.slice(v, 1, 1, 4, 2)",
                "torch.narrow(v, 0, -3, 2)",
                "torch.t(v)",
                "torch.transpose(v, 0, -1)",
                "torch.permute(v, [1, 0])",
                "torch.permute(v, [-1, -2])",
                "torch.view(v, [2, 8])",
                "torch.view(v, [-1])",
                "torch.unsqueeze(v, 1)",
                "torch.squeeze(torch.unsqueeze(v, 0), 0)",
                "torch.squeeze(torch.unsqueeze(v, 0))",
                "torch.diagonal(v, 1)",
                "torch.unflatten(v, 1, [2, 2])",
                "torch.movedim(v, 0, 1)",
                "torch.view_as(torch.view(v, [16]), v)",
                "torch.detach(v)",
                "torch.select(torch.select(v, 0, 1), 0, 2)",
                "torch.slice(torch.t(torch.slice(v, 0, 1, 3)), 0, 1, 3)")) {
            purePair("v = torch.neg(x)", "p = " + view, "_0 = torch.mul_(p, 3)", "return (v, torch.add(p, 1))");
            purePair("v = torch.neg(x)", "p = " + view, "_0 = torch.add_(v, 3)", "return (v, torch.add(p, 1))");
            purePair("p = " + view.replaceAll("\\bv\\b", "x"), "_0 = torch.fill_(p, 3)", "return (x, p)");
        }
    }

    @Test
    void whatABranchWritesComesOutOfIt() {
        pure(
                "v = torch.neg(x)",
                "if torch.gt(n, 1):",
                "  _0 = torch.relu_(torch.slice(v, 0, 0, 1))",
                "else:",
                "  pass",
                "return torch.abs(v)");
        purePair(
                "v = torch.neg(x)",
                "p = torch.t(v)",
                "if torch.gt(n, 1):",
                "  _0 = torch.relu_(v)",
                "else:",
                "  if torch.gt(n, 0):",
                "    _1 = torch.add_(torch.select(p, 0, 2), torch.select(y, 0, 0))",
                "  else:",
                "    pass",
                "return (p, torch.abs(v))");
        pure("if torch.gt(n, 1):", "  _0 = torch.relu_(x)", "else:", "  pass", "return torch.mul(x, 2)");
    }

    @Test
    void whatALoopWritesIsCarried() {
        pure(
                "v = torch.neg(x)",
                "w = torch.mul(y, 1)",
                "for i in range(n):",
                "  w0 = torch.add_(w, v)",
                "  _0 = torch.add_(torch.select(v, 0, 0), 1)",
                "return w");
        purePair(
                "v = torch.neg(x)",
                "p = torch.select(v, 1, 0)",
                "for i in range(n):",
                "  _0 = torch.mul_(torch.select(v, 0, i), 3)",
                "  for k in range(n):",
                "    if torch.eq(k, i):",
                "      _1 = torch.add_(p, 1)",
                "    else:",
                "      pass",
                "return (p, torch.abs(v))");
        pure("for i in range(n):", "  _0 = torch.neg_(torch.select(x, 0, i))", "return x");
    }

    @Test
    void aVariableThatIsWrittenIsTheSameTensorOnAllWays() {
        pure("v = torch.ones([4, 4])", "for i in range(n):", "  v = torch.add_(v, x)", "return torch.matmul(v, y)");
        purePair("v = torch.neg(x)", "w = v", "for i in range(n):", "  w = torch.add_(w, y)", "return (v, w)");
        pure("v = torch.neg(x)", "for i in range(n):", "  v = torch.mul(torch.add_(v, y), 2)", "return v");
        purePair(
                "v = torch.neg(x)",
                "w = v",
                "for i in range(n):",
                "  w = torch.mul(torch.abs(w), 2)",
                "return (v, torch.add(w, 0))");
    }

    @Test
    void aVariableThatMayBeEitherStays() {
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "v = torch.neg(x)",
                "if torch.gt(n, 1):",
                "  w = torch.t(v)",
                "else:",
                "  w = torch.abs(y)",
                "_0 = torch.add_(w, 1)",
                "return (v, w)");
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "v = torch.neg(x)",
                "w = v",
                "for i in range(n):",
                "  w = torch.abs(w)",
                "_0 = torch.add_(w, 1)",
                "return (v, w)");
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "a = torch.neg(x)",
                "b = a",
                "for i in range(n):",
                "  _0 = torch.add_(a, 1)",
                "  a = torch.t(a)",
                "return (a, b)");
        // Once the other is not read any more, it may be it or not.
        pure(
                "v = torch.neg(x)",
                "if torch.gt(n, 1):",
                "  w = torch.t(v)",
                "else:",
                "  w = torch.abs(y)",
                "_0 = torch.add_(w, 1)",
                "return w");
    }

    @Test
    void whatMayBeAViewOrNot() {
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "v = torch.neg(x)",
                "w = torch.reshape(v, [16])",
                "_0 = torch.add_(w, 1)",
                "return (v, w)");
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "v = torch.neg(x)",
                "w = torch.contiguous(v)",
                "_0 = torch.add_(v, 1)",
                "return (v, w)");
        same(1, "Tensor", "w = torch.type_as(x, y)", "_0 = torch.add_(w, 1)", "return torch.add(w, 2)");
        pure("v = torch.neg(x)", "w = torch.reshape(v, [16])", "_0 = torch.add_(w, 1)", "return w");
        pure("v = torch.relu_(torch.neg(x))", "w = torch.reshape(v, [16])", "return torch.add(w, 1)");
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "v = torch.neg(x)",
                "w = torch.reshape(v, [16])",
                "u = torch.reshape(w, [2, 8])",
                "_0 = torch.add_(u, 1)",
                "return (v, u)");
    }

    @Test
    void whatIsInAContainer() {
        purePair("v = torch.neg(x)", "t = (v, y)", "_0 = torch.add_(torch.select(v, 0, 1), 2)", "return t");
        same(0, "List[Tensor]", "v = torch.neg(x)", "l = [v, torch.t(v)]", "_0 = torch.add_(v, 2)", "return l");
        pure("v = torch.neg(x)", "l = [v, v]", "_0 = torch.add_(v, 2)", "return torch.cat(l)");
        same(
                1,
                "Tuple[Tensor, List[Tensor]]",
                "v = torch.neg(x)",
                "l = annotate(List[Tensor], [])",
                "_1 = torch.append(l, v)",
                "_0 = torch.add_(torch.select(v, 0, 1), 2)",
                "return (v, l)");
        same(
                1,
                "List[Tensor]",
                "l = annotate(List[Tensor], [])",
                "for i in range(n):",
                "  v = torch.relu_(torch.neg(x))",
                "  _0 = torch.append(l, v)",
                "_1 = torch.append(l, y)",
                "_2 = torch.add_(l[0], 1)",
                "return l");
    }

    @Test
    void whatIsSharedThoughNoSchemaSaysSo() {
        same(1, "Tensor", "a, b, = torch.broadcast_tensors([x, y])", "_0 = torch.neg_(a)", "return torch.mul(x, 1)");
        same(1, "Tensor", "a = torch.atleast_1d(x)", "_0 = torch.neg_(a)", "return torch.mul(x, 1)");
        same(1, "Tensor", "a = torch.einsum(\"ij->ji\", [x])", "_0 = torch.neg_(a)", "return torch.mul(x, 1)");
    }

    @Test
    void whatIsWrittenHasItsPlacesType() {
        pure("v = torch.clone(torch.to(x, 5))", "_0 = torch.add_(v, y)", "return v");
        pure(
                "v = torch.clone(torch.to(x, 5))",
                "_0 = torch.copy_(torch.select(v, 0, 1), torch.select(y, 0, 0))",
                "return v");
        pure("v = torch.neg(x)", "_0 = torch.lt_(v, y)", "return v");
        pure("v = torch.neg(x)", "_0 = torch.logical_not_(v)", "return v");
        pure("v = torch.neg(x)", "_0 = torch.zero_(torch.slice(v, 0, 1, 2))", "return v");
        pure("v = torch.neg(x)", "_0 = torch.fill_(torch.slice(v, 0, 1, 2), torch.sum(x))", "return v");
    }

    @Test
    void expandedTensorsAndConstantsStay() {
        same(
                1,
                "Tensor",
                "v = torch.expand(torch.slice(x, 0, 0, 1), [4, 4])",
                "_0 = torch.neg_(torch.slice(v, 0, 0, 1))",
                "return torch.mul(x, 1)");
        same(1, "Tensor", "return torch.add_(CONSTANTS.c0, 1)");
    }

    @Test
    void viewsThatChange() {
        pure("v = torch.neg(x)", "_0 = torch.t_(v)", "_1 = torch.add_(v, y)", "return v");
        same(
                1,
                "Tuple[Tensor, Tensor]",
                "v = torch.neg(x)",
                "w = torch.select(v, 0, 0)",
                "_0 = torch.t_(w)",
                "return (v, w)");
    }
}
