package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptException;

/** Modules that keep something from one call to the next, of their own or in modules of theirs. */
class ModuleStateTest {
    static final Tensor X = random(1, 32, 16, 16);
    private static final String CONV = "torch.conv2d(%s, w, None, [1, 1], [1, 1])";

    /**
     * A module with a weight {@code w}, a state {@code h}, and a module {@code part} with a state {@code h} and a list
     * {@code kept} and a dict {@code table}.
     */
    static ScriptModule module(String arguments, String result, String... body) {
        String head = "Module):\n  __parameters__ = []\n  __buffers__ = []\n";
        StringBuilder source = new StringBuilder("class Part(" + head
                        + "  h : Tensor\n  kept : List[Tensor]\n  table : Dict[str, Tensor]\n  training : bool\n")
                .append("class Net(")
                .append(head)
                .append("  w : Tensor\n  h : Tensor\n  part : __torch__.net.Part\n  training : bool\n")
                .append("  def forward(self: __torch__.net.Net,\n    ")
                .append(arguments)
                .append(") -> ")
                .append(result)
                .append(":\n    w = self.w\n");
        for (String line : body) {
            source.append("    ").append(line).append('\n');
        }
        source.append("  def reset(self: __torch__.net.Net,\n    h: Tensor) -> NoneType:\n    self.h = h\n    "
                        + "return None\n")
                .append("  def shift(self: __torch__.net.Net,\n    by: Tensor) -> NoneType:\n    _0 = "
                        + "torch.add_(self.part.h, by)\n    return None\n");
        PickledDict part = new PickledDict(null)
                .put("h", random(1, 32, 16, 16))
                .put("kept", new PickledList("List[Tensor]", List.of(random(7))))
                .put("table", new PickledDict("Dict[str, Tensor]").put("h", random(1, 32, 16, 16)))
                .put("training", false);
        PickledDict state = new PickledDict(null)
                .put("w", random(32, 32, 3, 3))
                .put("h", random(1, 32, 16, 16))
                .put("part", new PickledObject("__torch__.net.Part", part))
                .put("training", false);
        return FreeUnderTest.module(source, state);
    }

    static String conv(String argument) {
        return String.format(CONV, argument);
    }

    /** Converts, requires so many NNAPI parts with all products, and compares several calls one after the other. */
    static ScriptModule held(int segments, ScriptModule module, Object... arguments) {
        Conversion conversion = Converter.convert(
                module, ConversionOptions.defaults().withExample(List.of(arguments)), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(
                segments,
                conversion.report().coverage().segments(),
                conversion.report().text());
        assertEquals(
                conversion.report().coverage().allMultiplyAdds(),
                conversion.report().coverage().multiplyAdds(),
                conversion.report().text());
        assertEquals(0, conversion.report().coverage().openProducts());
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        for (int i = 0; i < 3; i++) {
            SelfCheck.Result result =
                    SelfCheck.compare(called(module, arguments), called(converted, arguments), SelfCheck.Bound.REAL);
            assertTrue(result.agrees(), i + ": " + result.text());
        }
        return converted;
    }

    static List<Tensor> called(ScriptModule module, Object... arguments) {
        return Structures.tensors(Collections.singletonList(module.call("forward", arguments)));
    }

    @Test
    void aStateOfOneShapeIsTakenAndSetAroundOnePart() {
        held(
                1,
                module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + conv("x"),
                        "self.h = torch.tanh(torch.add(y, " + conv("self.h") + "))",
                        "return " + conv("self.h")),
                X);
    }

    @Test
    void aStateOfAnotherShapeThanTheConversionsIsAnErrorOfTheConvertedModel() {
        ScriptModule converted = held(
                1,
                module(
                        "x: Tensor",
                        "Tensor",
                        "self.h = torch.tanh(torch.add(" + conv("x") + ", self.h))",
                        "return " + conv("self.h")),
                X);
        converted.call("reset", random(1, 32, 16, 1));
        ScriptException raised = assertThrows(ScriptException.class, () -> converted.call("forward", X));
        assertTrue(
                raised.getMessage().contains("attribute h has another shape (expected: [1, 32, 16, 16]"),
                raised.getMessage());
    }

