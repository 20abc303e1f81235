package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.Graph;

class BranchWritesTest {
    private static final String PART = "  _0 = torch.relu_(torch.slice(y, 0, 0, 1))";

    /** Kinds of all nodes but constants once writes are values, those of inner blocks after their node. */
    private static List<String> kinds(String... body) {
        return PassesUnderTest.kinds(BranchWritesTest::run, body);
    }

    private static void run(Graph graph) {
        BranchWrites.run(graph);
        Functionalize.run(graph);
    }

    @Test
    void aPartThatABranchWritesComesOutOfIt() {
        assertEquals(List.of("aten::neg", "prim::If", "aten::clone", "aten::slice", "aten::relu", "aten::slice_scatter", "aten::slice", "aten::abs"),
            kinds("y = torch.neg(x)", "if flag:", PART, "else:", "  pass", "return torch.abs(y)"));
    }

    @Test
    void bothBranchesWriteToTheirOwn() {
        assertEquals(List.of("aten::neg", "prim::If", "aten::clone", "aten::relu", "aten::clone", "aten::abs", "aten::add"),
            kinds("y = torch.neg(x)", "if flag:", "  _0 = torch.relu_(y)", "else:", "  _1 = torch.abs_(y)", "return torch.add(y, x)"));
    }

    @Test
    void branchesBehindAndInEachOther() {
        assertEquals(List.of("aten::neg", "prim::If", "aten::clone", "aten::relu", "prim::If", "aten::clone", "prim::If", "aten::clone", "aten::abs"),
            kinds("y = torch.neg(x)", "if flag:", "  _0 = torch.relu_(y)", "else:", "  pass", "if flag:", "  if flag:", "    _1 = torch.abs_(y)", "  else:", "    pass",
                "else:", "  pass", "return y"));
    }

    /** Two branches in one are written to anew, and so is what follows them. */
    @Test
    void writesBehindBranchesAreValuesToo() {
        assertEquals(List.of("aten::neg", "prim::If", "aten::clone", "aten::slice", "aten::relu", "aten::slice_scatter", "aten::slice", "aten::clone", "aten::slice", "aten::abs",
                "aten::slice_scatter", "aten::slice", "aten::sigmoid"),
            kinds("y = torch.neg(x)", "if flag:", PART, "else:", "  _1 = torch.abs_(torch.slice(y, 0, 1, 2))", "return torch.sigmoid_(y)"));
    }

    @Test
    void whatIsReadUnderAnotherNameStays() {
        assertEquals(List.of("aten::neg", "aten::slice", "prim::If", "aten::slice", "aten::relu_", "aten::add"),
            kinds("y = torch.neg(x)", "v = torch.slice(y, 0, 0, 1)", "if flag:", PART, "else:", "  pass", "return torch.add(y, v)"));
        assertEquals(List.of("aten::neg", "prim::ListConstruct", "prim::If", "aten::slice", "aten::relu_", "aten::cat"),
            kinds("y = torch.neg(x)", "l = [y, x]", "if flag:", PART, "else:", "  pass", "return torch.cat(l)"));
        assertEquals(List.of("aten::neg", "aten::slice", "prim::If", "aten::relu_", "aten::abs"),
            kinds("y = torch.neg(x)", "v = torch.slice(y, 0, 0, 1)", "if flag:", "  _0 = torch.relu_(v)", "else:", "  pass", "return torch.abs(y)"));
    }

    @Test
    void anInputStaysWrittenTo() {
        assertEquals(List.of("prim::If", "aten::relu_"), kinds("if flag:", "  _0 = torch.relu_(x)", "else:", "  pass", "return x"));
        assertEquals(List.of("aten::slice", "prim::If", "aten::relu_"),
            kinds("y = torch.slice(x, 0, 0, 1)", "if flag:", "  _0 = torch.relu_(y)", "else:", "  pass", "return y"));
    }

    /** Each turn would copy what it writes a part of. */
    @Test
    void whatALoopWritesFromOutsideStays() {
        assertEquals(List.of("aten::neg", "prim::Loop", "prim::If", "aten::select", "aten::relu_"),
            kinds("y = torch.neg(x)", "for i in range(3):", "  if flag:", "    _0 = torch.relu_(torch.select(y, 0, i))", "  else:", "    pass", "return y"));
    }
}
