package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptTuple;

class SpecialiserTest {
    static final Object[] NONE = {};

    private static String described(List<String> lines, Tensor... inputs) {
        return Agreement.compare(lines, NONE, inputs).description().get(0);
    }

    @Test
    void controlFlowOverShapesIsTaken() {
        Agreement.lowered(
                List.of(
                        "total = torch.relu(x)",
                        "n = torch.size(x, 0)",
                        "for i in range(n):",
                        "  if torch.eq(torch.remainder(i, 2), 0):",
                        "    total0 = torch.add(total, torch.unsqueeze(torch.select(x, 0, i), 0))",
                        "  else:",
                        "    total0 = torch.mul(total, 2.)",
                        "  total = total0",
                        "return total"),
                NONE,
                Agreement.floats(3, 4));
    }

    /** What has no operation of its own, and no implementation, is compiled as what it is made of. */
    @Test
    void compositesAreCompiledAsWhatTheyAreMadeOf() {
        Agreement.lowered(
                List.of(
                        "normal = torch.rms_norm(x, [6], None, 1.0000000000000001e-05)",
                        "return torch.scaled_dot_product_attention(normal, y, z)"),
                NONE,
                Agreement.floats(2, 5, 6),
                Agreement.floats(2, 4, 6),
                Agreement.floats(2, 4, 3));
    }

