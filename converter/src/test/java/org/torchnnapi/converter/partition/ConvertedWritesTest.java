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
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.support.Structures;

/**
 * Models that write in place, however small their parts are: results, arguments after the call and what is kept for the
 * next call are the original's, in each of several calls.
 */
class ConvertedWritesTest {
    private static final String A = "a = torch.linear(%s, self.w, None)";

    private static ScriptModule module(String arguments, String result, String... body) {
        StringBuilder source = new StringBuilder(
                        "class Net(Module):\n  __parameters__ = [\"p\", ]\n  __buffers__ = []\n")
                .append("  w : Tensor\n  h : Tensor\n  k : Tensor\n  p : Tensor\n  training : bool\n")
                .append("  def forward(self: __torch__.net.Net,\n    ")
                .append(arguments)
                .append(") -> ")
                .append(result)
                .append(":\n");
        for (String line : body) {
            source.append("    ").append(line).append('\n');
        }
        return FreeUnderTest.module(
                source,
                new PickledDict(null)
                        .put("w", random(4, 4))
                        .put("h", Tensor.zeros(DType.FLOAT32, 3, 4))
                        .put("k", Tensor.zeros(DType.FLOAT32, 3, 4))
                        .put("p", Tensor.zeros(DType.FLOAT32, 3, 4))
                        .put("training", false));
    }

    private static List<Object> call(Object... arguments) {
        return Arrays.asList(arguments);
    }

    private static Tensor filled(double value) {
        float[] all = new float[12];
        Arrays.fill(all, (float) value);
        return Tensor.of(all, 3, 4);
    }

