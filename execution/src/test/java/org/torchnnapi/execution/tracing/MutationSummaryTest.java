package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.CustomClasses;

class MutationSummaryTest {
    private static final String FUNCTIONS = """
        def limited(x: Tensor, inplace: bool) -> Tensor:
          if inplace:
            y = torch.relu_(x)
          else:
            y = torch.relu(x)
          return y
        def doubled(x: Tensor) -> Tensor:
          return torch.mul(x, 2)
        def row(x: Tensor) -> Tensor:
          return torch.select(x, 0, 0)
        def first(l: List[Tensor]) -> Tensor:
          return torch.add_(l[0], 1)
        def into(l: List[Tensor], x: Tensor) -> NoneType:
          _0 = torch.append(l, x)
          return None
        """;

    private static ScriptModule module(String body) {
        String forward =
                "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  told : bool\n  b "
                        + ": Tensor\n"
                        + "  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
                        + body.lines().map(line -> "    " + line + "\n").reduce("", String::concat);
        PickledDict state = new PickledDict(null)
                .put("training", false)
                .put("told", false)
                .put("b", Tensor.of(new float[] {1, 2}, 2));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new ArchiveWriter("m", 3)
                    .source("code/__torch__.py", FUNCTIONS + forward)
                    .data(new PickledObject("__torch__.M", state))
                    .write(out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), ScriptRuntime.standard(CustomClasses.NONE));
    }

    private static void assertLasts(boolean expected, String body) {
        ScriptModule module = module(body);
        assertEquals(expected, module.callsRunAlone("forward"), body);
    }

    /** What a call made it may write to: results of functions, of views of such, in containers that it made. */
    @Test
    void whatACallMadeItMayWriteTo() {
        assertLasts(false, "y = __torch__.limited(__torch__.doubled(x), True)\nreturn y");
        assertLasts(false, "y = __torch__.limited(x, False)\nreturn y");
        assertLasts(false, "y = torch.add_(__torch__.row(__torch__.doubled(x)), 1)\nreturn y");
        assertLasts(
                false,
                "l = annotate(List[Tensor], [])\n_0 = torch.append(l, torch.neg(x))\ny = l[0]\n_1 = torch.add_(y, "
                        + "1)\nreturn y");
        assertLasts(false, "l = [self.b]\n_0 = torch.append(l, x)\nreturn torch.add(l[0], l[1])");
        assertLasts(
                false,
                "if torch.gt(torch.size(x, 0), 9):\n  ops.prim.RaiseException(\"long\", \"builtins.ValueError\")\n  "
                        + "y = unchecked_cast(Tensor, x)\n"
                        + "else:\n  y = torch.neg(x)\nreturn y");
        assertLasts(
                false,
                "if torch.gt(torch.size(x, 0), 9):\n  n = 1\n  ops.prim.RaiseException(\"long\", "
                        + "\"builtins.ValueError\")\nelse:\n  n = 2\nreturn torch.add(x, n)");
        assertLasts(false, "y = torch.neg(x)\nfor i in range(3):\n  y = torch.add_(y, 1)\nreturn y");
    }

    /** However it comes by what is not its own. */
    @Test
    void whatItDidNotMakeLasts() {
        assertLasts(true, "y = torch.relu_(x)\nreturn y");
        assertLasts(true, "y = __torch__.limited(x, True)\nreturn y");
        assertLasts(true, "y = torch.add_(__torch__.row(x), 1)\nreturn y");
        assertLasts(true, "y = torch.add_(__torch__.row(self.b), 1)\nreturn y");
        assertLasts(true, "l = [self.b, torch.neg(x)]\ny = torch.add_(l[1], 1)\nreturn y");
        assertLasts(
                true,
                "l = annotate(List[Tensor], [])\n_0 = torch.append(l, self.b)\ny = torch.add_(l[0], 1)\nreturn y");
        assertLasts(
                true, "l = annotate(List[Tensor], [])\n_0 = __torch__.into(l, x)\ny = torch.add_(l[0], 1)\nreturn y");
        assertLasts(
                true,
                "l = annotate(List[Tensor], [])\nm = [l]\n_0 = torch.append(m[0], x)\ny = torch.add_(l[0], 1)\n"
                        + "return y");
        assertLasts(
                true, "l = annotate(List[Tensor], [])\n_0 = torch.append(l, self.b)\ny = __torch__.first(l)\nreturn y");
        assertLasts(
                true, "d = annotate(Dict[str, Tensor], {})\nd[\"b\"] = self.b\ny = torch.add_(d[\"b\"], 1)\nreturn y");
        assertLasts(true, "p = (torch.neg(x), x)\na, b, = p\ny = torch.add_(b, 1)\nreturn y");
        // In the second round it is the argument.
        assertLasts(true, "y = torch.neg(x)\nfor i in range(3):\n  z = torch.add_(y, 1)\n  y = x\nreturn y");
        assertLasts(
                true,
                "y = torch.neg(x)\nif torch.gt(torch.size(x, 0), 1):\n  z = x\nelse:\n  z = y\nreturn torch.add_(z, "
                        + "1)");
        assertLasts(true, "self.told = True\nreturn x");
    }

    /** Branches that attributes rule out count once the attributes have changed. */
    @ParameterizedTest
    @CsvSource({"self.training", "torch.__not__(torch.__not__(self.training))"})
    void branchesHangOnWhatAttributesAre(String condition) {
        ScriptModule module = module("if " + condition + ":\n  _0 = torch.add_(self.b, 1)\nelse:\n  pass\nreturn x");
        assertFalse(module.callsRunAlone("forward"));
        module.object().set("training", true);
        assertTrue(module.callsRunAlone("forward"));
        module.object().set("training", false);
        assertFalse(module.callsRunAlone("forward"));
    }

    /** A warning that is given once is noted by the first call, alone. */
    @Test
    void whatIsDoneOnceIsDoneAlone() {
        ScriptModule module =
                module("if torch.__not__(self.told):\n  self.told = True\nelse:\n  pass\nreturn torch.neg(x)");
        assertTrue(module.callsRunAlone("forward"));
        module.call("forward", Tensor.of(new float[] {1}, 1));
        assertFalse(module.callsRunAlone("forward"));
    }
}
