package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** State that a module keeps in lists and dictionaries, through a conversion. */
class ContainerStateTest {
    @Test
    void itemsOfADictAreStates() {
        ScriptModule converted = ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "t = self.part.table",
                        "y = " + ModuleStateTest.conv("t[\"h\"]"),
                        "_0 = torch._set_item(t, \"h\", torch.tanh(torch.add(y, x)))",
                        "return torch.add(" + ModuleStateTest.conv("self.part.table[\"h\"]") + ", y)"),
                ModuleStateTest.X);
        ((ScriptDict) ((ScriptObject) converted.object().get("part")).get("table"))
                .items()
                .put("h", random(1, 32, 16, 1));
        ScriptException raised =
                assertThrows(ScriptException.class, () -> converted.call("forward", ModuleStateTest.X));
        assertTrue(
                raised.getMessage().contains("item h of attribute table has another shape (expected: [1, 32, 16, 16]"),
                raised.getMessage());
    }

    @Test
    void itemsOfAListAreStates() {
        String set = "torch._set_item(self.part.kept, %d, torch.add(torch.slice(torch.flatten(y), 0, 0, 7), "
                + "torch.tanh(self.part.kept[%d])))";
        ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + ModuleStateTest.conv("x"),
                        "_0 = " + String.format(set, 0, 0),
                        "_1 = " + String.format(set, -1, 0),
                        "return torch.add(y, torch.sum(self.part.kept[0]))"),
                ModuleStateTest.X);
    }

    /** As attention layers keep tables of biases: the first call makes them, the others find them. */
    @Test
    void aDictGetsItemsThatFollowFromNoInput() {
        ScriptModule converted = ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "if torch.__contains__(self.part.table, \"w\"):",
                        "  pass",
                        "else:",
                        "  _0 = torch._set_item(self.part.table, \"w\", torch.neg(torch.index_select(w, 0, "
                                + "torch.arange(32))))",
                        "return torch.conv2d(x, self.part.table[\"w\"], None, [1, 1], [1, 1])"),
                ModuleStateTest.X);
        assertEquals(
                2,
                ((ScriptDict) ((ScriptObject) converted.object().get("part")).get("table"))
                        .items()
                        .size());
    }

    @Test
    void itemsThatAreWrittenInPlaceAreReadWhereTheyAre() {
        ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + ModuleStateTest.conv("x"),
                        "_0 = torch.add_(self.part.table[\"h\"], torch.sum(y))",
                        "return torch.add(y, self.part.table[\"h\"])"),
                ModuleStateTest.X);
        ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + ModuleStateTest.conv("x"),
                        "z = self.part.table[\"h\"]",
                        "_0 = torch.add_(self.part.table[\"h\"], 1)",
                        "return torch.add(y, z)"),
                ModuleStateTest.X);
    }

    @Test
    void itemsThatGrowOrComeFromInputsAreNotTakenForOnesOfTheirShape() {
        ScriptModule grown = ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + ModuleStateTest.conv("x"),
                        "_0 = torch._set_item(self.part.table, \"h\", torch.cat([self.part.table[\"h\"], y], 2))",
                        "return torch.sum(self.part.table[\"h\"], [2])"),
                ModuleStateTest.X);
        assertArrayEquals(
                new int[] {1, 32, 16 + 3 * 16, 16},
                ((Tensor) ((ScriptDict) ((ScriptObject) grown.object().get("part")).get("table"))
                                .items()
                                .get("h"))
                        .sizes());
        ModuleStateTest.held(
                1,
                ModuleStateTest.module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + ModuleStateTest.conv("x"),
                        "if torch.__contains__(self.part.table, \"y\"):",
                        "  z = torch.add(self.part.table[\"y\"], y)",
                        "else:",
                        "  z = y",
                        "_0 = torch._set_item(self.part.table, \"y\", z)",
                        "return torch.neg(z)"),
                ModuleStateTest.X);
    }

    @Test
    void aListThatWasSetIsReadInALoopAndWrittenBack() {
        ScriptModule module = ModuleStateTest.module(
                "x: Tensor, n: int",
                "Tensor",
                "part = self.part",
                "part.kept = [" + ModuleStateTest.conv("x") + "]",
                "_0 = torch.append(self.part.kept, " + ModuleStateTest.conv("torch.relu(x)") + ")",
                "y = x",
                "for i in range(n):",
                "  kept = self.part.kept",
                "  for j in range(torch.len(kept)):",
                "    y = torch.tanh(torch.mul(torch.add(" + ModuleStateTest.conv("y") + ", kept[j]), 0.01))",
                "return y");
        ScriptModule converted = ModuleStateTest.held(2, module, ModuleStateTest.X, 2L);
        ScriptList kept = (ScriptList) ((ScriptObject) converted.object().get("part")).get("kept");
        assertEquals(2, kept.size());
    }

    @Test
    void aListThatIsReturnedStaysTheOneThatIsKept() {
        ScriptModule module = ModuleStateTest.module(
                "x: Tensor",
                "List[Tensor]",
                "part = self.part",
                "part.kept = [" + ModuleStateTest.conv("x") + "]",
                "return self.part.kept");
        ScriptModule converted = ModuleStateTest.held(1, module, ModuleStateTest.X);
        ScriptList returned = (ScriptList) converted.call("forward", ModuleStateTest.X);
        assertTrue(returned == ((ScriptObject) converted.object().get("part")).get("kept"));
    }
}
