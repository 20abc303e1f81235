package org.torchnnapi.converter;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partition.NativeOptions;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Files that a conversion might have made, beside the original. */
class ConversionCheckTest {
    private static final ScriptRuntime RUNTIME = Runtimes.standard();
    private static final Tensor X = Tensor.of(new float[] {1, -2, 3}, 3);

    /** A module that keeps a tensor, three zeros at first. */
    private static ArchiveWriter file(String folder, String kept) {
        return new ArchiveWriter(folder, 10)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  h : Tensor\n  training : "
                                + "bool\n"
                                + "  def forward(self: __torch__.net.Net,\n    x: Tensor) -> Tensor:\n    y = "
                                + "torch.add(x, self.h)\n    self.h = "
                                + kept + "\n    return y\n")
                .data(new PickledObject(
                        "__torch__.net.Net",
                        new PickledDict(null)
                                .put("h", Tensor.of(new float[3], 3))
                                .put("training", false)));
    }

    private static Refusal checked(String kept, String madeKept) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        file("net", kept).write(out);
        ScriptModule original = ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
        ConversionOptions options = ConversionOptions.defaults().withExample(List.of(X));
        ConversionCheck check = new ConversionCheck(
                original, "forward", options, InputSource.of(original, "forward", options), RUNTIME, new ArrayList<>());
        Refusal wrong = check.run(List.of(), folder -> file(folder, madeKept), null, false);
        NativeOptions how = new NativeOptions(
                SegmentCost.DEFAULT,
                Target.DEFAULT,
                false,
                0,
                false,
                Set.of(),
                false,
                "forward",
                Set.of(),
                UnaryOperator.identity());
        return wrong != null ? wrong : check.closer(() -> Passes.pure(original.object(), "forward", Set.of("h")), how);
    }

    @Test
    void whatIsKeptFromOneCallIsComparedInTheNext() throws IOException {
        assertNull(checked("torch.mul(y, 2)", "torch.add(y, y)"));
        Refusal wrong = checked("torch.mul(y, 2)", "torch.mul(y, 3)");
        assertNotNull(wrong);
        assertTrue(wrong.found().startsWith("called again, with what the first call left, output 0"), wrong.found());
    }

    @Test
    void aModuleThatKeepsNothingNewIsCalledAgainToo() throws IOException {
        Refusal wrong = checked("self.h", "torch.add(y, 1)");
        assertNotNull(wrong);
        assertTrue(wrong.found().startsWith("on other inputs, output 0"), wrong.found());
    }

    /** What comes out after several calls alone, or past a limit alone, is found. */
    @Test
    void callsAreAsManyAsWhatIsKeptNeedsToComeOut() throws IOException {
        Refusal late = checked("torch.clamp(torch.add(self.h, 1), 0, 9)", "torch.clamp(torch.add(self.h, 1), 0, 5)");
        assertNotNull(late);
        assertTrue(late.found().startsWith("called again, with what 6 calls left, output 0"), late.found());
        Refusal past = checked("torch.clamp(y, -4, 4)", "torch.clamp(y, -3, 4)");
        assertNotNull(past);
    }

    @Test
    void whatAModuleKeepsInTheEndIsCompared() throws IOException {
        Refusal wrong = checked("torch.mul(self.h, 1)", "torch.add(self.h, torch.mul(self.h, 7))");
        assertNull(wrong, "both keep zeros");
        Refusal last = checked("torch.mul(y, 0)", "torch.mul(y, 1e-9)");
        assertNull(last, "rounding");
    }
}
