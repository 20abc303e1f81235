package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files for the lite interpreter. */
class SaveCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void liteFilesAreWrittenAndRun() {
        Path lite = folder.resolve("net.ptl");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", lite, "--target", "pytorch-1.10");
        assertEquals(0, save.code(), save.err());
        assertTrue(save.out().contains("for PyTorch 1.10, byte code version 7"), save.out());
        assertEquals(
                Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3").out(),
                Run.of("run", lite, "--top", "3").out());
        Path converted = folder.resolve("net-nnapi.ptl");
        Run convert = Run.of(
                "convert",
                DIGITS.resolve("digits-core.pt"),
                "--mode",
                "core",
                "-o",
                converted,
                "--target",
                "pytorch-1.10");
        assertEquals(0, convert.code(), convert.err());
        assertTrue(
                Run.of("inspect", converted)
                        .out()
                        .contains("that of PyTorch 1.10, PyTorch 1.11, PyTorch 1.12, PyTorch 1.13; not that of PyTorch "
                                + "1.8: byte code "
                                + "version 7"),
                Run.of("inspect", converted).out());
        assertTrue(
                Run.of("inspect", lite)
                        .out()
                        .contains("that of PyTorch 1.10, PyTorch 1.11, PyTorch 1.12, PyTorch 1.13; not that of PyTorch "
                                + "1.8: byte code "
                                + "version 7 (it reads up to 5)"),
                Run.of("inspect", lite).out());
        assertEquals(
                Run.of("run", lite, "--top", "3").out(),
                Run.of("run", converted, "--top", "3").out());
        Path flat = folder.resolve("net-flat.ptl");
        Run saved = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", flat, "--flatbuffer");
        assertTrue(
                saved.out().contains("for PyTorch 1.13, byte code version 9, a flat buffer"),
                saved.out() + saved.err());
        assertEquals(
                Run.of("run", lite, "--top", "3").out(),
                Run.of("run", flat, "--top", "3").out());
        assertTrue(
                Run.of("inspect", flat).out().contains("no published one"),
                Run.of("inspect", flat).out());
        Run ordinary = Run.of(
                "save", DIGITS.resolve("digits-core.pt"), "-o", flat.resolveSibling("ordinary.pt"), "--flatbuffer");
        assertEquals(1, ordinary.code(), ordinary.toString());
        assertTrue(ordinary.err().contains("ordinary.pt (expected: an output that ends in .ptl)"), ordinary.err());
        assertFalse(Files.exists(flat.resolveSibling("ordinary.pt")));
        Run early = Run.of(
                "save", DIGITS.resolve("digits-core.pt"), "-o", flat, "--flatbuffer", "--target", "pytorch-1.10");
        assertTrue(early.err().contains("target: pytorch-1.10 as a flat buffer"), early.err());
    }

    @Test
    void programsAreWrittenForTheExampleOrWhatIsGiven() {
        Path program = folder.resolve("net.pt2");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", program);
        assertEquals(0, save.code(), save.err());
        assertTrue(
                save.out()
                        .contains("for torch.export.load of PyTorch 2.8 and later, for inputs of these sizes alone: "
                                + "[Tensor([1, 3, 32, 32], dtype=torch.float32)]; import "
                                + "torch.ao.quantization.fx._decomposed before it is loaded"),
                save.out());
        assertEquals(
                Run.of("run", DIGITS.resolve("digits-core.pt"), "--top", "3").out(),
                Run.of("run", program, "--top", "3").out());
        Run two = Run.of("save", program, "-o", folder.resolve("two.pt2"), "--input", "float32[2,3,32,32]");
        assertEquals(1, two.code(), two.toString());
        assertTrue(two.err().contains("size 2 in dimension 0 (expected: 1"), two.err());
        Run optimized = Run.of("optimize", DIGITS.resolve("digits-cpu.pt"), "-o", folder.resolve("o.pt2"));
        assertTrue(
                optimized
                        .err()
                        .contains("(expected: an ending as .pt or .ptl, of which torch-nnapi save makes a .pt2)"),
                optimized.err());
    }

    @Test
    void sizesAreLeftOpenWhereTheyAreAskedFor() throws IOException {
        Path net = folder.resolve("net.pt");
        TinyNet.write(net, "torch.mul(torch.relu(x), torch.size(x, 1))");
        Path program = folder.resolve("net.pt2");
        Run save = Run.of("save", net, "-o", program, "--input", "float32[2,6]", "--open", "float32[2,?]");
        assertEquals(0, save.code(), save.err());
        assertTrue(save.out().contains("for inputs of these sizes and those that go together: ["), save.out());
        String numbers = "tensor([[0.5, -1., 2.], [1., 0., -4.]])";
        Run run = Run.of("run", program, "--input", numbers);
        assertEquals(0, run.code(), run.err());
        assertEquals(Run.of("run", net, "--input", numbers).out(), run.out());
        Run other = Run.of("run", program, "--input", "float32[3,6]");
        assertTrue(other.err().contains("size 3 in dimension 0 (expected: 2"), other.err());
        Run many = Run.of(
                "save", net, "-o", program, "-i", "float32[2,6]", "--open", "float32[2,?]", "--open", "float32[?]");
        assertTrue(many.err().contains("open: float32[?] (expected: one for each tensor of the inputs)"), many.err());
        Run script = Run.of("save", net, "-o", folder.resolve("other.pt"), "--open", "float32[2,?]");
        assertTrue(
                script.err().contains("(expected: an output that ends in .pt2; TorchScript has no sizes)"),
                script.err());
    }

    @Test
    void methodsAreProgramsOfOneFile() throws IOException {
        Path net = folder.resolve("net.pt");
        TinyNet.write(net, Map.of("forward", "torch.relu(x)", "encode", "torch.neg(x)", "decode", "torch.exp(x)"));
        Path one = folder.resolve("one.pt2");
        Run save = Run.of("save", net, "-o", one, "--method", "encode", "--input", "float32[2]");
        assertEquals(0, save.code(), save.err());
        String numbers = "tensor([0.5, -1.])";
        assertEquals(
                Run.of("run", net, "--method", "encode", "--input", numbers).out(),
                Run.of("run", one, "--input", numbers).out());
        Path two = folder.resolve("two.pt2");
        Run both = Run.of(
                "save",
                net,
                "-o",
                two,
                "--method",
                "encode",
                "--input",
                "float32[2]",
                "--method",
                "decode",
                "--input",
                "float32[3]");
        assertEquals(0, both.code(), both.err());
        assertTrue(both.out().contains("encode for inputs of these sizes alone: [Tensor([2]"), both.out());
        assertTrue(both.out().contains("; decode for inputs of these sizes alone: [Tensor([3]"), both.out());
        assertEquals(
                Run.of("run", net, "--method", "decode", "--input", "tensor([0., 1., 2.])")
                        .out(),
                Run.of("run", two, "--method", "decode", "--input", "tensor([0., 1., 2.])")
                        .out());
        Run none = Run.of("run", two, "--input", numbers);
        assertEquals(1, none.code(), none.toString());
        assertTrue(none.err().contains("encode") && none.err().contains("decode"), none.err());
        Run unknown = Run.of("save", net, "-o", two, "--method", "backward", "--input", "float32[2]");
        assertEquals(1, unknown.code(), unknown.toString());
        assertTrue(unknown.err().contains("backward"), unknown.err());
        Run script = Run.of("save", net, "-o", folder.resolve("other.pt"), "--method", "encode");
        assertTrue(
                script.err().contains("(expected: an output that ends in .pt2; TorchScript's have all methods)"),
                script.err());
    }

    @Test
    void partsOnNnapiHaveNoProgram() {
        Path converted = folder.resolve("net-nnapi.pt");
        Run convert = Run.of("convert", DIGITS.resolve("digits-core.pt"), "--mode", "core", "-o", converted);
        assertEquals(0, convert.code(), convert.err());
        Path program = folder.resolve("net.pt2");
        Run save = Run.of("save", converted, "-o", program);
        assertEquals(1, save.code(), save.toString());
        assertTrue(
                save.err()
                        .contains("a part that runs on NNAPI, which programs of torch.export have not (expected: the "
                                + "model that it was converted from)"),
                save.err());
        assertFalse(Files.exists(program));
    }

    @Test
    void unknownTargetsAreRefusedBeforeAnythingIsWritten() {
        Path target = folder.resolve("net.ptl");
        Run save = Run.of("save", DIGITS.resolve("digits-core.pt"), "-o", target, "--target", "pytorch-3");
        assertEquals(1, save.code());
        assertTrue(save.err().contains("target: pytorch-3 (expected: one of [pytorch-1.8,"), save.err());
        assertFalse(Files.exists(target));
    }

    /** Of a file with source and byte code that say different things the byte code is run and shown, as on a phone. */
    @Test
    void sourceThatIsNotTheByteCodesIsSaid() throws IOException {
        Path lite = folder.resolve("net.ptl");
        assertEquals(
                0, Run.of("save", DIGITS.resolve("digits-cpu.pt"), "-o", lite).code());
        assertEquals("", Run.of("inspect", lite).err());
        Path forged = folder.resolve("forged.ptl");
        try (ZipFile from = new ZipFile(lite.toFile());
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(forged))) {
            for (ZipEntry entry : Collections.list(from.entries())) {
                byte[] bytes = from.getInputStream(entry).readAllBytes();
                to.putNextEntry(new ZipEntry(entry.getName()));
                to.write(
                        entry.getName().endsWith(".py")
                                ? new String(bytes, StandardCharsets.UTF_8)
                                        .replace("torch.add(", "torch.sub(")
                                        .getBytes(StandardCharsets.UTF_8)
                                : bytes);
                to.closeEntry();
            }
        }
        String said =
                "warning: " + forged + ": forward: its source is not what a phone runs; byte code alone has aten::add"
                        + System.lineSeparator();
        assertEquals(said, Run.of("inspect", forged).err());
        Run ran = Run.of("run", forged, "--input", "float32[1,3,32,32]");
        assertEquals(said, ran.err());
        assertEquals(Run.of("run", lite, "--input", "float32[1,3,32,32]").out(), ran.out());
        Path page = folder.resolve("forged.html");
        assertEquals(said, Run.of("inspect", forged, "--html", page).err());
        assertFalse(Files.readString(page).contains("aten::sub"));
    }
}