    /** Converts for the first call's arguments, and makes all calls one after the other. */
    private static Conversion same(List<List<Object>> calls, String arguments, String result, String... body) {
        String text = String.join("\n", body);
        Conversion conversion = Converter.convert(
                module(arguments, result, body),
                ConversionOptions.defaults()
                        .withExample(calls.get(0))
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
        assertTrue(
                conversion.succeeded(), () -> text + "\n" + conversion.report().text());
        assertTrue(
                conversion.report().notes().stream().noneMatch(note -> note.contains("differ ")),
                () -> conversion.report().text());
        ScriptModule original = module(arguments, result, body);
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        for (int i = 0; i < calls.size(); i++) {
            assertEquals(answer(original, calls.get(i)), answer(converted, calls.get(i)), "call " + i + " of\n" + text);
        }
        return conversion;
    }

    /** What a call returns, and what its arguments are then; to a few digits, in text. */
    private static String answer(ScriptModule module, List<Object> call) {
        List<Object> arguments = new ArrayList<>();
        call.forEach(argument -> arguments.add(Structures.copy(argument)));
        Object result = module.call("forward", arguments.toArray());
        StringBuilder text = new StringBuilder();
        List<Object> all = new ArrayList<>();
        all.add(result);
        all.addAll(arguments);
        for (Tensor tensor : SelfCheck.apart(Structures.tensors(all))) {
            text.append(tensor.dtype()).append(Arrays.toString(tensor.sizes()));
            for (int i = 0; i < tensor.numel(); i++) {
                text.append(' ').append(Math.round(tensor.getDouble(i) * 1000) / 1000.0 + 0.0);
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static final List<List<Object>> PAIRS =
            List.of(call(random(3, 4), filled(0)), call(random(3, 4), filled(2)), call(filled(-1), random(3, 4)));

    @Test
    void whatIsJoinedBeforeAWriteIsWhatItWas() {
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tuple[Tensor, Tensor]",
                "v = torch.cat([x, x], 1)",
                "_0 = torch.add_(x, y)",
                String.format(A, "x"),
                "return (a, v)");
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tuple[Tensor, Tensor]",
                "v = torch.stack([x, y])",
                "_0 = torch.mul_(torch.select(x, 0, 1), 3)",
                String.format(A, "x"),
                "return (a, v)");
    }

    /** What the checks wrote to a parameter is not in the file. */
    @Test
    void parametersAreWrittenToLikeBuffers() {
        same(
                List.of(call(filled(1)), call(random(3, 4)), call(filled(-2)), call(random(3, 4))),
                "x: Tensor",
                "Tensor",
                "_0 = torch.add_(self.p, x)",
                String.format(A, "torch.mul(x, self.p)"),
                "return a");
    }

    /** The attribute stays what it is in the file, so that how far to roll is known. */
    @Test
    void aCopyOfAListThatIsWrittenToIsAnotherList() {
        ScriptModule original = FreeUnderTest.module(
                """
                class Net(Module):
                  __parameters__ = []
                  __buffers__ = []
                  w : Tensor
                  s : List[int]
                  training : bool
                  def forward(self: __torch__.net.Net,
                    x: Tensor) -> Tensor:
                    s = torch.copy(self.s)
                    if torch.le(torch.size(x, 0), 3):
                      _0 = torch._set_item(s, 0, 1)
                    else:
                      pass
                    a = torch.linear(torch.roll(x, s, [0, 1]), self.w, None)
                    return torch.roll(a, self.s, [0, 1])
                """,
                new PickledDict(null)
                        .put("w", random(4, 4))
                        .put("s", new PickledList("List[int]", List.of(2L, 3L)))
                        .put("training", false));
        Tensor x = random(3, 4);
        Conversion conversion = FreeUnderTest.convert(original, x);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals());
        FreeUnderTest.compare(original, conversion, x);
    }

    /** A view that is returned shows what the argument is after the call, whoever reads it before. */
    @Test
    void viewsOfAWrittenArgumentThatAreReturnedShowWhatWasWritten() {
        for (String view :
                List.of("torch.detach(x)", "torch.view(x, [-1])", "torch.flatten(torch.t(torch.detach(x)))")) {
            same(
                    PAIRS,
                    "x: Tensor,\n    y: Tensor",
                    "Tuple[Tensor, Tensor]",
                    "v = " + view,
                    String.format(A, "x"),
                    "_0 = torch.mul_(torch.detach(x), 2)",
                    "return (a, v)");
        }
    }

    @Test
    void whatIsAssignedAndThenWrittenIsKept() {
        List<List<Object>> calls =
                List.of(call(random(3, 4)), call(filled(20)), call(random(3, 4)), call(filled(-7)), call(filled(1)));
        same(
                calls,
                "x: Tensor",
                "Tuple[Tensor, Tensor]",
                "self.h = torch.mul(self.h, 0.5)",
                "_0 = torch.add_(self.h, x)",
                "_1 = torch.clamp_(self.h, -3, 3)",
                String.format(A, "x"),
                "return (a, self.h)");
        same(
                calls,
                "x: Tensor",
                "Tuple[Tensor, Tensor]",
                "self.h = torch.mul(self.h, 0.5)",
                "v = torch.gt(self.h, x)",
                "_0 = torch.zero_(self.h)",
                String.format(A, "x"),
                "return (a, v)");
        same(
                calls,
                "x: Tensor",
                "Tensor",
                String.format(A, "torch.add(self.h, x)"),
                "_0 = torch.copy_(self.k, self.h)",
                "_1 = torch.copy_(self.h, x)",
                "return torch.add(a, self.k)");
        same(
                calls,
                "x: Tensor",
                "Tensor",
                String.format(A, "torch.cat([self.h, x])"),
                "_0 = torch.copy_(torch.select(self.h, 0, 2), torch.select(x, 0, 0))",
                "return a");
        same(
                calls,
                "x: Tensor",
                "Tensor",
                "self.k = self.h",
                "_0 = torch.add_(self.k, 1)",
                String.format(A, "torch.add(self.h, x)"),
                "return a");
    }

    @Test
    void whatALoopWritesThroughAViewIsThereInTheNextTurn() {
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tuple[Tensor, Tensor]",
                "v = torch.relu(x)",
                "w = torch.mul(y, 1)",
                "for i in range(3):",
                "  w = torch.add(w, v)",
                "  _0 = torch.add_(torch.select(v, 0, 0), 1)",
                String.format(A, "y"),
                "return (a, w)");
        List<List<Object>> counts = List.of(call(random(3, 4), 1L), call(random(3, 4), 3L), call(random(3, 4), 0L));
        same(
                counts,
                "x: Tensor,\n    n: int",
                "Tuple[Tensor, Tensor]",
                "s = torch.mul(torch.select(x, 0, 0), 1)",
                "out = torch.zeros([4])",
                "for i in range(n):",
                "  k = int(torch.argmax(s))",
                "  _0 = torch.add_(torch.select(out, 0, i), k)",
                "  _1 = torch.sub_(torch.select(s, 0, k), 100)",
                String.format(A, "x"),
                "return (a, out)");
        same(
                counts,
                "x: Tensor,\n    n: int",
                "Tensor",
                "v = torch.ones([3, 4])",
                "for i in range(n):",
                "  v = torch.add_(v, x)",
                String.format(A, "v"),
                "return a");
    }

