package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.ModelException;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;

/** Arguments and results of all kinds, branches and loops that stay, and other methods, in models that are divided. */
class ControlFlowSegmentsTest {
    private static final Tensor X = random(1, 32, 32, 32);
    private static final Tensor OTHER =
            random(1, 32, 32, 31).asStrided(new int[] {1, 32, 32, 32}, new int[] {0, 900, 28, 1}, 0);
    private static final String CONV = "torch.conv2d(%s, w, None, [1, 1], [1, 1])";

    private static String conv(String argument) {
        return String.format(CONV, argument);
    }

    /** A module with a weight {@code w} and a number {@code n}. */
    private static ScriptModule module(String arguments, String result, List<String> body, String... methods) {
        StringBuilder source = new StringBuilder(
                "class Net(Module):\n  __parameters__ = [\"w\", ]\n  __buffers__ = []\n  w : Tensor\n  n : int\n  "
                        + "training : bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    " + arguments + ") -> " + result
                        + ":\n    w = self.w\n");
        for (int i = 0; i < body.size(); i++) {
            source.append("    ")
                    .append(i == body.size() - 1 ? "return " : "")
                    .append(body.get(i))
                    .append('\n');
        }
        for (String method : methods) {
            source.append(method);
        }
        PickledDict state = new PickledDict(null)
                .put("w", random(32, 32, 3, 3))
                .put("n", 3L)
                .put("training", false);
        return FreeUnderTest.module(source, state);
    }

    private static Conversion convert(ScriptModule module, ConversionOptions options, Object... arguments) {
        Conversion conversion =
                Converter.convert(module, options.withExample(Arrays.asList(arguments)), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        return conversion;
    }

    private static ScriptModule load(Conversion conversion) {
        return ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
    }

    private static void same(ScriptModule original, ScriptModule converted, Object... arguments) {
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", Arrays.asList(arguments)),
                SelfCheck.run(converted, "forward", Arrays.asList(arguments)),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
    }

    /** Converts for the first arguments, requires so many NNAPI parts, and compares on all. */
    private static ScriptModule divided(int segments, ScriptModule original, Object[]... arguments) {
        Conversion conversion = convert(original, ConversionOptions.defaults(), arguments[0]);
        assertEquals(segments, conversion.models().size(), conversion.report().text());
        ScriptModule converted = load(conversion);
        for (Object[] each : arguments) {
            same(original, converted, each);
        }
        return converted;
    }

    private static ScriptList list(Object... items) {
        return new ScriptList(Type.Basic.TENSOR, Arrays.asList(items));
    }

    /** What a number does to each element changes no shape, so what comes after it goes to NNAPI. */
    @Test
    void numbersStayArguments() {
        for (String[] by : new String[][] {
            {"scale: float=1.5", "torch.mul(%s, scale)"},
            {"scale: int=2", "torch.add(%s, x, alpha=scale)"},
            {"scale: float=1.5", "torch.div(torch.neg(%s), torch.add(scale, 1.))"}
        }) {
            ScriptModule original = module(
                    "x: Tensor,\n    " + by[0],
                    "Tensor",
                    List.of(
                            "y = torch.relu(" + conv("x") + ")",
                            "y0 = " + String.format(by[1], "y"),
                            "torch.relu(" + conv("y0") + ")"));
            Object one = by[0].contains("float") ? (Object) 1.5 : (Object) 1L;
            Object three = by[0].contains("float") ? (Object) 3.0 : (Object) 3L;
            // A number that each element is multiplied with, say, goes in as a tensor of one.
            divided(
                    by[1].contains("alpha") ? 2 : 1,
                    original,
                    new Object[] {X, one},
                    new Object[] {X, three},
                    new Object[] {OTHER, three});
        }
    }

    /** What a branch writes to in place is a value behind it, so that what follows goes to NNAPI. */
    @Test
    void whatBranchesWriteToComesOutOfThem() {
        String decides = "if bool(torch.gt(torch.select(torch.reshape(x, [-1]), 0, 0), 0.)):";
        ScriptModule original = module(
                "x: Tensor",
                "Tensor",
                List.of(
                        "y = torch.relu(" + conv("x") + ")",
                        decides,
                        "  p = torch.slice(y, 1, 0, 16)",
                        "  _0 = torch.copy_(p, torch.mul(p, 2))",
                        "  _1 = torch.fill_(torch.select(y, 1, 3), 0.5)",
                        "else:",
                        "  _2 = torch.mul_(y, 0.5)",
                        "z = torch.relu(" + conv("y") + ")",
                        "torch.add(z, y)"));
        Object[] positive = {absolute(X, 1)};
        Object[] negative = {absolute(X, -1)};
        divided(2, original, positive, negative);
        divided(2, original, negative, positive);
        assertEquals(
                List.of(),
                convert(original, ConversionOptions.defaults(), positive).refusals());
    }

    private static Tensor absolute(Tensor tensor, int sign) {
        float[] elements = tensor.toFloatArray().clone();
        elements[0] = sign * Math.abs(elements[0]);
        return Tensor.of(elements, tensor.sizes());
    }

    /** A step of a decoder that stands in many parts, as loops are unrolled: the file has its weights once. */
    @Test
    void partsOfOneFileShareTheirWeights() {
        ScriptModule original = module(
                "x: Tensor",
                "Tensor",
                List.of(
                        "y = x",
                        "for i in range(4):",
                        "  y = torch.relu(" + conv("y") + ")",
                        "  if bool(torch.gt(torch.select(torch.reshape(y, [-1]), 0, i), 0.)):",
                        "    y = torch.neg(y)",
                        "  else:",
                        "    pass",
                        "y"));
        Conversion conversion = convert(original, ConversionOptions.defaults(), X);
        assertEquals(4, conversion.models().size(), conversion.report().text());
        int weights = 32 * 32 * 9 * Float.BYTES;
        assertTrue(
                conversion.toBytes().length < 2 * weights,
                conversion.toBytes().length + " bytes, of which one convolution's weights are " + weights);
    }

    /**
     * How often a loop turns that makes its images larger is held where nothing converts otherwise: at the example's
     * number, or at the default.
     */
    @Test
    void numbersThatSayShapesAreHeld() {
        ScriptModule original = module(
                "x: Tensor,\n    n: int=2",
                "Tensor",
                List.of(
                        "y = x",
                        "for i in range(n):",
                        "  y = torch.relu(" + conv("torch.cat([y, torch.neg(y)], 2)") + ")",
                        "y"));
        ScriptModule byDefault = divided(1, original, new Object[] {X}, new Object[] {OTHER}, new Object[] {X, 2L});
        assertThrows(ScriptException.class, () -> byDefault.call("forward", X, 3L));
        ScriptModule given = divided(1, original, new Object[] {X, 3L}, new Object[] {OTHER, 3L});
        assertThrows(ScriptException.class, () -> given.call("forward", X));
        Conversion conversion = convert(original, ConversionOptions.defaults(), X);
        assertTrue(
                conversion.report().text().contains("converted for n = 2"),
                conversion.report().text());
    }

    /** A factor is a tensor that TorchScript makes where the rest pays, and held where nothing would. */
    @Test
    void realNumbersAreHeldInSmallModels() {
        ScriptModule original =
                module("x: Tensor,\n    by: float=0.5", "Tensor", List.of("torch.relu(torch.mul(x, by))"));
        Conversion conversion = convert(original, ConversionOptions.defaults(), random(2, 3));
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains("converted for by = 0.5"),
                conversion.report().text());
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        converted.call("forward", random(2, 3), 0.5);
        assertThrows(ScriptException.class, () -> converted.call("forward", random(2, 3), 0.25));
    }

