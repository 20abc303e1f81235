package org.torchnnapi.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.interp.InterruptedRunException;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryLimit;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledEnum;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** The archives here were written by genuine PyTorch (src/test/python/make_archives.py), or by hand. */
class ScriptModuleTest {
    private static final ScriptRuntime RUNTIME = ScriptRuntime.standard(CustomClasses.NONE);

    private static TorchScriptArchive archive(String name) throws IOException {
        try (InputStream in = ScriptModuleTest.class.getResourceAsStream("/archive/" + name)) {
            return TorchScriptArchive.of(in);
        }
    }

    private static ScriptModule kinds() throws IOException {
        return ScriptModule.of(archive("kinds.pt"), RUNTIME);
    }

    /** A module of one file, loaded. */
    private static ScriptModule module(String source, PickledDict state) {
        return ScriptModule.of(written(source, new PickledObject("__torch__.M", state)), RUNTIME);
    }

    private static TorchScriptArchive written(String source, Object data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new ArchiveWriter("m", 3)
                    .source("code/__torch__.py", source)
                    .data(data)
                    .write(out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return TorchScriptArchive.of(out.toByteArray());
    }

    private static String classOf(String body) {
        return "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n" + body;
    }

    @Test
    void attributesHaveTheirDeclaredTypes() throws IOException {
        ScriptModule module = kinds();
        assertEquals(ClassType.Kind.MODULE, module.object().type().kind());
        assertEquals(Type.Basic.INT, ((ScriptList) module.attribute("ints")).elementType());
        assertEquals(List.of(2L, 3L), ((ScriptList) ((ScriptList) module.attribute("nested")).get(2)).items());
        assertEquals(2L, ((ScriptDict) module.attribute("by_name")).items().get("j"));
        assertEquals("GREEN", ((ScriptEnum) module.attribute("color")).member());
        assertEquals(ScriptTuple.of(1L, ScriptTuple.of("two", 3.0)), module.attribute("pair"));
        assertNull(module.attribute("maybe"));
    }

    @Test
    void tiedParametersStayOneTensorThroughSaving() throws IOException {
        ScriptModule module = kinds();
        Object weight = ((ScriptObject) module.attribute("first")).get("weight");
        assertSame(weight, ((ScriptObject) module.attribute("second")).get("weight"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        module.writer().write(out);
        ScriptModule again = ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
        Object copy = ((ScriptObject) again.attribute("first")).get("weight");
        assertNotSame(weight, copy);
        assertSame(copy, ((ScriptObject) again.attribute("second")).get("weight"));
        assertSame(((Tensor) again.attribute("base")).storage(), ((Tensor) again.attribute("row")).storage());
    }

    @Test
    void savingAnUntouchedModuleGivesTheSameRecords() throws IOException {
        ScriptModule module = kinds();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        module.writer().write(out);
        TorchScriptArchive copy = TorchScriptArchive.of(out.toByteArray());
        for (String record : module.archive().records()) {
            if (!record.equals("data.pkl")) {
                assertEquals(module.archive().bytes(record), copy.bytes(record), record);
            }
        }
    }

    @Test
    void methodsRunAndNodesKnowTheirPythonLine() throws IOException {
        ScriptModule module = kinds();
        assertEquals(true, module.call("is_green"));
        Node node = module.method("is_green").graph().block().nodes().stream()
                .filter(n -> n.is("aten::eq"))
                .findFirst()
                .orElseThrow();
        assertTrue(
                node.range().python().file().endsWith("make_archives.py"),
                node.range().toString());
        assertThrows(IllegalArgumentException.class, () -> module.call("is_red"));
        assertThrows(IllegalArgumentException.class, () -> module.call("is_green", 1L));
    }

    /** A kernel of {@code aten::relu} that tells how many calls are in it. */
    private static final class Gate {
        final CyclicBarrier both = new CyclicBarrier(2);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        boolean meets;

        ScriptRuntime runtime() {
            return new ScriptRuntime(
                    kind -> OperatorRegistry.withBuiltins().overloads(kind).stream()
                            .map(operator ->
                                    kind.equals("aten::relu") ? new Operator(operator.schema(), this::pass) : operator)
                            .toList(),
                    CustomClasses.NONE,
                    false);
        }

        private Object pass(Object[] args) {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                if (meets) {
                    both.await(60, TimeUnit.SECONDS);
                } else {
                    Thread.sleep(2);
                }
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException("the other call did not come", e);
            } finally {
                inside.decrementAndGet();
            }
            return args[0];
        }

        void callByTwo(ScriptModule module, int times) throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(2);
            try {
                List<Future<?>> calls = new ArrayList<>();
                for (int i = 0; i < 2 * times; i++) {
                    calls.add(threads.submit(() -> module.call("forward", Tensor.of(new float[] {1}, 1))));
                }
                for (Future<?> call : calls) {
                    call.get();
                }
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @Test
    void callsThatWriteToNothingRunAtTheSameTime() throws Exception {
        Gate gate = new Gate();
        gate.meets = true;
        ScriptModule module = ScriptModule.of(
                written(
                        classOf("  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n    return "
                                + "torch.relu(x)\n"),
                        new PickledObject("__torch__.M", new PickledDict(null))),
                gate.runtime());
        assertFalse(module.callsRunAlone("forward"));
        gate.callByTwo(module, 3);
        assertEquals(2, gate.most.get());
    }

    @Test
    void callsThatWriteToAttributesRunOneAtATime() throws Exception {
        Gate gate = new Gate();
        ScriptModule module = ScriptModule.of(
                written(
                        classOf("  n : int\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
                                + "    n = self.n\n    y = torch.relu(x)\n    self.n = torch.add(n, 1)\n    "
                                + "return y\n"),
                        new PickledObject("__torch__.M", new PickledDict(null).put("n", 0L))),
                gate.runtime());
        assertTrue(module.callsRunAlone("forward"));
        gate.callByTwo(module, 20);
        assertEquals(1, gate.most.get());
        assertEquals(40L, module.attribute("n"));
    }

    @Test
    void whoWaitsForAnotherCallCanBeInterrupted() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        ScriptRuntime runtime = new ScriptRuntime(
                kind -> OperatorRegistry.withBuiltins().overloads(kind).stream()
                        .map(operator -> kind.equals("aten::relu")
                                ? new Operator(operator.schema(), args -> {
                                    inside.countDown();
                                    CompilingGate.await(end);
                                    return args[0];
                                })
                                : operator)
                        .toList(),
                CustomClasses.NONE,
                false);
        ScriptModule module = ScriptModule.of(
                written(
                        classOf("  n : int\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
                                + "    y = torch.relu(x)\n    self.n = 1\n    return y\n"),
                        new PickledObject("__torch__.M", new PickledDict(null).put("n", 0L))),
                runtime);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> first = threads.submit(() -> module.call("forward", Tensor.of(new float[] {1}, 1)));
            CompilingGate.await(inside);
            Thread[] waiting = new Thread[1];
            CountDownLatch waits = new CountDownLatch(1);
            Future<Boolean> second = threads.submit(() -> {
                waiting[0] = Thread.currentThread();
                waits.countDown();
                assertThrows(
                        InterruptedRunException.class, () -> module.call("forward", Tensor.of(new float[] {1}, 1)));
                return Thread.currentThread().isInterrupted();
            });
            CompilingGate.await(waits);
            waiting[0].interrupt();
            assertTrue(second.get(60, TimeUnit.SECONDS), "the flag stays set");
            assertFalse(first.isDone());
            end.countDown();
            first.get();
        } finally {
            end.countDown();
            threads.shutdownNow();
        }
    }

    /**
     * A kernel of {@code aten::tan}, which programs have no operation for, that waits while a new shape is compiled:
     * first for another thread to compile a shape too, then for a call of a known shape to end.
     */
    private static final class CompilingGate {
        final CountDownLatch compiling = new CountDownLatch(2);
        final CountDownLatch called = new CountDownLatch(1);
        volatile boolean waits;

        ScriptRuntime runtime() {
            return new ScriptRuntime(
                    kind -> OperatorRegistry.withBuiltins().overloads(kind).stream()
                            .map(operator -> kind.equals("aten::tan")
                                    ? new Operator(operator.schema(), args -> pass(operator, args))
                                    : operator)
                            .toList(),
                    CustomClasses.NONE,
                    true);
        }

        private Object pass(Operator operator, Object[] args) {
            // Tensors have no elements while a method is recorded.
            if (waits && !((Tensor) args[0]).storage().hasData()) {
                compiling.countDown();
                await(compiling);
                await(called);
            }
            return operator.kernel().call(args);
        }

        private static void await(CountDownLatch latch) {
            try {
                if (!latch.await(60, TimeUnit.SECONDS)) {
                    throw new AssertionError("waited in vain");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void newShapesAreCompiledAtTheSameTimeWhileOthersRun() throws Exception {
        CompilingGate gate = new CompilingGate();
        ScriptModule module = ScriptModule.of(
                written(
                        classOf("  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
                                + "    return torch.relu(torch.tan(torch.mul(x, 2.)))\n"),
                        new PickledObject("__torch__.M", new PickledDict(null))),
                gate.runtime());
        module.call("forward", Tensor.of(new float[] {-1, 0.5f, 0}, 3));
        gate.waits = true;
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Object>> calls = new ArrayList<>();
            for (int size = 1; size <= 2; size++) {
                int sizeOfCall = size;
                calls.add(threads.submit(() -> module.call("forward", Tensor.of(new float[sizeOfCall], sizeOfCall))));
            }
            CompilingGate.await(gate.compiling);
            Tensor known = (Tensor) module.call("forward", Tensor.of(new float[] {-1, 0.5f, 0}, 3));
            assertEquals(Math.tan(1), known.getDouble(1), 1e-6);
            gate.called.countDown();
            for (int size = 1; size <= 2; size++) {
                assertEquals(size, ((Tensor) calls.get(size - 1).get(60, TimeUnit.SECONDS)).numel());
            }
        } finally {
            threads.shutdownNow();
        }
        List<String> how = module.describeSpecialisations();
        assertEquals(
                3,
                how.stream()
                        .filter(line -> line.startsWith("forward: 1 operator called"))
                        .count(),
                how.toString());
    }

    /**
     * Sizes that the heap as a whole has room for, but not what is left of it: whichever array is the first too many,
     * and both ways of running.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch.upsample_nearest2d(x, [n, 1], None, None)",
                "torch.adaptive_avg_pool2d(x, [n, 1])",
                "torch.cat([torch.constant_pad_nd(x, [0, 0, 0, torch.floordiv(n, 2)], 0), torch.constant_pad_nd(x, "
                        + "[0, 0, 0, torch.floordiv(n, 2)], 0)], 2)"
            })
    void sizesJustUnderTheHeapAreRefused(String call) throws IOException {
        long heap = Runtime.getRuntime().maxMemory();
        byte[] taken = new byte[(int) Math.min(heap / 8, Integer.MAX_VALUE / 2)];
        long elements = Math.min((heap - taken.length / 2) / Float.BYTES, Integer.MAX_VALUE - 16);
        for (boolean compiled : new boolean[] {true, false}) {
            ScriptModule module = ScriptModule.of(
                    written(
                            classOf("  def forward(self: __torch__.M,\n    x: Tensor,\n    n: int) -> Tensor:\n    "
                                    + "return "
                                    + call + "\n"),
                            new PickledObject("__torch__.M", new PickledDict(null))),
                    compiled ? RUNTIME : RUNTIME.interpreting());
            ScriptException e = assertThrows(
                    ScriptException.class,
                    () -> module.call("forward", Tensor.of(new float[] {1}, 1, 1, 1, 1), elements));
            assertTrue(e.getMessage().contains("(expected: "), e.getMessage());
        }
        assertTrue(taken.length > 0);
    }

    /** What lies between operators, where operators are called and in a program. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void moreThanTheMemoryLimitIsRefusedWhateverTheHeapHolds(boolean compiled) throws IOException {
        ScriptModule module = ScriptModule.of(
                written(
                        classOf("  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n"
                                + "    return torch.relu(torch.mean(torch.sigmoid(torch.mul(x, "
                                + "torch.reshape(x, [1, -1]))), [0, 1]))\n"),
                        new PickledObject("__torch__.M", new PickledDict(null))),
                compiled ? RUNTIME : RUNTIME.interpreting());
        Tensor x = Tensor.of(new float[1000], 1000, 1);
        long before = MemoryLimit.bytes();
        MemoryLimit.set(3_900_000);
        try {
            ScriptException e = assertThrows(ScriptException.class, () -> module.call("forward", x));
            assertTrue(
                    e.getMessage().contains("(expected: at most 3900000 for one thing, of a heap of "), e.getMessage());
        } finally {
            MemoryLimit.set(before);
        }
        assertEquals(0.5f, ((Tensor) module.call("forward", x)).getDouble(0));
    }

    @Test
    void earlyNamesOfOperatorsAreRead() throws IOException {
        ScriptModule module = ScriptModule.of(
                written(
                        classOf("  def forward(self: __torch__.M,\n    x: Tensor) -> int:\n    return "
                                + "(ops.prim.shape(x))[1]\n"),
                        new PickledObject("__torch__.M", new PickledDict(null))),
                RUNTIME);
        assertEquals(3L, module.call("forward", Tensor.of(new float[6], 2, 3)));
    }

    @Test
    void evalReachesEverySubmodule() throws IOException {
        ScriptModule module = kinds();
        assertEquals(true, module.attribute("training"));
        module.eval();
        assertEquals(false, module.attribute("training"));
        assertEquals(false, ((ScriptObject) module.attribute("second")).get("training"));
    }

    @Test
    void setStateRunsWithWhatGetStateGave() {
        String source = classOf("""
              n : int
              def __getstate__(self: __torch__.M) -> Tuple[int, str]:
                n = self.n
                return (n, "s")
              def __setstate__(self: __torch__.M,
                state: Tuple[int, str]) -> NoneType:
                n, s, = state
                self.n = torch.add(n, 1)
                return None
            """);
        ScriptModule module =
                ScriptModule.of(written(source, new PickledObject("__torch__.M", ScriptTuple.of(4L, "s"))), RUNTIME);
        assertEquals(5L, module.attribute("n"));
        assertEquals(ScriptTuple.of(5L, "s"), ((PickledObject) module.tree(module.object())).state());
    }

    @Test
    void objectsOfUnknownCustomClassesKeepTheirState() throws IOException {
        String source = classOf("  p : __torch__.torch.classes.my.Thing\n");
        PickledObject thing = new PickledObject("__torch__.torch.classes.my.Thing", ScriptTuple.of(1L, "state"));
        ScriptModule module = module(source, new PickledDict(null).put("p", thing));
        CustomObject object = assertInstanceOf(CustomObject.class, module.attribute("p"));
        PickledObject tree = (PickledObject) module.tree(object);
        assertEquals("__torch__.torch.classes.my.Thing", tree.className());
        assertEquals(ScriptTuple.of(1L, "state"), tree.state());
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> object.type().call(object.payload(), "run", new Object[0]))
                .getMessage();
        assertTrue(message.contains("my.Thing"), message);
    }

    @Test
    void objectsThatDoNotFitTheirClassAreRefused() {
        String source = classOf("  n : int\n")
                + "class E(Enum):\n  A = 1\nclass I(ModuleInterface):\n  def f(self) -> int:\n    pass\n";
        for (PickledDict state : List.of(
                new PickledDict(null).put("n", "text"),
                new PickledDict(null).put("n", null),
                new PickledDict(null).put("n", 1L).put("m", 1L),
                new PickledDict(null),
                new PickledDict(null).put("n", Tensor.zeros(DType.INT64)),
                new PickledDict(null).put("n", new PickledObject("__torch__.Missing", new PickledDict(null))),
                new PickledDict(null).put("n", new PickledObject("__torch__.I", new PickledDict(null))),
                new PickledDict(null).put("n", new PickledEnum("__torch__.E", 7L)),
                new PickledDict(null).put("n", new PickledList("List[__torch__.Missing]")),
                new PickledDict(null).put("n", new PickledList("Dict[str, int]")),
                new PickledDict(null).put("n", new PickledDict("Dict[str, int]").put(1L, 1L)),
                new PickledDict(null).put("n", new PickledList("List[int]", List.of("x"))))) {
            assertThrows(
                    ArchiveException.class,
                    () -> module(source, state),
                    () -> state.entries().toString());
        }
        assertEquals(3L, module(source, new PickledDict(null).put("n", 3L)).attribute("n"));
        assertThrows(ArchiveException.class, () -> ScriptModule.of(written(source, 5L), RUNTIME));
        assertThrows(
                ArchiveException.class,
                () -> ScriptModule.of(written(source, new PickledObject("__torch__.I")), RUNTIME));
    }

    @Test
    void brokenSourceIsOneTypedError() {
        assertThrows(SourceException.class, () -> module("class M(Module):\n  def f(self\n", new PickledDict(null)));
        assertFalse(module(classOf("  training : bool\n"), new PickledDict(null).put("training", false))
                .object()
                .type()
                .attributes()
                .isEmpty());
    }
}
