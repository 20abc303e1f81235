package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

class ProfileFilesTest {
    private static final String NET = "__torch__.net.Net";

    @TempDir
    private Path folder;

    private Path hardSwish() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 10)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                                + "  training : bool\n  def forward(self: " + NET
                                + ",\n    x: Tensor) -> Tensor:\n"
                                + "    q = torch.quantize_per_tensor(x, 0.03125, 120, 13)\n"
                                + "    return torch.dequantize(ops.quantized.hardswish(q, 0.03125, 20))\n")
                .data(new PickledObject(NET, new PickledDict(null).put("training", false)))
                .write(out);
        return Files.write(folder.resolve("net.pt"), out.toByteArray());
    }

    @Test
    void builtInOnesAndFiles() throws IOException {
        Path file = Files.writeString(folder.resolve("own.profile"), "name own\nfeature-level 30\n");
        assertEquals("own", ProfileFiles.read(file.toString()).name());
        assertEquals("nnapi-1.2", ProfileFiles.read("nnapi-1.2").name());
        CommandFailure none = assertThrows(CommandFailure.class, () -> ProfileFiles.read(folder.toString()));
        assertTrue(none.getMessage().contains("is no built-in one and no file"), none.getMessage());
    }

    /** The file is for a device: functions of bytes are those that it has. */
    @Test
    void conversionsKeepToADevicesOperations() throws IOException {
        Path model = hardSwish();
        Path target = folder.resolve("net-nnapi.pt");
        Path own = Files.writeString(
                folder.resolve("own.profile"),
                "name own\nfeature-level 30\nsupports ADD TENSOR_QUANT8_ASYMM\nsupports MUL TENSOR_QUANT8_ASYMM\n");
        String pays = "start=0,bytes=1e15";
        for (String[] expected : new String[][] {
            {pays, "quantized::hardswish by HARD_SWISH"},
            {"quantized-npu", "quantized::hardswish by ADD, MUL, MUL"},
            {own.toString(), "quantized::hardswish by ADD, MUL, MUL"}
        }) {
            Run run = Run.of("convert", model, "-i", "float32[1,8,40,40]", "--profile", expected[0], "-o", target);
            assertEquals(0, run.code(), run.err());
            assertTrue(run.out().contains(expected[1]), run.out());
        }
        Run unknown = Run.of("convert", model, "-i", "float32[1,8,40,40]", "--profile", "npu", "-o", target);
        assertEquals(1, unknown.code());
        assertTrue(unknown.err().startsWith("profile: \"npu\" is no built-in one and no file"), unknown.err());
        assertEquals(
                1,
                Run.of("convert", model, "-i", "float32[8]", "--profile", own, "-o", own)
                        .code());
    }
}
