package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Names and strings of a file reach no terminal as they are. */
class StrangersTextTest {
    private static final String CLEAR = "\u001b[2J";
    private static final String SHOWN = "\\u001b[2J";
    private static final String INPUT = "float32[2]";

    @TempDir
    private Path folder;

    private Path model;

    @BeforeEach
    void write() throws IOException {
        PickledDict inner = new PickledDict(null);
        inner.put("training", false);
        inner.put("w", Tensor.of(new float[] {1, 2}, 2));
        PickledDict attributes = new PickledDict(null);
        attributes.put("training", false);
        attributes.put("part\n" + CLEAR, new PickledObject("__torch__.net.Part", inner));
        model = folder.resolve("net.pt");
        new ArchiveWriter("net", 3)
                .source("code/__torch__/net.py", """
            class Net(Module):
              __parameters__ = []
              __buffers__ = []
              training : bool
              __annotations__["part\\n\\033[2J"] = __torch__.net.Part
              def forward(self: __torch__.net.Net,
                x: Tensor) -> str:
                # \u001b[2J \u202e
                print("\\033[2J")
                if torch.gt(torch.dim(x), 1):
                  ops.prim.RaiseException("failed \\033[2J")
                else:
                  pass
                return "answer \\033[2J"
            class Part(Module):
              __parameters__ = []
              __buffers__ = ["w", ]
              training : bool
              w : Tensor
            """)
                .extra("notes" + CLEAR, ByteBuffer.wrap(new byte[] {1}))
                .data(new PickledObject("__torch__.net.Net", attributes))
                .write(model);
    }

    private static Run shown(int code, Object... words) {
        Run run = Run.of(words);
        assertEquals(code, run.code(), run.err());
        (run.out() + run.err())
                .chars()
                .forEach(c -> assertTrue(
                        c == '\n' || c == '\r' || c == '\t' || !Character.isISOControl(c) && c != '\u202e',
                        run.toString()));
        return run;
    }

    @Test
    void inspectTellsThemByTheirNumbers() throws IOException {
        Run text = shown(0, "inspect", model, "--code");
        assertTrue(text.out().contains("part\\u000a" + SHOWN + "  net.Part"), text.out());
        assertTrue(text.out().contains("extra file notes" + SHOWN + ": 1 bytes"), text.out());
        assertTrue(text.out().contains("# " + SHOWN + " \\u202e\n"), text.out());
        Run json = shown(0, "inspect", model, "--json", "-");
        assertEquals(
                "part\n" + CLEAR,
                new ObjectMapper()
                        .readTree(json.out())
                        .get("modules")
                        .get(1)
                        .get("path")
                        .asText(),
                "which mean the same there");
    }

    @Test
    void whatModelsPrintAnswerAndFailWithIsShown() {
        Run run = shown(0, "run", model, "--input", INPUT);
        assertTrue(run.out().startsWith(SHOWN + "\n") && run.out().contains("answer " + SHOWN), run.out());
        Run failed = shown(1, "run", model, "--input", "float32[2, 2]");
        assertTrue(failed.err().contains("failed " + SHOWN), failed.err());
    }

    @Test
    void namesOfFilesAreShown() throws IOException {
        Path named = Files.copy(model, folder.resolve("a" + CLEAR + ".pt"));
        assertTrue(shown(0, "inspect", named).out().startsWith(named.toString().replace(CLEAR, SHOWN) + ": "));
        assertTrue(shown(1, "run", folder.resolve("no" + CLEAR), "--input", INPUT)
                .err()
                .contains("no" + SHOWN + " does not exist"));
        assertTrue(shown(2, "run", "--no" + CLEAR, named).err().contains("--no" + SHOWN));
    }

    @Test
    void emptyNamesAreNoFolders() {
        for (Object[] words : new Object[][] {
            {"run", ""}, {"inspect", ""}, {"convert", model, "-o", ""}, {"explain", model, "--html="}, {"clib", ""}
        }) {
            Run run = shown(2, words);
            assertTrue(run.err().contains("the name is empty (expected: the name of a file or folder)"), run.err());
        }
        assertEquals(
                "file: the name is empty (expected: the name of a file)",
                shown(1, "inspect", model, "--json=").err().strip());
    }

    @Test
    void whichOfTwoModelsFailedIsSaid() throws IOException {
        Path other = folder.resolve("other.pt");
        TinyNet.write(other, "torch.view(x, [3])");
        Run second = shown(1, "diff", model, other, "--input", INPUT);
        assertTrue(second.err().startsWith(other + ": "), second.err());
        Run first = shown(1, "diff", other, model, "--input", INPUT);
        assertTrue(first.err().startsWith(other + ": "), first.err());
        Run devices = shown(1, "diff", other, "--input", INPUT, "--device", "cpu", "--device", "reference");
        assertTrue(devices.err().startsWith(other + " on device cpu: "), devices.err());
        Run bench = shown(
                1, "bench", "--model=" + model, "--compare=" + other, "--input=" + INPUT, "--warmup=1", "--iter=1");
        assertTrue(bench.err().startsWith(other + ": "), bench.err());
    }
}
