package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Converted files whose NNAPI models do not tell what the method takes: they say it themselves. */
class ConvertedInputsTest {
    private static final String NET = "__torch__.net.Net";
    private static final String TWO_PARTS = "  def forward(self: " + NET
            + ",\n    images: List[Tensor],\n    more: Dict[str, Tensor],\n    by: float,\n"
            + "    rest: Optional[Tensor]=None) -> Tensor:\n    y = torch.mul(torch.matmul(torch.add(images[0], "
            + "more[\"left\"]), self.w), by)\n"
            + "    z = torch.lgamma(y)\n    return torch.matmul(z, self.w)\n";

    @TempDir
    private Path folder;

    private static final String ASKED_FOR_ITS_SIZE =
            "  def forward(self: " + NET + ",\n    x: Tensor,\n    y: Tensor) -> Tensor:\n"
                    + "    return torch.add(torch.matmul(x, self.w), torch.size(y, 1))\n";

    private Path write(String name, String told) throws IOException {
        return write(name, TWO_PARTS, told);
    }

    private Path write(String name, String method, String told) throws IOException {
        float[] ones = new float[64 * 64];
        Arrays.fill(ones, 0.125f);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ArchiveWriter writer = new ArchiveWriter("net", 10)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = [\"w\", ]\n"
                                + "  training : bool\n  w : Tensor\n" + method)
                .data(new PickledObject(
                        NET, new PickledDict(null).put("training", false).put("w", Tensor.of(ones, 64, 64))));
        if (told != null) {
            writer.extra("nnapi-inputs.tsv", ByteBuffer.wrap(told.getBytes(StandardCharsets.UTF_8)));
        }
        writer.write(out);
        return Files.write(folder.resolve(name), out.toByteArray());
    }

    /** Beside an example such inputs would have no effect, open sizes among them. */
    @Test
    void otherInputsThanTensorsAreNotLeftOutBesideAnExample() throws IOException {
        Run refused = Run.of(
                "convert",
                write("net.pt", null),
                "-i",
                "float32[?,64]",
                "-i",
                "None",
                "--example",
                "[float32[4,64]]",
                "-o",
                folder.resolve("net-nnapi.pt"));
        assertEquals(1, refused.code());
        assertTrue(refused.err().startsWith("input: None beside --example (expected: types and sizes"), refused.err());
    }

    @Test
    void fileOfSeveralPartsSaysWhatItTakes() throws IOException {
        Path parts = folder.resolve("net-nnapi.pt");
        Run converted = Run.of(
                "convert",
                write("net.pt", null),
                "-i",
                "[float32[4,64]]",
                "-i",
                "{\"left\": float32[1,64]}",
                "-i",
                "0.5",
                "-i",
                "None",
                "--profile",
                "start=0,bytes=1e15",
                "-o",
                parts);
        assertEquals(0, converted.code(), converted.err());
        assertTrue(converted.out().contains("in 2 segments"), converted.out());
        for (Object[] command :
                new Object[][] {{"run", parts}, {"explain", parts}, {"profile", parts, "--iter", "1"}}) {
            Run run = Run.of(command);
            assertEquals(0, run.code(), run.err());
            assertTrue(
                    run.err()
                            .contains(
                                    "of the shapes in the file, [float32[4,64]]; {\"left\": float32[1,64]}; 0.5; None"),
                    run.err());
        }
        assertEquals(0, Run.of("bench", "--model=" + parts, "--iter=1").code());
    }

    /** What NNAPI computes is the whole model, but its model has one of two arguments. */
    @Test
    void argumentThatIsAskedForItsSizeAloneIsTold() throws IOException {
        Path whole = folder.resolve("net-nnapi.pt");
        Path net = write("net.pt", ASKED_FOR_ITS_SIZE, null);
        Run converted = Run.of(
                "convert",
                net,
                "-i",
                "float32[4,64]",
                "-i",
                "float32[1,3]",
                "--profile",
                "start=0,bytes=1e15",
                "-o",
                whole);
        assertEquals(0, converted.code(), converted.err());
        Run run = Run.of("run", whole);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.err().contains("of the shapes in the file, float32[4,64]; float32[1,3]"), run.err());
        Run flat = Run.of(
                "convert",
                net,
                "-i",
                "float32[4,64]",
                "-i",
                "float32[1,3]",
                "--profile",
                "start=0,bytes=1e15",
                "--to",
                "tflite",
                "-o",
                folder.resolve("net.tflite"));
        assertEquals(0, flat.code(), flat.err());
    }

    @Test
    void wordsOfAnotherFormAreNone() throws IOException {
        for (String told : new String[] {
            "forward\tfloat32[99999999999]\n",
            "forward\t[float32[4\n",
            "forward",
            "\t\t\n",
            "forward\tcomplex7[1]",
            "forward\tfloat32[9999,9999,9999]"
        }) {
            Run run = Run.of("run", write("strange.pt", told));
            assertEquals(1, run.code(), told);
            assertTrue(run.err().startsWith("inputs: none, and none are bundled in"), run.err());
        }
    }
}