    @Test
    void eachSignatureHasItsOwn() {
        Methods methods = Methods.forward(1, List.of("return torch.reshape(torch.relu(x), [torch.size(x, 1), -1])"));
        for (int width = 2; width < 40; width++) {
            Tensor x = Agreement.floats(3, width);
            Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "width " + width);
        }
        assertEquals(
                32,
                methods.description().stream()
                        .filter(line -> line.startsWith("forward: 0 operators"))
                        .count());
    }

    @Test
    void tellsACallThatIsLikeTheOneBefore() {
        Methods methods =
                new Methods("  weight : Tensor\n  def forward(self: __torch__.m.M,\n    x: Tensor) -> Tensor:\n"
                        + "    return torch.linear(x, self.weight)\n  def scaled(self: __torch__.m.M,\n    x: "
                        + "Tensor,\n    by: float) -> Tensor:\n"
                        + "    return torch.mul(torch.relu(x), by)\n");
        Tensor weight = Agreement.floats(4, 5);
        methods.object().set("weight", weight);
        Tensor x = Agreement.floats(3, 5);
        assertNull(methods.latest("forward", x), "nothing was called");
        methods.specialise("forward", x);
        assertNotNull(methods.latest("forward", Agreement.floats(3, 5)));
        assertNull(methods.latest("forward", Agreement.floats(2, 5)), "other sizes");
        assertNull(methods.latest("forward", Agreement.floats(5, 3).permute(1, 0)), "other strides");
        assertNull(methods.latest("forward", Tensor.of(new long[15], 3, 5)), "another type");
        assertNull(methods.latest("forward", TensorGeometry.of(x).withoutData()), "no elements");
        assertNull(methods.latest("forward", 2.), "no tensor");
        assertNull(methods.latest("forward", x, x), "another number of arguments");
        assertNull(methods.latest("scaled", x), "another method");
        weight.copyFrom(Agreement.floats(4, 5));
        assertNull(methods.latest("forward", x), "the weights were written to");
        methods.specialise("forward", x);
        methods.object().set("weight", Agreement.floats(4, 5));
        assertNull(methods.latest("forward", x), "there are other weights");
        methods.specialise("forward", x);
        Tensor other = Agreement.floats(3, 5);
        Agreement.equal(methods.interpret("forward", other), methods.specialise("forward", other), "the call after");
        methods.specialise("scaled", x, 2.);
        assertNull(methods.latest("scaled", x, 2.), "arguments that are no tensors are looked at each time");
        assertNull(methods.latest("forward", x), "that was before the last call");
    }

    @Test
    void tellsWhetherArgumentsWereKept() {
        Tensor x = Agreement.floats(3, 4);
        // Only arguments of other sizes are written to.
        Methods specialised = Methods.forward(
                1,
                List.of(
                        "if torch.gt(torch.size(x, 0), 100):",
                        "  y = torch.relu_(x)",
                        "else:",
                        "  y = torch.relu(x)",
                        "return y"));
        assertFalse(specialised.keptArguments("forward", x), "before a call nothing is known");
        specialised.specialise("forward", x);
        assertTrue(specialised.keptArguments("forward", x));
        Methods writing = Methods.forward(1, List.of("return torch.relu_(x)"));
        writing.specialise("forward", x);
        assertFalse(writing.keptArguments("forward", x));
        Methods reading = Methods.forward(1, List.of("return torch.view(x, [-1])"));
        reading.specialise("forward", x);
        assertTrue(reading.keptArguments("forward", x), "no operator writes");
    }

    @Test
    void operatorsWithoutLoweringAreCalledBetween() {
        String how = described(
                List.of(
                        "a = torch.relu(x)",
                        "b = torch.tan(torch.mul(a, 2.))",
                        "c = torch.cumprod(b, 1)",
                        "return torch.add(torch.mul(c, a), b)"),
                Agreement.floats(4, 5));
        assertTrue(how.startsWith("forward: 2 operators called"), how);
    }

    @Test
    void numbersBeyond32BitsAreLeftToTheInterpreter() {
        for (String call : List.of("torch.add(x, 1)", "torch.mul(x, 2)", "torch.cumsum(x, 0)")) {
            Methods methods = Methods.forward(1, List.of("return " + call));
            for (long number : new long[] {5, Integer.MAX_VALUE, 1L << 40}) {
                Tensor x = Tensor.of(new long[] {number, number}, 2);
                Agreement.equal(
                        methods.interpret("forward", x), methods.specialise("forward", x), call + " of " + number);
                assertEquals(
                        number == 5,
                        methods.description().get(0).startsWith("forward: 0 operators"),
                        methods.description().toString());
            }
        }
    }

    @Test
    void whatAnOperationRefusesTheInterpreterTells() {
        Methods methods =
                Methods.forward(1, List.of("return torch.embedding(CONSTANTS.c0, x)"), Agreement.floats(3, 4));
        Tensor good = Tensor.of(new long[] {2}, 1);
        Tensor bad = Tensor.of(new long[] {3}, 1);
        methods.specialise("forward", good);
        RuntimeException told = assertThrows(RuntimeException.class, () -> methods.interpret("forward", bad));
        assertEquals(
                told.getMessage(),
                assertThrows(RuntimeException.class, () -> methods.specialise("forward", bad))
                        .getMessage());
        Agreement.equal(methods.interpret("forward", good), methods.specialise("forward", good), "afterwards");
        assertTrue(methods.description().get(0).startsWith("forward: 0 operators"), "it stays a program");
    }

    @Test
    void constantsOfARunMayBeWrittenTo() {
        Object[] constants = {Tensor.of(DType.BOOL, new byte[] {1, 0, 1}, 3)};
        Agreement.lowered(
                List.of(
                        "z = torch.zeros([3])",
                        "a = torch.add(z, x)",
                        "b = torch.add_(z, x)",
                        "return torch.add(torch.mul(a, 2), b)"),
                constants,
                Agreement.floats(3));
        Agreement.lowered(
                List.of(
                        "z = torch.zeros([3])",
                        "v = torch.view(z, [3, 1])",
                        "b = torch.add_(z, x)",
                        "return torch.add(v, b)"),
                NONE,
                Agreement.floats(3));
    }

    @Test
    void numbersOfConstantTensorsAreConstants() {
        Agreement.lowered(
                List.of(
                        "n = ops.prim.NumToTensor(torch.size(x, 0))",
                        "p = torch.to(torch.arange(annotate(number, n)), 6)",
                        "return torch.add(torch.relu(x), p)"),
                NONE,
                Agreement.floats(4, 4));
    }

    @Test
    void whetherGradientsAreEnabledIsAskedBeforeEachCall() {
        Methods methods = new Methods(
                "  def forward(self: __torch__.m.M,\n    x: Tensor) -> Tensor:\n    if torch.is_grad_enabled():\n"
                        + "      r = torch.relu(x)\n    else:\n      r = torch.neg(x)\n    return r\n"
                        + "  def enable(self: __torch__.m.M,\n    x: bool) -> Tensor:\n    "
                        + "torch.set_grad_enabled(x)\n    return torch.ones([1])\n");
        Tensor x = Agreement.floats(3);
        for (boolean enabled : new boolean[] {false, true}) {
            methods.interpret("enable", enabled);
            Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "enabled: " + enabled);
            assertTrue(
                    methods.description().get(0).startsWith("forward: 0 operators"),
                    methods.description().toString());
        }
    }

    /** Changes of an attribute's elements by whoever has its tensor: each is seen by the next call. */
    @Test
    void weightsThatAreWrittenToArePackedAnew() {
        Methods methods =
                new Methods("  weight : Tensor\n  def forward(self: __torch__.m.M,\n    x: Tensor) -> Tensor:\n"
                        + "    weight = self.weight\n    return torch.linear(x, torch.mul(weight, 2.))\n");
        Methods other = Methods.forward(1, List.of("return torch.relu_(torch.select(x, 0, 1))"));
        Tensor weight = Agreement.floats(4, 5);
        methods.object().set("weight", weight);
        Tensor x = Agreement.floats(3, 5);
        List<Runnable> writers = List.of(
                () -> {},
                () -> weight.copyFrom(Agreement.floats(4, 5)),
                () -> other.interpret("forward", weight),
                () -> {
                    weight.storage().floatArray()[7] = 40;
                    weight.storage().written();
                });
        for (int i = 0; i < writers.size(); i++) {
            writers.get(i).run();
            Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "after writer " + i);
            assertTrue(
                    methods.description().get(0).startsWith("forward: 0 operators"),
                    methods.description() + " after writer " + i);
        }
    }

    @Test
    void dropoutOfNothingKeepsAll() {
        Agreement.lowered(List.of("return torch.dropout(torch.relu(x), 0., True)"), NONE, Agreement.floats(4, 5));
    }

    /** Recording draws nothing that the call itself would. */
    @Test
    void attentionWithDropoutDrawsAtEachCallAnew() {
        Agreement.compare(
                List.of(
                        "_0 = torch.manual_seed(3)",
                        "a, b = torch._scaled_dot_product_attention(x, x, x, None, 0.5)",
                        "return a"),
                NONE,
                Agreement.floats(2, 8, 4));
        Agreement.compare(
                List.of("_0 = torch.manual_seed(3)", "return torch.scaled_dot_product_attention(x, x, x, None, 0.5)"),
                NONE,
                Agreement.floats(2, 8, 4));
        Methods methods =
                Methods.forward(1, List.of("return torch.scaled_dot_product_attention(x, x, x, None, 0.5)"), NONE);
        Tensor x = Agreement.floats(2, 8, 4);
        long different = IntStream.range(0, 8)
                .mapToDouble(i -> ((Tensor) methods.specialise("forward", x)).getDouble(0))
                .distinct()
                .count();
        assertTrue(different > 1, "the same of 8 calls");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // What a tensor's elements decide.
                "if bool(torch.gt(torch.sum(x), 0.)):\n      r = torch.relu(x)\n    else:\n      r = torch.neg(x)\n  "
                        + "  return r",
                "return torch.mul(torch.relu(x), float(torch.item(torch.max(x))))",
                "return torch.add(torch.sum(torch.relu(torch.select(torch.nonzero(x), 1, 0))), torch.relu(x))",
                // Results that are an argument or share memory.
                "return x",
                "return torch.view(x, [-1])",
                "a = torch.relu(x)\n    return (a, torch.view(a, [-1]))",
                // Writes to arguments, and to memory known under two names.
                "return torch.relu_(x)",
                "a = torch.relu(x)\n    b = torch.add_(torch.slice(a, 1, 0, 4, 2), 1.)\n    return torch.mul(a, 2.)"
            })
    void whatARecordingCannotStandForRunsInRegions(String body) {
        Methods methods = Agreement.compare(List.of(body), NONE, Agreement.floats(3, 4));
        assertTrue(
                methods.description().get(0).startsWith("forward: in regions"),
                methods.description().toString());
    }

    @Test
    void whatIsWrongIsToldAsTheInterpreterTells() {
        Methods methods =
                Methods.forward(1, List.of("y = torch.relu(x)", "ops.prim.RaiseException(\"no\")", "return y"));
        for (int i = 0; i < 2; i++) {
            ScriptException e =
                    assertThrows(ScriptException.class, () -> methods.specialise("forward", Agreement.floats(2)));
            assertEquals("RuntimeError: no", e.getMessage());
        }
    }

    @Test
    void constantsThatItMakesAreNewEachTime() {
        Methods methods = Methods.forward(1, List.of("return (torch.relu(x), torch.ones([2, 3]), [1, 2])"));
        Object first = methods.specialise("forward", Agreement.floats(2));
        Object second = methods.specialise("forward", Agreement.floats(2));
        List<Object> a = ((ScriptTuple) first).items();
        List<Object> b = ((ScriptTuple) second).items();
        assertNotSame(((Tensor) a.get(1)).storage(), ((Tensor) b.get(1)).storage());
        assertNotSame(a.get(2), b.get(2));
        Agreement.equal(a.get(1), b.get(1), "ones");
        assertTrue(
                methods.description().get(0).startsWith("forward: 0 operators called"),
                methods.description().toString());
    }

    private static final String COUNTER = """
          scale : Tensor
          on : bool
          def forward(self: __torch__.m.M,
            x: Tensor) -> Tensor:
            if self.on:
              r = torch.mul(torch.relu(x), self.scale)
            else:
              r = torch.neg(x)
            return r
          def switch(self: __torch__.m.M,
            on: bool) -> NoneType:
            self.on = on
            return None
          def grow(self: __torch__.m.M) -> NoneType:
            _0 = torch.add_(self.scale, 1.)
            return None
          def shown(self: __torch__.m.M) -> Tensor:
            return self.scale
        """;

    private static Methods counter() {
        Methods methods = new Methods(COUNTER);
        methods.object().set("scale", Tensor.of(new float[] {2}, 1));
        methods.object().set("on", true);
        return methods;
    }

    @Test
    void changedAttributesAreSeen() {
        Methods methods = counter();
        Tensor x = Agreement.floats(5);
        methods.specialise("forward", x);
        assertTrue(
                methods.description().get(0).startsWith("forward: 0 operators called"),
                methods.description().toString());
        methods.specialise("switch", false);
        Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "switched off");
        methods.specialise("switch", true);
        methods.specialise("grow");
        Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "grown");
        methods.object().set("scale", Tensor.of(new float[] {9}, 1));
        Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "replaced");
    }

    @Test
    void whatChangesAllTheTimeRunsInRegions() {
        Methods methods = counter();
        Tensor x = Agreement.floats(5);
        for (int i = 0; i < 6; i++) {
            methods.specialise("switch", i % 2 == 0);
            Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "call " + i);
        }
        assertTrue(
                methods.description().stream()
                        .anyMatch(line -> line.equals("forward: in regions (attributes change between calls)")),
                methods.description().toString());
    }

    @Test
    void attributesAreGivenAsTheyAre() {
        Methods methods = counter();
        assertSame(methods.object().get("scale"), methods.specialise("shown"));
        assertSame(methods.object().get("scale"), methods.specialise("shown"));
    }

    @Test
    void threadsRunAtOnce() throws Exception {
        Methods methods = Methods.forward(1, List.of("return torch.mul(torch.sigmoid(torch.mul(x, 3.)), x)"));
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Tensor x = Agreement.floats(50, 60);
            calls.add(() -> {
                Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "of a thread");
                return true;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<Boolean> done : threads.invokeAll(calls)) {
                assertTrue(done.get());
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aNetworkIsOneProgramOfFusedLayers() {
        Tensor ones = Tensor.of(new float[] {1, 1, 1, 1, 1, 1, 1, 1}, 8);
        Object[] constants = {
            Agreement.floats(8, 3, 3, 3),
            Agreement.floats(8, 1, 3, 3),
            Agreement.floats(8, 8, 1, 1),
            Agreement.floats(8),
            ones,
            Agreement.floats(5, 8),
            Agreement.floats(5)
        };
        List<String> how = Agreement.lowered(
                List.of(
                        "a = torch.conv2d(x, CONSTANTS.c0, None, [2, 2], [1, 1])",
                        "b = torch.batch_norm(a, CONSTANTS.c3, CONSTANTS.c3, CONSTANTS.c3, CONSTANTS.c4, False, 0.1, "
                                + "1e-05, True)",
                        "c = torch.hardtanh_(b, 0., 6.)",
                        "d = torch.conv2d(c, CONSTANTS.c1, None, [1, 1], [1, 1], [1, 1], 8)",
                        "e = torch.relu_(d)",
                        "f = torch.conv2d(e, CONSTANTS.c2)",
                        "g = torch.add(c, f)",
                        "h = torch.mean(g, [2, 3])",
                        "i = torch.dropout(h, 0.2, False)",
                        "return torch.linear(i, CONSTANTS.c5, CONSTANTS.c6)"),
                constants,
                Agreement.floats(1, 3, 16, 16));
        assertTrue(how.stream().noneMatch(line -> line.strip().matches("(add|mul|limit|call)\\b.*")), how.toString());
    }

    @Test
    void inputsMayLieAnyhow() {
        Tensor wide = Agreement.floats(6, 4);
        Tensor part = wide.asStrided(new int[] {3, 4}, new int[] {8, 1}, 4);
        Agreement.lowered(
                List.of("return torch.add(torch.relu(x), torch.t(y))"),
                NONE,
                part,
                Agreement.floats(3, 4).permute(1, 0));
    }

    @Test
    void constantsUnderTwoNamesAreWrittenToAsOne() {
        Agreement.lowered(
                List.of(
                        "y = torch.zeros([3, 4])",
                        "z = torch.to(y, 6)",
                        "_0 = torch.add_(z, torch.relu(x))",
                        "return y"),
                NONE,
                Agreement.floats(3, 4));
    }

    @Test
    void aConstantThatOverwritesAValueIsAResult() {
        Agreement.compare(
                List.of(
                        "y = torch.relu(x)",
                        "_0 = torch.copy_(y, torch.zeros_like(x))",
                        "return (y, torch.mean(torch.neg(x)))"),
                NONE,
                Agreement.floats(3, 4));
    }

    @Test
    void volumesJoinAlongChannelsCountedFromTheEnd() {
        Agreement.lowered(
                List.of(
                        "y = torch.max_pool3d(x, [1, 1, 1], [1, 1, 1], [0, 0, 0], [1, 1, 1], False)",
                        "return torch.cat([x, y], -4)"),
                NONE,
                Agreement.floats(2, 3, 4, 5, 6));
    }

    @Test
    void whatOverlapsIsNotWritten() {
        for (String write : new String[] {
            "torch.add_(torch.slice(y, 0, 1, 3), torch.slice(y, 0, 0, 2))",
            "torch.mul_(torch.expand(torch.slice(y, 0, 0, 1), [3, 4]), 2.)"
        }) {
            Methods methods = Methods.forward(1, List.of("y = torch.relu(x)", "_0 = " + write, "return y"));
            Tensor x = Agreement.floats(3, 4);
            String message = assertThrows(RuntimeException.class, () -> methods.specialise("forward", x))
                    .getMessage();
            assertTrue(message.contains("single memory location"), message);
        }
    }

    @Test
    void bytesAreComparedWithBytes() {
        Methods methods = Methods.forward(1, List.of("return torch.to(torch.gt(x, -1), 6)"));
        Tensor x = Tensor.of(DType.UINT8, new byte[] {3, 0}, 2);
        assertEquals(0, ((Tensor) methods.specialise("forward", x)).getDouble(0));
    }

    @Test
    void thePlaceOfANanIsThatOfTheExtreme() {
        for (String order : new String[] {"x", "torch.transpose(x, 0, 1)"}) {
            Methods methods = Methods.forward(
                    1, List.of("y = " + order, "return (torch.argmax(y, 1), torch.argmin(y, 1), torch.argmin(y, 0))"));
            Tensor x =
                    Tensor.of(new float[] {2, Float.NaN, 5, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0}, 2, 3);
            Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), order);
        }
    }

    @Test
    void resultsLieAsTheInterpreters() {
        for (String body : new String[] {
            "torch.masked_fill(y, torch.gt(y, 0), 1.)",
            "torch.where(torch.gt(y, 0), y, torch.neg(y))",
            "torch.flip(y, [1])",
            "torch.log_sigmoid(y)",
            "torch.roll(y, [1], [1])",
        }) {
            Agreement.compare(
                    List.of("y = torch.transpose(torch.relu(x), 1, 2)", "return torch.neg(" + body + ")"),
                    NONE,
                    Agreement.floats(2, 3, 4));
        }
    }
}