    @Test
    void aStateThatGrowsIsNotTakenForOneOfItsShape() {
        ScriptModule module = module(
                "x: Tensor",
                "Tensor",
                "y = " + conv("x"),
                "self.h = torch.cat([self.h, y], 2)",
                "return torch.sum(self.h, [2])");
        ScriptModule converted = held(1, module, X);
        assertArrayEquals(
                new int[] {1, 32, 16 + 3 * 16, 16}, ((Tensor) converted.object().get("h")).sizes());
    }

    @Test
    void aStateThatABranchSetsIsReadWhereItIs() {
        held(
                2,
                module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + conv("x"),
                        "if bool(torch.gt(torch.sum(self.h), 1.)):",
                        "  self.h = torch.mul(y, -2)",
                        "else:",
                        "  self.h = torch.add(y, 1)",
                        "z = self.h",
                        "return " + conv("torch.add(z, " + conv("x") + ")")),
                X);
    }

    @Test
    void whatIsWrittenInPlaceIsWrittenByCallsAndNotByTheCheck() {
        held(
                1,
                module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + conv("x"),
                        "_0 = torch.add_(self.h, torch.sum(y))",
                        "return torch.add(y, self.h)"),
                X);
    }

    @Test
    void whatIsWrittenThroughAViewIsNoConstantWhereItIsReadAgain() {
        held(
                1,
                module(
                        "x: Tensor",
                        "Tensor",
                        "y = " + conv("x"),
                        "_0 = torch.add_(torch.select(self.part.h, 1, 0), 1)",
                        "return torch.add(y, self.part.h)"),
                X);
    }

    @Test
    void whatAnotherMethodWritesInPlaceIsNoConstant() {
        ScriptModule module = module("x: Tensor", "Tensor", "return torch.add(" + conv("x") + ", self.part.h)");
        ScriptModule converted = held(1, module, X);
        for (ScriptModule each : List.of(module, converted)) {
            each.call("shift", random(1, 32, 16, 16));
        }
        SelfCheck.Result result = SelfCheck.compare(called(module, X), called(converted, X), SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
    }

    @Test
    void stateOfAModuleInTheModule() {
        held(
                1,
                module(
                        "x: Tensor",
                        "Tensor",
                        "part = self.part",
                        "part.h = torch.relu(torch.sub(" + conv("x") + ", part.h))",
                        "return " + conv("self.part.h")),
                X);
    }

    /**
     * A module with a weight {@code w}, and states {@code h} and {@code s}, a tensor and two, that are None until it is
     * called.
     */
    private static ScriptModule stream(String... body) {
        StringBuilder source = new StringBuilder(
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  w : Tensor\n  h : "
                                + "Optional[Tensor]\n")
                .append("  s : Optional[Tuple[Tensor, Tensor]]\n  calls : int\n  training : bool\n  def "
                        + "forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    w = self.w\n");
        for (String line : body) {
            source.append("    ").append(line).append('\n');
        }
        source.append(
                "  def reset(self: __torch__.net.Net,\n    h: Optional[Tensor]) -> NoneType:\n    self.h = h\n    "
                        + "return None\n");
        PickledDict state = new PickledDict(null)
                .put("w", random(32, 32, 3, 3))
                .put("h", null)
                .put("s", null)
                .put("calls", 0L)
                .put("training", false);
        return FreeUnderTest.module(source, state);
    }

    private static final String[] CONTEXT = {
        "h = self.h",
        "if torch.__is__(h, None):",
        "  c = torch.zeros([1, 32, 16, 2])",
        "else:",
        "  c0 = unchecked_cast(Tensor, h)",
        "  c = c0",
        "y = torch.cat([c, x], 3)",
        "self.h = torch.slice(y, 3, -2)",
        "return " + CONV.replace("%s", "y")
    };

    /**
     * Calls a stream that has not begun, and requires that another shape than the one that it keeps then is an error.
     */
    private static void requireStateOfTwoColumns(ScriptModule converted) {
        converted.call("forward", X);
        converted.call("reset", random(1, 32, 16, 3));
        ScriptException raised = assertThrows(ScriptException.class, () -> converted.call("forward", X));
        assertTrue(raised.getMessage().contains("another shape (expected: [1, 32, 16, 2]"), raised.getMessage());
    }

    @Test
    void aStateThatIsNoneAtFirstHasTheShapeThatACallLeaves() {
        ScriptModule converted = held(1, stream(CONTEXT), X);
        converted.call("reset", new Object[] {null});
        requireStateOfTwoColumns(converted);
    }

    @Test
    void aStateThatABranchFillsIsReadBehindIt() {
        held(
                1,
                stream(
                        "if torch.__is__(self.h, None):",
                        "  self.h = torch.zeros([1, 32, 16, 16])",
                        "else:",
                        "  pass",
                        "h = self.h",
                        "if torch.__isnot__(h, None):",
                        "  c0 = unchecked_cast(Tensor, h)",
                        "  c = c0",
                        "else:",
                        "  ops.prim.RaiseException(\"none\")",
                        "  c = x",
                        "y = " + conv("torch.add(x, c)"),
                        "self.h = torch.tanh(y)",
                        "return y"),
                X);
    }

    @Test
    void aStateOfTwoTensors() {
        held(
                1,
                stream(
                        "s = self.s",
                        "if torch.__is__(s, None):",
                        "  z = torch.zeros([1, 32, 16, 16])",
                        "  a, b = z, z",
                        "else:",
                        "  t = unchecked_cast(Tuple[Tensor, Tensor], s)",
                        "  a0, b0, = t",
                        "  a, b = a0, b0",
                        "c = torch.add(torch.mul(torch.sigmoid(" + conv("x") + "), a), torch.tanh(" + conv("b") + "))",
                        "d = torch.tanh(c)",
                        "self.s = (c, d)",
                        "return d"),
                X);
    }

    @Test
    void aStateThatIsNoneAtFirstAndGrowsIsLeftOpen() {
        ScriptModule converted = held(
                1,
                stream(
                        "z = " + conv("x"),
                        "h = self.h",
                        "if torch.__is__(h, None):",
                        "  y = z",
                        "else:",
                        "  y = torch.cat([unchecked_cast(Tensor, h), z], 2)",
                        "self.h = y",
                        "return torch.sum(y, [2])"),
                X);
        assertArrayEquals(
                new int[] {1, 32, 3 * 16, 16}, ((Tensor) converted.object().get("h")).sizes());
    }

    /**
     * A module with a weight {@code w}, and states {@code h} and {@code s}, which have no elements until it is called.
     */
    private static ScriptModule empty(String... body) {
        StringBuilder source = new StringBuilder(
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  w : Tensor\n  h : Tensor\n "
                                + " s : Tensor\n  training : bool\n")
                .append("  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    w = self.w\n");
        for (String line : body) {
            source.append("    ").append(line).append('\n');
        }
        source.append(
                "  def reset(self: __torch__.net.Net,\n    h: Tensor) -> NoneType:\n    self.h = h\n    return None\n");
        Tensor none = Tensor.of(new float[0], 0);
        PickledDict state = new PickledDict(null)
                .put("w", random(32, 32, 3, 3))
                .put("h", none)
                .put("s", none)
                .put("training", false);
        return FreeUnderTest.module(source, state);
    }

    @Test
    void aStateWithoutElementsHasTheShapeThatACallLeaves() {
        ScriptModule converted = held(
                1,
                empty(
                        "if torch.eq(torch.numel(self.h), 0):",
                        "  self.h = torch.zeros([1, 32, 16, 2])",
                        "else:",
                        "  pass",
                        "y = torch.cat([self.h, x], 3)",
                        "self.h = torch.slice(y, 3, -2)",
                        "z = torch.relu(" + conv("y") + ")",
                        "if torch.eq(torch.size(self.s, 0), 0):",
                        "  c = torch.zeros([1, 32, 16, 18])",
                        "else:",
                        "  c = self.s",
                        "d = torch.tanh(torch.mul(torch.add(" + conv("z") + ", c), 0.01))",
                        "self.s = d",
                        "return d"),
                X);
        converted.call("reset", Tensor.of(new float[0], 0));
        requireStateOfTwoColumns(converted);
    }

    @Test
    void aStateWithoutElementsThatIsReplacedOrKept() {
        held(
                1,
                empty(
                        "y = " + conv("x"),
                        "if torch.ne(torch.size(self.h), torch.size(y)):",
                        "  self.h = y",
                        "else:",
                        "  self.h = torch.add(torch.mul(self.h, 0.9), y)",
                        "return torch.relu(torch.mul(self.h, 0.5))"),
                X);
    }

    /** What the first call computes with no elements it must go on to compute. */
    @Test
    void whatIsComputedWithoutElementsStaysAsItIs() {
        held(
                1,
                empty(
                        "y = " + conv("x"),
                        "z = torch.cat([torch.reshape(self.h, [1, 32, 16, -1]), y], 3)",
                        "self.h = y",
                        "return torch.sum(z, [3])"),
                X);
        held(
                1,
                empty(
                        "y = " + conv("x"),
                        "if torch.gt(torch.numel(self.h), 0):",
                        "  z = torch.cat([self.h, y], 2)",
                        "else:",
                        "  z = y",
                        "self.h = z",
                        "return torch.sum(z, [2])"),
                X);
    }

    private static final String[] LAYERS = {
        "h = self.h",
        "if torch.__is__(h, None):",
        "  c = torch.zeros([1, 32, 16, 16])",
        "else:",
        "  c0 = unchecked_cast(Tensor, h)",
        "  c = c0",
        "y = " + CONV.replace("%s", "torch.add(x, c)"),
        "self.h = torch.tanh(y)",
        "self.calls = torch.add(self.calls, 1)",
        "s = self.s",
        "if torch.__is__(s, None):",
        "  z = torch.zeros([1, 32, 16, 16])",
        "  t = (z, z)",
        "else:",
        "  t0 = unchecked_cast(Tuple[Tensor, Tensor], s)",
        "  t = t0",
        "a, b = t",
        "d = torch.tanh(" + CONV.replace("%s", "torch.add(y, a)") + ")",
        "self.s = (d, torch.mul(b, 0.5))"
    };

    private static ScriptModule layers(String... rest) {
        List<String> body = new ArrayList<>(List.of(LAYERS));
        body.addAll(List.of(rest));
        return stream(body.toArray(new String[0]));
    }

    @Test
    void statesOfSeveralLayersAreReadBeforeTheFirstIsSet() {
        ScriptModule converted = held(1, layers("return " + conv("d")), X);
        assertEquals(3L, converted.object().get("calls"));
    }

    /** An exception between them finds the first state set, and the second not. */
    @Test
    void statesAreSetBeforeWhatRaisesBehindThem() {
        String[] body = {
            "y = " + conv("x"),
            "self.h = torch.tanh(y)",
            "if bool(torch.gt(torch.sum(x), 1000.)):",
            "  ops.prim.RaiseException(\"too much\")",
            "else:",
            "  pass",
            "z = " + conv("torch.add(y, 1)"),
            "self.s = (z, y)",
            "return z"
        };
        ScriptModule original = stream(body);
        ScriptModule converted = held(1, original, X);
        float[] much = new float[(int) X.numel()];
        Arrays.fill(much, 1);
        for (ScriptModule each : List.of(original, converted)) {
            Object before = each.object().get("s");
            assertThrows(ScriptException.class, () -> each.call("forward", Tensor.of(much, X.sizes())));
            assertSame(before, each.object().get("s"));
        }
        assertTrue(SelfCheck.compare(
                        Structures.tensors(List.of(original.object().get("h"))),
                        Structures.tensors(List.of(converted.object().get("h"))),
                        SelfCheck.Bound.REAL)
                .agrees());
    }
}