    /** Degrees of nodes, say: how many counts there are depends on the largest number, which is checked. */
    @Test
    void countsHaveAsManyPlacesAsAreAskedFor() {
        ScriptModule original = module(
                "x: Tensor,\n    i: Tensor",
                "Tensor",
                List.of(
                        "n = torch.view(torch.bincount(i, None, 32), [1, 32, 1, 1])",
                        "torch.relu(" + conv("torch.div(x, torch.clamp(n, 1))") + ")"));
        Tensor few = Tensor.of(new long[] {0, 5, 5, 31}, 4);
        ScriptModule converted =
                divided(1, original, new Object[] {X, few}, new Object[] {OTHER, Tensor.of(new long[] {7, 7, 7, 0}, 4)
                });
        assertThrows(ScriptException.class, () -> converted.call("forward", X, Tensor.of(new long[] {0, 32, 1, 1}, 4)));
    }

    /** A view may have more elements than anything can be computed of. */
    @Test
    @Timeout(60)
    void viewsOfManyElementsAreNotComputed() {
        ScriptModule original = module(
                "x: Tensor",
                "Tensor",
                List.of(
                        "y = torch.relu(" + conv("x") + ")",
                        "many = torch.expand(torch.reshape(y, [1, -1]), [1000000, 32768])",
                        "if torch.gt(torch.size(x, 0), 1):",
                        "  z = torch.sum(torch.sin(many), [0])",
                        "else:",
                        "  z = torch.select(many, 0, 999999)",
                        "z"));
        divided(1, original, new Object[] {X});
        ScriptModule endless = module(
                "x: Tensor",
                "Tensor",
                List.of("torch.sum(torch.expand(torch.reshape(x, [1, -1]), [1000000, 32768]), [0])"));
        Conversion conversion = Converter.convert(
                endless,
                ConversionOptions.defaults().withExample(List.of(X)).withCheckLimit(Duration.ofSeconds(1)),
                FreeUnderTest.RUNTIME);
        assertFalse(conversion.succeeded());
    }

