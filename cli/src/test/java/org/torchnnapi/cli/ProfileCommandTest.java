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
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Profiles of the digits sample and of a module that is interpreted in parts. */
class ProfileCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    /** What is interpreted is listed, and why, however much of the method is compiled around it. */
    @Test
    void profileSaysWhyPartsAreInterpreted() throws IOException {
        float[] ones = new float[64 * 64];
        Arrays.fill(ones, 0.01f);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("net", 3)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = [\"w\", ]\n"
                                + "  training : bool\n  w : Tensor\n  n : int\n  def forward(self: "
                                + "__torch__.net.Net,\n    x: Tensor) -> Tensor:\n"
                                + "    self.n = torch.add(self.n, 1)\n    y = torch.relu(torch.matmul(x, self.w))\n  "
                                + "  if bool(torch.gt(torch.sum(y), 0)):\n"
                                + "      z = torch.matmul(y, self.w)\n    else:\n      z = y\n    return z\n")
                .data(new PickledObject(
                        "__torch__.net.Net",
                        new PickledDict(null)
                                .put("training", false)
                                .put("w", Tensor.of(ones, 64, 64))
                                .put("n", 0L)))
                .write(out);
        Path model = Files.write(folder.resolve("counts.pt"), out.toByteArray());
        Run run = Run.of("profile", model, "-i", "float32[40,64]", "--warmup", "2", "--iter", "2");
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out().contains("\nnot compiled: prim::SetAttr at ")
                        && run.out().contains("\nnot compiled: aten::Bool gives a value that depends on elements at "),
                run.out());
        Run json = Run.of("profile", model, "-i", "float32[40,64]", "--iter", "1", "--json", "-");
        assertTrue(json.out().matches("(?s).*\"notCompiled\" : \\[ \"[^]]*prim::SetAttr at .*"), json.out());
    }

    @Test
    void profilesProgramsAndDevices() {
        Run ordinary = Run.of(
                "profile",
                DIGITS.resolve("digits-cpu.pt"),
                "--random",
                "float32[1,3,32,32]",
                "--warmup",
                "1",
                "--iter",
                "2");
        assertEquals(0, ordinary.code(), ordinary.err());
        assertTrue(
                ordinary.out()
                        .matches("(?s) *ms +share +device +step\n.*\n *[0-9.]+ +[0-9.]+% +program +convolution "
                                + "[0-9]x[0-9].*"),
                ordinary.out());
        assertTrue(ordinary.out().matches("(?s).*\n *[0-9.]+ +100\\.0% +a run, of [0-9]+ steps\n"), ordinary.out());
        Run nnapi = Run.of(
                "profile",
                DigitsFiles.converted(folder),
                "--random",
                "float32[1,3,32,32]",
                "--device",
                "cpu",
                "--iter",
                "2",
                "--json",
                "-");
        assertEquals(0, nnapi.code(), nnapi.err());
        assertTrue(nnapi.out().contains("\"notCompiled\" : [ ]"), nnapi.out());
        assertTrue(
                nnapi.out()
                        .matches(
                                "(?s).*\"step\" : \"convolution [^}]*\"device\" : \"cpu\"[^}]*\"share\" : [0-9.E-]+.*"),
                nnapi.out());
        Run reference = Run.of(
                "profile",
                DigitsFiles.converted(folder),
                "--random",
                "float32[1,3,32,32]",
                "--device",
                "reference",
                "--top",
                "1");
        assertTrue(reference.out().matches("(?s).* reference +[A-Z0-9_]+, .*CONV_2D.*"), reference.out());
        assertEquals(
                1,
                Run.of("profile", DigitsFiles.converted(folder), "--iter", "0").code());
        int before = CpuThreads.count();
        Run threads = Run.of(
                "profile",
                DigitsFiles.converted(folder),
                "--random",
                "float32[1,3,32,32]",
                "--device",
                "cpu",
                "--iter",
                "6",
                "--compare-threads",
                "1,2");
        assertEquals(0, threads.code(), threads.err());
        assertEquals(before, CpuThreads.count());
        assertTrue(
                threads.out()
                        .matches("(?s)ms, threads: 1 +2 +speed-up +device +step\n.*\n *[0-9.]+ +[0-9.]+ +[0-9.]+x "
                                + "+cpu +convolution .*"
                                + "\n *[0-9.]+ +[0-9.]+ +[0-9.]+x +interpreter and calls\n *[0-9.]+ +[0-9.]+ "
                                + "+[0-9.]+x +a run, of [0-9]+ steps\n"),
                threads.out());
        Run each = Run.of(
                "profile",
                DigitsFiles.converted(folder),
                "--random",
                "float32[1,3,32,32]",
                "--compare-threads",
                "1,2,3",
                "--top",
                "1",
                "--json",
                "-");
        assertTrue(each.out().matches("(?s).*\"milliseconds\" : \\[ [0-9.E-]+, [0-9.E-]+, [0-9.E-]+ ].*"), each.out());
        assertEquals(
                1,
                Run.of(
                                "profile",
                                DigitsFiles.converted(folder),
                                "--random",
                                "float32[1,3,32,32]",
                                "--compare-threads",
                                "none")
                        .code());
    }
}
