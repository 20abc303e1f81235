package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Arguments that NNAPI is not given have the example's shape where something follows from it, and need not otherwise.
 */
class GuardEmitterTest {
    private static final Tensor X = random(1, 32, 32, 32);

    private static ScriptModule original(String... body) {
        return taking("Tensor", body);
    }

    private static ScriptModule taking(String type, String... body) {
        StringBuilder source = new StringBuilder(
                "class Net(Module):\n  __parameters__ = [\"w\", ]\n  __buffers__ = []\n  w : Tensor\n  training : "
                        + "bool\n"
                        + "  def forward(self: __torch__.net.Net,\n    x: Tensor,\n    y: " + type
                        + ") -> Tensor:\n    w = self.w\n    made = torch.conv2d(x, w, None, [1, 1], [1, 1])\n");
        for (int i = 0; i < body.length; i++) {
            source.append("    ")
                    .append(i == body.length - 1 ? "return " : "")
                    .append(body[i])
                    .append('\n');
        }
        return FreeUnderTest.module(
                source, new PickledDict(null).put("w", random(32, 32, 3, 3)).put("training", false));
    }

    private static ScriptModule converted(ScriptModule original, Object y) {
        Conversion conversion = Converter.convert(
                original, ConversionOptions.defaults().withExample(List.of(X, y)), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        return ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
    }

    private static void same(ScriptModule original, ScriptModule converted, Object y) {
        assertTrue(SelfCheck.compare(
                        SelfCheck.run(original, "forward", List.of(X, y)),
                        SelfCheck.run(converted, "forward", List.of(X, y)),
                        SelfCheck.Bound.REAL)
                .agrees());
    }

    private static void refuses(ScriptModule converted, String shape, Tensor y) {
        refuses(converted, "argument y", shape, y);
    }

    private static void refuses(ScriptModule converted, String subject, String shape, Object y) {
        ScriptException failure = assertThrows(ScriptException.class, () -> converted.call("forward", X, y));
        assertEquals(
                subject + " has another shape (expected: " + shape
                        + ", as in the example that the model was converted for)",
                failure.getMessage().replaceFirst("^RuntimeError: ", ""));
    }

    @Test
    void argumentsThatAreAskedForTheirSizes() {
        ScriptModule original = original("torch.add(made, torch.size(y, 1))");
        ScriptModule converted = converted(original, random(1, 3));
        same(original, converted, random(1, 3));
        refuses(converted, "[1, 3]", random(1, 5));
    }

    @Test
    void sizesOfWhatIsMadeOfArguments() {
        ScriptModule original =
                original("far = torch.erfinv(torch.mul(y, 0.1))", "torch.add(made, torch.size(far, 1))");
        ScriptModule converted = converted(original, random(1, 3));
        same(original, converted, random(1, 3));
        refuses(converted, "[1, 3]", random(1, 5));
    }

    @Test
    void argumentsThatNnapiNeedsNotForTheirElements() {
        ScriptModule original = original("torch.add(made, torch.sum(torch.expand_as(torch.slice(x, 0, 0, 1), y)))");
        ScriptModule converted = converted(original, random(1, 32, 32, 32));
        same(original, converted, random(1, 32, 32, 32));
        refuses(converted, "[1, 32, 32, 32]", random(2, 32, 32, 32));
    }

    @Test
    void emptyArgumentsAreNoOpenSizes() {
        ScriptModule original = original("torch.add(torch.mean(torch.cat([made, y], 1), [1]), 1.)");
        Tensor none = Tensor.zeros(DType.FLOAT32, 1, 0, 32, 32);
        ScriptModule converted = converted(original, none);
        same(original, converted, none);
        refuses(converted, "[1, 0, 32, 32]", random(1, 2, 32, 32));
    }

    @Test
    void tensorsInContainers() {
        ScriptModule lists = taking(
                "List[Tensor]",
                "a, b, = y",
                "torch.add(torch.add(made, torch.size(b, 1)), torch.sum(torch.bincount(a)))");
        Tensor numbers = Tensor.of(new long[] {1, 2, 2}, 3);
        ScriptModule converted = converted(lists, new ScriptList(Type.Basic.TENSOR, List.of(numbers, random(1, 3))));
        same(lists, converted, new ScriptList(Type.Basic.TENSOR, List.of(numbers, random(1, 3))));
        refuses(
                converted,
                "argument y[1]",
                "[1, 3]",
                new ScriptList(Type.Basic.TENSOR, List.of(numbers, random(1, 5))));
        ScriptModule dicts = taking("Dict[str, Tensor]", "torch.add(made, torch.size(y[\"b\"], 1))");
        ScriptModule ofDicts = converted(dicts, dict("b", random(1, 3)));
        same(dicts, ofDicts, dict("b", random(1, 3)));
        refuses(ofDicts, "argument y[b]", "[1, 3]", dict("b", random(1, 5)));
        assertTrue(assertThrows(
                        ScriptException.class,
                        () -> ofDicts.call("forward", X, dict("c", random(1, 3), "b", random(1, 3))))
                .getMessage()
                .contains("other keys"));
    }

    private static ScriptDict dict(Object... items) {
        ScriptDict dict = new ScriptDict(Type.Basic.STRING, Type.Basic.TENSOR);
        for (int i = 0; i < items.length; i += 2) {
            dict.items().put(items[i], items[i + 1]);
        }
        return dict;
    }

    @Test
    void tensorsThatMayBeNone() {
        ScriptModule original = taking(
                "Optional[Tensor]",
                "if torch.__isnot__(y, None):",
                "  y0 = unchecked_cast(Tensor, y)",
                "  n = torch.size(y0, 1)",
                "else:",
                "  n = 0",
                "torch.add(made, n)");
        ScriptModule converted = converted(original, random(1, 3));
        same(original, converted, random(1, 3));
        refuses(converted, "[1, 3]", random(1, 5));
        assertTrue(assertThrows(ScriptException.class, () -> converted.call("forward", X, null))
                .getMessage()
                .contains("argument y is None"));
        ScriptModule lists = taking(
                "List[Optional[Tensor]]",
                "y0 = y[1]",
                "if torch.__isnot__(y0, None):",
                "  y1 = unchecked_cast(Tensor, y0)",
                "  n = torch.size(y1, 1)",
                "else:",
                "  n = 0",
                "torch.add(made, n)");
        ScriptModule ofLists = converted(lists, some(null, random(1, 3)));
        same(lists, ofLists, some(null, random(1, 3)));
        refuses(ofLists, "argument y[1]", "[1, 3]", some(null, random(1, 5)));
    }

    private static ScriptList some(Tensor... items) {
        return new ScriptList(new Type.OptionalType(Type.Basic.TENSOR), new ArrayList<>(Arrays.asList(items)));
    }

    /**
     * NNAPI takes them once they are converted, and what follows from 0.5 is another thing than what follows from 0.
     */
    @Test
    void argumentsThatAreConvertedOnTheirWay() {
        ScriptModule original = original("torch.mul(made, torch.add(y, 1))");
        Tensor whole = Tensor.of(new long[] {3}, 1);
        ScriptModule converted = converted(original, whole);
        same(original, converted, whole);
        ScriptException failure = assertThrows(ScriptException.class, () -> converted.call("forward", X, random(1)));
        assertTrue(
                failure.getMessage().contains("argument y is of another type (expected: int64, as in the example"),
                failure.getMessage());
        Conversion open = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withInputs(List.of(InputSpec.of(DType.FLOAT32, -1, 32, 32, 32), InputSpec.of(DType.INT64, 1))),
                FreeUnderTest.RUNTIME);
        assertTrue(open.succeeded(), open.report().text());
        ScriptModule ofOpen = ScriptModule.of(TorchScriptArchive.of(open.toBytes()), FreeUnderTest.RUNTIME);
        same(original, ofOpen, whole);
        assertTrue(assertThrows(ScriptException.class, () -> ofOpen.call("forward", X, random(1)))
                .getMessage()
                .contains("is of another type"));
    }

