package org.torchnnapi.optimizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptList;

class MobileOptimizerTest {
    private static final String SOURCE = """
        class Net(Module):
          __parameters__ = ["w", "fc", ]
          __buffers__ = ["mean", "var", "seen", ]
          w : Tensor
          fc : Tensor
          mean : Tensor
          var : Tensor
          seen : Tensor
          unused : Tensor
          training : bool
          calls : __torch__.m.Counter
          def forward(self: __torch__.m.Net,
            x: Tensor) -> Tensor:
            w = self.w
            mean = self.mean
            var = self.var
            training = self.training
            y = torch.conv2d(x, w, None, [1, 1], [0, 0], [1, 1], 1)
            z = torch.batch_norm(y, None, None, mean, var, training, 0.1, 0., True)
            d = torch.dropout(torch.hardtanh_(z, -1., 2.), 0.5, training)
            fc = self.fc
            calls = self.calls
            _0 = (calls).count()
            return torch.linear(torch.flatten(d, 1), fc)
          def times(self: __torch__.m.Net) -> int:
            calls = self.calls
            n = calls.n
            return n
          def get_all_bundled_inputs(self: __torch__.m.Net) -> List[Tuple[Tensor]]:
            seen = self.seen
            return [(seen,)]
        class Counter(Module):
          __parameters__ = []
          __buffers__ = []
          n : int
          other : Tensor
          def count(self: __torch__.m.Counter) -> NoneType:
            n = self.n
            self.n = torch.add(n, 1)
            return None
        """;

