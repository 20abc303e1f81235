package org.torchnnapi.execution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Modules written, loaded and written again. */
class ModuleWriterTest {
    private static final String SOURCE = """
        class Net(Module):
          __parameters__ = ["weight", ]
          __buffers__ = []
          weight : Tensor
          training : bool
          calls : int
          inner : __torch__.m.Scale
          def forward(self: __torch__.m.Net,
            x: Tensor) -> Tensor:
            weight = self.weight
            inner = self.inner
            calls = self.calls
            self.calls = torch.add(calls, 1)
            y = torch.add(x, CONSTANTS.c0)
            _0 = (inner).forward(torch.mul(y, weight), )
            return _0
        class Scale(Module):
          __parameters__ = []
          __buffers__ = []
          training : bool
          by : float
          def __getstate__(self: __torch__.m.Scale) -> Tuple[float, bool]:
            by = self.by
            training = self.training
            return (torch.mul(by, 2.), training)
          def __setstate__(self: __torch__.m.Scale,
            state: Tuple[float, bool]) -> NoneType:
            by, training, = state
            self.by = torch.div(by, 2.)
            self.training = training
            return None
          def forward(self: __torch__.m.Scale,
            x: Tensor) -> Tensor:
            by = self.by
            return torch.mul(x, by)
        """;

    private static byte[] bytes(ArchiveWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out);
        return out.toByteArray();
    }

    private static ScriptModule load(byte[] file) {
        return ScriptModule.of(TorchScriptArchive.of(file), ScriptRuntime.standard(CustomClasses.NONE));
    }

    private static ArchiveWriter printed(ScriptModule module) {
        ArchiveWriter writer = module.moduleWriter().archive("again");
        module.archive().extraFiles().forEach(writer::extra);
        return writer;
    }

    private static ScriptModule net() throws IOException {
        PickledObject scale = new PickledObject("__torch__.m.Scale", new ScriptTuple(List.of(6.0, true), null));
        PickledDict state = new PickledDict(null)
                .put("weight", Tensor.of(new float[] {2, 3}, 2))
                .put("training", true)
                .put("calls", 7L)
                .put("inner", scale);
        return load(bytes(new ArchiveWriter("net", 3)
                .data(new PickledObject("__torch__.m.Net", state))
                .source("code/__torch__/m.py", SOURCE)
                .constants(List.of(Tensor.of(new float[] {1, 1}, 2)))
                .extra("note", ByteBuffer.wrap("as it was".getBytes(StandardCharsets.UTF_8)))));
    }

    @Test
    void keepsCodeAttributesConstantsAndFiles() throws IOException {
        ScriptModule net = net();
        assertArrayEquals(
                new float[] {12, 27}, ((Tensor) net.call("forward", Tensor.of(new float[] {1, 2}, 2))).toFloatArray());
        byte[] file = bytes(printed(net));
        ScriptModule again = load(file);
        assertEquals(8L, again.attribute("calls"));
        assertArrayEquals(
                new float[] {12, 27},
                ((Tensor) again.call("forward", Tensor.of(new float[] {1, 2}, 2))).toFloatArray());
        assertEquals(SOURCE, again.archive().sources().get("code/__torch__/m.py"));
        assertEquals(
                "as it was",
                StandardCharsets.UTF_8
                        .decode(again.archive().extraFiles().get("note"))
                        .toString());
        assertEquals("again", again.archive().folder());
        assertArrayEquals(bytes(printed(load(file))), file, "written again");
    }

    @Test
    void writesChangedAttributes() throws IOException {
        ScriptModule net = net();
        net.object().set("weight", Tensor.of(new float[] {10, 20}, 2));
        net.object().set("calls", 0L);
        ScriptModule again = load(bytes(printed(net)));
        assertEquals(0L, again.attribute("calls"));
        assertArrayEquals(
                new float[] {60, 180},
                ((Tensor) again.call("forward", Tensor.of(new float[] {1, 2}, 2))).toFloatArray());
    }
}