    @Test
    void whatABranchWritesThroughAViewComesOutOfIt() {
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tensor",
                "a = torch.mul(torch.linear(x, self.w, None), 2)",
                "if bool(torch.any(torch.gt(y, 1))):",
                "  v = torch.view(a, [3, 4])",
                "  _0 = torch.fill_(torch.select(v, 0, 0), 0)",
                "else:",
                "  pass",
                "return a");
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tuple[Tensor, Tensor]",
                "b = torch.zeros_like(x)",
                "if bool(torch.any(torch.gt(y, 1))):",
                "  z = torch.roll(b, [1], [0])",
                "else:",
                "  _0 = torch.fill_(torch.select(b, 0, 0), 1.5)",
                "  z = x",
                "v = torch.maximum(z, y)",
                "_1 = torch.copy_(z, torch.gt(v, 0))",
                String.format(A, "b"),
                "return (a, v)");
    }

    @Test
    void whatIsWrittenUnderOtherNamesIsWritten() {
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tuple[Tensor, Tensor]",
                "_0 = torch.mul_(torch.type_as(y, x), 2)",
                String.format(A, "x"),
                "return (a, y)");
        for (String view : List.of(
                "torch.unbind(x, 1)[0]",
                "torch.chunk(x, 2, 1)[1]",
                "torch.split(x, 2)[1]",
                "torch.split_with_sizes(x, [1, 2])[1]",
                "torch.narrow(torch.t(x), 0, 1, 2)",
                "torch.broadcast_tensors([x, y])[0]",
                "torch.expand_as(x, y)")) {
            same(
                    PAIRS,
                    "x: Tensor,\n    y: Tensor",
                    "Tensor",
                    String.format(A, "torch.add(x, y)"),
                    "_0 = torch.neg_(" + view + ")",
                    "return a");
        }
    }

    @Test
    void whatIsInADictIsWrittenToo() {
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tuple[Tensor, Dict[int, Tensor]]",
                String.format(A, "x"),
                "d = annotate(Dict[int, Tensor], {})",
                "_1 = torch._set_item(d, 0, a)",
                "_0 = torch.add_(torch.select(a, 0, 1), 2)",
                "return (a, d)");
    }

    @Test
    void whatIsWrittenHasItsPlacesType() {
        same(
                PAIRS,
                "x: Tensor,\n    y: Tensor",
                "Tensor",
                "v = torch.to(torch.linear(x, self.w, None), 3)",
                "_0 = torch.lt_(torch.select(v, 0, 0), 1)",
                "u = torch.linear(y, self.w, None)",
                "_1 = torch.copy_(u, torch.gt(x, 0))",
                "_2 = torch.copy_(torch.select(torch.select(u, 0, 0), 0, 1), torch.sum(v))",
                "return torch.add(u, v)");
    }

    @Test
    void rowsOfOneTensorAreApart() {
        Conversion conversion = same(
                List.of(call(random(3, 4), random(3, 4)), call(filled(1), random(3, 4))),
                "x: Tensor,\n    s: Tensor",
                "Tensor",
                "a = torch.linear(torch.add(torch.select(x, 0, 0), torch.select(s, 0, 0)), self.w, None)",
                "_0 = torch.copy_(torch.select(s, 0, 0), a)",
                "b = torch.linear(torch.add(a, torch.select(s, 0, 1)), self.w, None)",
                "_1 = torch.copy_(torch.select(s, 0, 1), b)",
                "return b");
        assertEquals(1, conversion.models().size(), conversion.report().text());
    }
}