    @Test
    void listsGoInAndDictsComeOut() {
        ScriptModule original = module(
                "images: List[Tensor]",
                "Dict[str, List[Tensor]]",
                List.of(
                        "outs = annotate(List[Tensor], [])",
                        "sizes = annotate(List[Tensor], [])",
                        "for i in range(torch.len(images)):",
                        "  x = images[i]",
                        "  _0 = torch.append(outs, torch.relu(" + conv("x") + "))",
                        "  _1 = torch.append(sizes, torch.tensor(torch.size(x)))",
                        "{\"outs\": outs, \"sizes\": sizes}"));
        ScriptModule converted = divided(1, original, new Object[] {list(X, OTHER)}, new Object[] {list(OTHER, OTHER)});
        assertThrows(ScriptException.class, () -> converted.call("forward", list(X)));
    }

    @Test
    void argumentsOfAnotherKindAreNamed() {
        ScriptModule original = module("images: List[Tensor]", "Tensor", List.of("torch.relu(images[0])"));
        Conversion conversion = Converter.convert(
                original, ConversionOptions.defaults().withExample(List.of(X)), FreeUnderTest.RUNTIME);
        assertTrue(
                conversion.report().text().contains("argument images is a Tensor (expected: a List[Tensor])"),
                conversion.report().text());
        assertFalse(
                conversion.report().text().contains("worth a start"),
                conversion.report().text());
    }

    @Test
    void dictsAndOptionalTensorsGoIn() {
        ScriptModule original = module(
                "inputs: Dict[str, Tensor],\n    mask: Optional[Tensor]=None,\n    scale: float=1.",
                "Tensor",
                List.of(
                        "x = inputs[\"left\"]",
                        "if torch.__contains__(inputs, \"right\"):",
                        "  y = torch.add(x, inputs[\"right\"])",
                        "else:",
                        "  y = x",
                        "z = " + conv("y"),
                        "if torch.__isnot__(mask, None):",
                        "  mask0 = unchecked_cast(Tensor, mask)",
                        "  z0 = torch.mul(z, mask0)",
                        "else:",
                        "  z0 = z",
                        "torch.mul(z0, scale)"));
        ScriptDict both = new ScriptDict(Type.Basic.STRING, Type.Basic.TENSOR);
        both.items().put("left", X);
        both.items().put("right", OTHER);
        ScriptModule without = divided(1, original, new Object[] {both, null, 2.0}, new Object[] {both, null, 0.5});
        assertThrows(ScriptException.class, () -> without.call("forward", both, X, 2.0));
        divided(1, original, new Object[] {both, OTHER, 2.0});
    }

    @Test
    void branchesThatDependOnElementsHaveSegmentsInside() {
        ScriptModule original = module(
                "x: Tensor",
                "Tensor",
                List.of(
                        "a = " + conv("x"),
                        "if bool(torch.gt(torch.sum(x), 0.)):",
                        "  b = torch.relu(" + conv("torch.neg(a)") + ")",
                        "else:",
                        "  b = torch.sigmoid(" + conv("a") + ")",
                        conv("b")));
        divided(4, original, new Object[] {X}, new Object[] {negative(X)});
    }

