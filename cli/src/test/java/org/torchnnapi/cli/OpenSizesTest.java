package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Files that are converted for sizes left open, and the commands that read them. */
class OpenSizesTest {
    private static final String NET = "__torch__.net.Net";

    @TempDir
    private Path folder;

    private Path write() throws IOException {
        float[] ones = new float[16 * 8 * 9];
        Arrays.fill(ones, 0.0625f);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 10)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = [\"w\", ]\n"
                                + "  training : bool\n  w : Tensor\n  def forward(self: " + NET
                                + ",\n    x: Tensor) -> Tensor:\n    y = torch.conv2d(x, self.w, None, [2, 2], [1, "
                                + "1], [1, 1], 1)\n"
                                + "    return torch.lgamma(torch.add(torch.silu(y), torch.size(x, 3)))\n")
                .data(new PickledObject(
                        NET, new PickledDict(null).put("training", false).put("w", Tensor.of(ones, 16, 8, 3, 3))))
                .write(out);
        return Files.write(folder.resolve("net.pt"), out.toByteArray());
    }

    @Test
    void commandsTakeFilesOfOpenSizes() throws IOException {
        Path file = folder.resolve("open.pt");
        Run converted =
                Run.of("convert", write(), "-i", "float32[1,8,?,-1]", "--profile", "start=0,bytes=1e15", "-o", file);
        assertEquals(0, converted.code(), converted.err());
        assertTrue(
                converted.out().contains("open: dimension 2 of argument 0; dimension 3 of argument 0"),
                converted.out());
        for (String size : new String[] {"float32[1,8,17,40]", "float32[1,8,90,21]"}) {
            Run diff = Run.of("diff", folder.resolve("net.pt"), file, "-i", size);
            assertEquals(0, diff.code(), diff.err() + diff.out());
        }
        for (Object[] command : new Object[][] {
            {"run", file},
            {"explain", file},
            {"explain", file, "-i", "float32[1,8,30,31]"},
            {"profile", file, "--iter", "1"},
            {"inspect", file}
        }) {
            Run run = Run.of(command);
            assertEquals(0, run.code(), command[0] + ": " + run.err());
        }
        String inspected = Run.of("inspect", file).out();
        assertTrue(
                inspected.contains("sizes are those of an example") && inspected.contains("the latest 8 shapes"),
                inspected);
    }

    @Test
    void openSizesAreNotForTensorFlowLite() throws IOException {
        Run refused = Run.of("convert", write(), "-i", "float32[1,8,?,?]", "--to", "tflite");
        assertEquals(1, refused.code());
        assertTrue(refused.err().contains("sizes that are left open (expected: fixed sizes"), refused.err());
    }
}