    private static ScriptModule load(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), Runtimes.standard());
    }

    private static ScriptModule net() throws IOException {
        Tensor big = Tensor.of(new float[1000], 1000);
        PickledObject counter = new PickledObject(
                "__torch__.m.Counter", new PickledDict(null).put("n", 3L).put("other", big));
        PickledDict state = new PickledDict(null)
                .put("w", Tensor.of(new float[] {2, -3}, 2, 1, 1, 1).requiresGrad(true))
                .put("fc", Tensor.of(new float[] {1, 2}, 1, 2).requiresGrad(true))
                .put("mean", Tensor.of(new float[] {1, 1}, 2))
                .put("var", Tensor.of(new float[] {4, 1}, 2))
                .put("seen", Tensor.of(new float[] {5}, 1, 1, 1, 1))
                .put("unused", big)
                .put("training", true)
                .put("calls", counter);
        return load(new ArchiveWriter("net", 3)
                        .data(new PickledObject("__torch__.m.Net", state))
                        .source("code/__torch__/m.py", SOURCE))
                .eval();
    }

    private static long constantRecords(ScriptModule module) {
        return module.archive().records().stream()
                .filter(record -> record.matches("constants/\\d+"))
                .count();
    }

    private static float[] answer(ScriptModule module) {
        return ((Tensor) module.call("forward", Tensor.of(new float[] {0.5f}, 1, 1, 1, 1))).toFloatArray();
    }

    @Test
    void anInterruptEndsIt() throws IOException {
        ScriptModule original = net();
        Thread.currentThread().interrupt();
        assertThrows(CancellationException.class, () -> MobileOptimizer.optimize(original));
        assertTrue(Thread.interrupted());
        assertNotNull(MobileOptimizer.optimize(original).report());
    }

    @Test
    void foldsPacksAndFusesWithTheSameAnswers() throws IOException {
        ScriptModule original = net();
        MobileOptimizer.Result result = MobileOptimizer.optimize(original);
        OptimizationReport report = result.report();
        assertEquals(List.of("forward", "times"), report.methods());
        assertEquals(List.of("get_all_bundled_inputs"), report.kept());
        assertEquals(
                List.of(1, 1, 1, 1, 1),
                List.of(report.folded(), report.dropouts(), report.convolutions(), report.linears(), report.clamps()));
        float[] expected = answer(original);
        for (boolean lite : new boolean[] {false, true}) {
            if (lite) {
                result.writer().lite(LiteTarget.PYTORCH_1_13).source(false);
            }
            ScriptModule optimized = load(result.writer().archive("mobile"));
            assertArrayEquals(expected, answer(optimized), 1e-6f);
            assertEquals(4L, optimized.call("times"), "an attribute that changes stays one");
            assertEquals(1, ((ScriptList) optimized.call("get_all_bundled_inputs")).size());
        }
    }

    /**
     * As the scripted layers of torch.nn check their inputs: between a convolution, its normalization and its
     * activation.
     */
    @Test
    void foldsAndFusesAcrossChecksOfSizes() throws IOException {
        String check =
                "if torch.ne(torch.dim(%s), 4):\n      ops.prim.RaiseException(\"expected 4D input\")\n    else:\n   "
                        + "   pass\n    ";
        String source = SOURCE.replace("z = torch.batch_norm", String.format(check, "y") + "z = torch.batch_norm")
                .replace("d = torch.dropout", String.format(check, "z") + "d = torch.dropout");
        ScriptModule checked = load(ArchiveWriter.from(net().archive()).source("code/__torch__/m.py", source))
                .eval();
        MobileOptimizer.Result result = MobileOptimizer.optimize(checked);
        OptimizationReport report = result.report();
        assertEquals(
                List.of(1, 1, 1, 1, 1),
                List.of(report.folded(), report.dropouts(), report.convolutions(), report.linears(), report.clamps()));
        assertArrayEquals(answer(checked), answer(load(result.writer().archive("mobile"))), 1e-6f);
    }

    /** Scripted convolutions take an image by itself too, which packed ones refuse. */
    @Test
    void singleImagesStayImages() throws IOException {
        String source = SOURCE.replace("torch.batch_norm(y, None, None, mean, var, training, 0.1, 0., True)", "y");
        ScriptModule original = load(ArchiveWriter.from(net().archive()).source("code/__torch__/m.py", source))
                .eval();
        MobileOptimizer.Result result = MobileOptimizer.optimize(original);
        assertEquals(1, result.report().convolutions());
        Tensor image = Tensor.of(new float[] {0.5f, 2}, 1, 1, 2);
        Tensor expected = (Tensor) original.call("forward", image);
        for (boolean lite : new boolean[] {false, true}) {
            if (lite) {
                result.writer().lite(LiteTarget.PYTORCH_1_13).source(false);
            }
            Tensor answer = (Tensor) load(result.writer().archive("mobile")).call("forward", image);
            assertArrayEquals(expected.sizes(), answer.sizes());
            assertArrayEquals(expected.toFloatArray(), answer.toFloatArray(), 1e-6f);
        }
    }

    /** Where normalizations check what they are given, nothing has to ask again. */
    @Test
    void checkedBatchesAreNotAskedAgain() throws IOException {
        String check =
                "if torch.ne(torch.dim(y), 4):\n      ops.prim.RaiseException(\"expected 4D input\")\n    else:\n"
                        + "      pass\n    z = torch.batch_norm";
        ScriptModule checked = load(ArchiveWriter.from(net().archive())
                        .source("code/__torch__/m.py", SOURCE.replace("z = torch.batch_norm", check)))
                .eval();
        for (ScriptModule module : List.of(net(), checked)) {
            Graph graph = load(MobileOptimizer.optimize(module).writer().archive("mobile"))
                    .object()
                    .type()
                    .method("forward")
                    .graph();
            assertEquals(
                    module == checked ? 0 : 1,
                    graph.block().nodes().stream()
                            .filter(node ->
                                    !node.blocks().isEmpty() && !node.outputs().isEmpty())
                            .count());
        }
    }

    @Test
    void countsNoNormalizationThatStays() throws IOException {
        String source = SOURCE.replace("z = torch.batch_norm(y,", "z = torch.batch_norm(torch.mul(y, x),");
        ScriptModule kept = load(ArchiveWriter.from(net().archive()).source("code/__torch__/m.py", source))
                .eval();
        assertEquals(0, MobileOptimizer.optimize(kept).report().folded());
    }

    @Test
    void constantsTakeNoGradients() throws IOException {
        String source = SOURCE.replace(
                "torch.linear(torch.flatten(d, 1), fc)", "torch.mul(torch.linear(torch.flatten(d, 1), fc), fc)");
        ScriptModule module = load(ArchiveWriter.from(net().archive()).source("code/__torch__/m.py", source))
                .eval();
        ScriptModule optimized = load(MobileOptimizer.optimize(module).writer().archive("mobile"));
        Graph graph = optimized.object().type().method("forward").graph();
        List<Tensor> constants = graph.block().nodes().stream()
                .filter(node -> node.is("prim::Constant"))
                .map(node -> node.attribute("value"))
                .filter(Tensor.class::isInstance)
                .map(Tensor.class::cast)
                .toList();
        assertEquals(1, constants.size());
        assertFalse(constants.get(0).requiresGrad());
    }

    @Test
    void sourceAndByteCodeShareTheirConstants() throws IOException {
        ScriptModule both = load(MobileOptimizer.optimize(net())
                .writer()
                .lite(LiteTarget.PYTORCH_1_13)
                .archive("mobile"));
        // A weight and a bias of the convolution, a weight of the linear layer.
        assertEquals(3, constantRecords(both));
    }

    /** Scripted models have their layers in forward and in a method that it calls, which stays a method of its own. */
    @Test
    void methodsShareWhatTheyPackAlike() throws IOException {
        String again = SOURCE.substring(SOURCE.indexOf("  def forward"), SOURCE.indexOf("  def times"))
                .replace("def forward", "def again");
        String source = SOURCE.replace("  def times", again + "  def times");
        ScriptModule module = load(ArchiveWriter.from(net().archive()).source("code/__torch__/m.py", source))
                .eval();
        MobileOptimizer.Result result = MobileOptimizer.optimize(module);
        assertEquals(2, result.report().convolutions());
        ScriptModule optimized = load(result.writer().archive("mobile"));
        assertEquals(3, constantRecords(optimized));
        assertArrayEquals(
                answer(module),
                ((Tensor) optimized.call("again", Tensor.of(new float[] {0.5f}, 1, 1, 1, 1))).toFloatArray(),
                1e-6f);
    }

    @Test
    void leavesOutWhatNothingUses() throws IOException {
        ScriptModule optimized = load(MobileOptimizer.optimize(net()).writer().archive("mobile"));
        assertEquals(
                List.of("seen", "training", "calls"),
                optimized.object().type().attributes().stream()
                        .map(a -> a.name())
                        .collect(Collectors.toList()));
        assertTrue(optimized.archive().records().stream()
                .noneMatch(record -> record.startsWith("data/")
                        && optimized.archive().bytes(record).remaining() > 1000));
    }

    @Test
    void saysWhatIsNotPacked() throws IOException {
        String source = SOURCE.replace("torch.conv2d(x, w, None", "torch.conv2d(x, torch.mul(w, x), None");
        ScriptModule module = net();
        ScriptModule changed = load(ArchiveWriter.from(module.archive()).source("code/__torch__/m.py", source))
                .eval();
        OptimizationReport report = MobileOptimizer.optimize(changed).report();
        assertEquals(0, report.convolutions());
        assertTrue(
                report.text()
                        .contains("not packed: aten::conv2d at code/__torch__/m.py:18: weight or bias is no float32 "
                                + "constant"),
                report.text());
    }

    /** PyTorch's packed layers refuse weights without elements as they are loaded. */
    @Test
    void layersWithoutElementsAreNotPacked() throws IOException {
        String source = SOURCE.replace("fc = self.fc", "fc = torch.slice(self.fc, 1, 0, 0)");
        ScriptModule changed = load(ArchiveWriter.from(net().archive()).source("code/__torch__/m.py", source))
                .eval();
        OptimizationReport report = MobileOptimizer.optimize(changed).report();
        assertEquals(0, report.linears());
        assertEquals(1, report.convolutions());
    }

    /** What a class with these lines of {@code forward} gives in each of three calls, before and after. */
    private static void same(String... lines) throws IOException {
        String source = """
        class Net(Module):
          __parameters__ = []
          __buffers__ = ["a", "m", "v", "cur", ]
          a : Tensor
          m : Tensor
          v : Tensor
          cur : Tensor
          training : bool
          def forward(self: __torch__.m.Net,
            x: Tensor) -> Any:
        """ + "    " + String.join("\n    ", lines) + "\n";
        PickledDict state = new PickledDict(null)
                .put("a", Tensor.of(new float[] {1, 2}, 2))
                .put("m", Tensor.of(new float[2], 2))
                .put("v", Tensor.of(new float[] {1, 1}, 2))
                .put("cur", Tensor.of(new float[1], 1))
                .put("training", false);
        ArchiveWriter writer = new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", state))
                .source("code/__torch__/m.py", source);
        ScriptModule original = load(writer).eval();
        ScriptModule optimized =
                load(MobileOptimizer.optimize(load(writer).eval()).writer().archive("net"));
        for (int call = 0; call < 3; call++) {
            Tensor x = Tensor.of(new float[] {3, 4, 5, 6 + call}, 2, 2);
            assertEquals(
                    String.valueOf(text(original.call("forward", x))),
                    String.valueOf(text(optimized.call("forward", x))));
        }
    }

    private static Object text(Object value) {
        return value instanceof Tensor t ? t.dtype() + java.util.Arrays.toString(t.toFloatArray()) : value;
    }

    @Test
    void whatIsWrittenUnderTheNameOfAnotherAttributeChanges() throws IOException {
        same("a = self.a", "self.cur = a", "cur = self.cur", "_0 = torch.add_(cur, 1)", "return torch.add(self.a, 0)");
    }

    @Test
    void whatIsWrittenThroughAListChanges() throws IOException {
        same("a = self.a", "l = [a]", "_0 = torch.add_(l[0], 1)", "return torch.add(self.a, 0)");
        same(
                "l = annotate(List[Tensor], [])",
                "_0 = torch.append(l, self.a)",
                "_1 = torch.add_(l[0], 1)",
                "return torch.add(self.a, 0)");
    }

    @Test
    void statisticsOfTrainingChange() throws IOException {
        same(
                "m = self.m",
                "v = self.v",
                "_0 = torch.batch_norm(x, None, None, m, v, True, 0.10000000000000001, 1.0000000000000001e-05, True)",
                "return torch.add(self.m, 0)");
    }

    @Test
    void inPlaceKeepsTheTypeOfWhatIsWritten() throws IOException {
        same("y = torch.to(torch.mul(x, 2), 5)", "_0 = torch.add_(y, x)", "return torch.to(y, 6)");
        same("y = torch.mul(x, 2)", "_0 = torch.lt_(y, 9)", "return y");
        same("y = torch.mul(x, 2)", "_0 = torch.zero_(y)", "return y");
    }
}