    private static Tensor negative(Tensor x) {
        float[] values = x.toFloatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] = -values[i];
        }
        return Tensor.of(values, x.sizes());
    }

    @Test
    void loopsWhoseTurnsDependOnElementsHaveSegmentsInside() {
        ScriptModule original = module(
                "x: Tensor",
                "Tuple[Tensor, List[Tensor]]",
                List.of(
                        "h = torch.mul(x, 0.01)",
                        "seen = annotate(List[Tensor], [])",
                        "i = 0",
                        "turns = int(torch.add(torch.gt(torch.sum(x), 0.), 2))",
                        "for t in range(turns):",
                        "  h = torch.tanh(" + conv("h") + ")",
                        "  _0 = torch.append(seen, torch.mean(h))",
                        "(h, seen)"));
        divided(1, original, new Object[] {X}, new Object[] {negative(X)});
    }

    @Test
    void shapesThatGrowInALoopStayOpen() {
        ScriptModule original = module(
                "x: Tensor, turns: int",
                "Tensor",
                List.of(
                        "y = x",
                        "for t in range(turns):",
                        "  y = torch.cat([y, torch.relu(" + conv("x") + ")], 2)",
                        "y"));
        divided(1, original, new Object[] {X, 2L}, new Object[] {X, 4L});
    }

    @Test
    void whatWritesToPartsOfATensorComesBeforeWhoReadsIt() {
        ScriptModule original = module(
                "images: List[Tensor]",
                "Tensor",
                List.of(
                        "batch = torch.new_zeros(images[0], [2, 32, 34, 34])",
                        "for i in range(torch.len(images)):",
                        "  x = images[i]",
                        "  part = torch.slice(torch.slice(torch.select(batch, 0, i), 1, 0, 32), 2, 0, 32)",
                        "  _0 = torch.copy_(part, torch.select(x, 0, 0))",
                        conv("batch")));
        divided(1, original, new Object[] {list(X, OTHER)}, new Object[] {list(OTHER, X)});
    }

    private static final String SET =
            "  def reset(self: __torch__.net.Net,\n    n: int) -> NoneType:\n    self.n = n\n    return None\n";
    private static final String ENCODE =
            "  def encode(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    w = self.w\n    return "
                    + "torch.relu(torch.conv2d(x, w))\n";

    @Test
    void otherMethodsStayAndShareTheState() {
        ScriptModule original = module(
                "x: Tensor",
                "Tensor",
                List.of("n = self.n", "self.n = torch.add(n, 1)", "torch.mul(" + conv("x") + ", n)"),
                SET,
                ENCODE);
        ScriptModule converted =
                load(convert(original, ConversionOptions.defaults().withSelfCheck(false), X));
        for (ScriptModule each : List.of(original, converted)) {
            each.call("reset", 5L);
        }
        same(original, converted, X);
        same(original, converted, X);
        assertEquals(7L, converted.attribute("n"));
        assertEquals(
                List.of(1, 32, 30, 30),
                Arrays.stream(((Tensor) converted.call("encode", X)).sizes())
                        .boxed()
                        .toList());
    }

    @Test
    void methodsThatForwardCallsStayWhereTheyHoldNoWeightsOrAreAskedFor() {
        List<String> body = List.of("torch.add((self).encode(x), (self).shift(x))");
        String shift = "  def shift(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    return "
                + "torch.slice(torch.slice(torch.mul(x, 2), 2, 1, 31), 3, 1, 31)\n";
        ScriptModule original = module("x: Tensor", "Tensor", body, ENCODE, shift);
        ScriptModule converted =
                load(convert(original, ConversionOptions.defaults().withKeptMethods(Set.of("shift")), X));
        assertNotNull(converted.method("shift"));
    }

    @Test
    void theFallbackSharesItsWeights() {
        ScriptModule original =
                module("x: Tensor", "Tensor", List.of("torch.cumsum(torch.relu(" + conv("x") + "), 1)"));
        Conversion plain = convert(original, ConversionOptions.defaults(), X);
        assertNull(load(plain).method("forward_cpu"));
        Conversion conversion = convert(original, ConversionOptions.defaults().withCpuFallback(true), X);
        ScriptModule converted = load(conversion);
        assertTrue(
                conversion.toBytes().length < plain.toBytes().length + 32 * 32 * 9 * 4 / 2, "weights are stored twice");
        SelfCheck.Result result = SelfCheck.compare(
                SelfCheck.run(original, "forward", List.of(OTHER)),
                SelfCheck.run(converted, "forward_cpu", List.of(OTHER)),
                SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
        same(original, converted, X);
        EngineOptions dying = EngineOptions.defaults()
                .withDevices(Devices.of(new DyingDriver()))
                .withOnly(List.of("dying"))
                .withFallback(false);
        try (LoadedModel model = LoadedModel.of(TorchScriptArchive.of(conversion.toBytes()), dying);
                LoadedModel without = LoadedModel.of(TorchScriptArchive.of(plain.toBytes()), dying)) {
            SelfCheck.Result fallen = SelfCheck.compare(
                    SelfCheck.run(original, "forward", List.of(X)),
                    List.of((Tensor) model.call("forward", X)),
                    SelfCheck.Bound.REAL);
            assertTrue(fallen.agrees(), fallen.text());
            assertThrows(ModelException.class, () -> without.call("forward", X));
        }
    }

    @Test
    void loopsWithoutEndEndInARefusalOrStay() {
        ScriptModule original = module(
                "x: Tensor",
                "Tensor",
                List.of("y = x", "for i in range(1000000000000):", "  y = torch.add(y, i)", conv("y")));
        List<Object> arguments = new ArrayList<>(List.of(X));
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(arguments).withSelfCheck(false),
                FreeUnderTest.RUNTIME);
        assertTrue(!conversion.succeeded() || conversion.models().size() == 1);
    }

    /** Takes all operations and dies of each model. */
    private static final class DyingDriver extends EagerDriver {
        DyingDriver() {
            super("dying");
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            throw new NnapiException(ResultCode.DEAD_OBJECT, "the device died");
        }
    }
}
