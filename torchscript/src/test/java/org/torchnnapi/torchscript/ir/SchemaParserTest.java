package org.torchnnapi.torchscript.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.value.ScriptList;

class SchemaParserTest {
    @Test
    void readsAliasesKeywordOnlyArgumentsAndDefaults() {
        FunctionSchema s =
                SchemaParser.parse("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
        assertEquals("aten::add_", s.name());
        assertEquals("Tensor", s.overload());
        assertTrue(s.isMutating());
        assertEquals("a", s.arguments().get(0).alias());
        assertTrue(s.arguments().get(2).keywordOnly());
        assertEquals(1L, s.arguments().get(2).defaultValue());
        assertEquals(Type.Basic.NUMBER, s.arguments().get(2).type());
    }

    @Test
    void sizedListsRepeatTheirDefault() {
        FunctionSchema s =
                SchemaParser.parse("aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, "
                        + "int[2] padding=0, int[2] dilation=1, int groups=1) -> Tensor");
        assertEquals(List.of(1L, 1L), ((ScriptList) s.arguments().get(3).defaultValue()).items());
        assertEquals(Type.optional(Type.Basic.TENSOR), s.arguments().get(2).type());
        assertNull(s.arguments().get(2).defaultValue());
        assertEquals(
                "[]",
                SchemaParser.parse("aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[]) -> Tensor")
                        .arguments()
                        .get(2)
                        .defaultValue()
                        .toString());
    }

    @Test
    void readsVarargsVariablesTuplesAndClasses() {
        assertTrue(SchemaParser.parse("aten::format(str self, ...) -> str").isVararg());
        FunctionSchema append = SchemaParser.parse("aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)");
        assertEquals(
                Type.list(new Type.Variable("t")), append.arguments().get(0).type());
        assertEquals(
                new Type.DictType(Type.Basic.STRING, new Type.Variable("t")),
                SchemaParser.parse("aten::update.str(Dict(str, t)(a!) self, Dict(str, t)(a!) to_add) -> ()")
                        .arguments()
                        .get(0)
                        .type());
        FunctionSchema max = SchemaParser.parse(
                "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)");
        assertEquals(2, max.returns().size());
        assertEquals(
                "__torch__.torch.classes.quantized.Conv2dPackedParamsBase",
                SchemaParser.parse("quantized::f(Tensor qx, "
                                + "__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight) -> Tensor")
                        .arguments()
                        .get(1)
                        .type()
                        .text());
    }

    @Test
    void refusesBrokenText() {
        assertThrows(IllegalArgumentException.class, () -> SchemaParser.parse("aten::add(Tensor self"));
        assertThrows(IllegalArgumentException.class, () -> SchemaParser.parse("aten::add"));
    }
}