    @Test
    void argumentsThatNnapiTakesAsTheyAreAreNotAskedFor() {
        Conversion conversion = Converter.convert(
                original("torch.mul(made, torch.sigmoid(y))"),
                ConversionOptions.defaults().withExample(List.of(X, random(1, 32, 32, 32))),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertFalse(new String(conversion.toBytes(), StandardCharsets.ISO_8859_1).contains("of another type"));
    }

    @Test
    void argumentsThatNnapiIsGivenInAnotherShape() {
        ScriptModule original = original(
                "many = torch.conv2d(torch.reshape(torch.add(y, 1.), [-1, 32, 32, 32]), w, None, [1, 1], [1, 1])",
                "b = torch.size(y, 0)",
                "torch.add(made, torch.mul(torch.sum(many), b))");
        ScriptModule converted = converted(original, random(1, 2, 32, 32, 32));
        same(original, converted, random(1, 2, 32, 32, 32));
        refuses(converted, "[1, 2, 32, 32, 32]", random(2, 1, 32, 32, 32));
    }

    @Test
    void wholeModelsOfMoreDimensionsThanNnapiTakes() {
        ScriptModule original = original(
                "torch.add(made, torch.reshape(torch.relu(torch.conv2d(torch.reshape(y, [2, 32, 32, 32]), w, None, "
                        + "[1, 1], [1, 1])), [2, 32, 32, 32]))");
        ScriptModule converted = converted(original, random(1, 2, 32, 32, 32));
        same(original, converted, random(1, 2, 32, 32, 32));
        assertThrows(ScriptException.class, () -> converted.call("forward", X, random(2, 1, 32, 32, 32)));
        assertThrows(ScriptException.class, () -> converted.call("forward", X, random(1, 2, 32, 64, 16)));
    }

    @Test
    void argumentsOfWhichNothingDependsOnSizes() {
        ScriptModule original = original("torch.add(made, torch.sum(torch.bincount(y)))");
        Tensor three = Tensor.of(new long[] {1, 2, 2}, 3);
        ScriptModule converted = converted(original, three);
        same(original, converted, three);
        same(original, converted, Tensor.of(new long[] {0, 4, 1, 4, 7}, 5));
    }
}
