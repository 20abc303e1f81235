package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.converter.ConversionMode;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Quantizing and comparing as a user types them, over the digits sample. */
class QuantizeCommandTest {
    private static final Path DIGITS = Path.of("..", "samples", "digits");
    private static final Path MODEL = DIGITS.resolve("digits-cpu.pt");

    @TempDir
    private Path folder;

    /** Images as the sample prepares them. */
    private Path images(int count) throws IOException {
        Tensor images = Npy.read(DIGITS.resolve("digits-test-images.npy"));
        float[] values = new float[count * 3 * 32 * 32];
        for (int i = 0; i < values.length; i++) {
            int image = i / 3072;
            values[i] = images.getLong(image * 64L + i / 128 % 8 * 8 + i % 32 / 4) / 8f - 1;
        }
        Path file = folder.resolve("images" + count + ".npy");
        Npy.write(file, Tensor.of(values, count, 3, 32, 32));
        return file;
    }

    @Test
    void quantizesConvertsAndComparesTheDigits() throws IOException {
        Path made = folder.resolve("q.pt");
        Run run = Run.of("quantize", MODEL, "--calibrate", images(20), "-o", made, "--mode", "core");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("quantized 21 layers on 20 inputs"), run.out());
        assertTrue(run.out().contains("the same largest column in 16 of 16 rows"), run.out());
        assertTrue(Files.size(made) < Files.size(MODEL) / 4, run.out());
        Path converted = folder.resolve("q-nnapi.pt");
        assertTrue(Files.exists(converted));
        Path input = images(1);
        for (Path other : new Path[] {made, converted}) {
            Run diff = Run.of("diff", MODEL, other, "--input", input);
            assertEquals(0, diff.code(), diff.out() + diff.err());
            assertTrue(diff.out().contains("22 layers in common, of 22 and 22"), diff.out());
            assertTrue(diff.out().contains("no layer is below 15 dB"), diff.out());
        }
        Run devices = Run.of("diff", converted, "--device", "cpu", "--device", "reference", "--input", input);
        assertEquals(0, devices.code(), devices.out() + devices.err());
        assertTrue(devices.out().contains("CONV_2D #1 (NNAPI)"), devices.out());
        List<String> names = devices.out()
                .lines()
                .filter(line -> line.contains(" (NNAPI) "))
                .map(line -> line.replaceAll(" \\(NNAPI\\).*", ""))
                .toList();
        assertEquals(names.stream().distinct().toList(), names, "a name says one layer");
        Run quantized = Run.of("diff", made, converted, "--input", input, "--cut", folder.resolve("none.pt"));
        names = quantized
                .out()
                .lines()
                .filter(line -> line.matches("(conv2d|linear|add)[a-z_0-9]* #.*"))
                .map(line -> line.replaceAll("  .*", ""))
                .toList();
        assertTrue(names.size() > 10, quantized.out());
        assertEquals(names.stream().distinct().toList(), names, "a name says one layer");
        assertTrue(quantized.out().contains("not written: " + folder.resolve("none.pt")), quantized.out());
    }

    @Test
    void quantizedDigitsAreRecognisedAsWellToAPercent() throws IOException {
        Path made = folder.resolve("q.pt");
        assertEquals(
                0,
                Run.of("quantize", MODEL, "--calibrate", images(64), "-o", made, "--mode", "core")
                        .code());
        double real = accuracy(MODEL);
        assertTrue(real > 0.98, "float: " + real);
        for (Path file : new Path[] {made, folder.resolve("q-nnapi.pt")}) {
            assertTrue(accuracy(file) >= real - 0.01, file + ": " + accuracy(file) + ", float " + real);
        }
    }

    private double accuracy(Path file) throws IOException {
        Tensor labels = Npy.read(DIGITS.resolve("digits-test-labels.npy"));
        Tensor images = Npy.read(images(labels.size(0)));
        int right = 0;
        try (LoadedModel model = LoadedModel.load(file, EngineOptions.defaults())) {
            for (int i = 0; i < labels.size(0); i++) {
                float[] image = new float[3072];
                for (int j = 0; j < image.length; j++) {
                    image[j] = (float) images.getDouble(i * 3072L + j);
                }
                Tensor scores = (Tensor) model.call("forward", Tensor.of(image, 1, 3, 32, 32));
                int best = 0;
                for (int c = 1; c < 10; c++) {
                    best = scores.getDouble(c) > scores.getDouble(best) ? c : best;
                }
                right += best == labels.getLong(i) ? 1 : 0;
            }
        }
        return (double) right / labels.size(0);
    }

    @Test
    void imagesOfAsManyChannelsAsRowsAreComparedInTheOrderTheyLieIn() {
        Path core = DIGITS.resolve("digits-core.pt");
        Path converted = folder.resolve("core-nnapi.pt");
        assertEquals(
                0, Run.of("convert", core, "--mode", "core", "-o", converted).code());
        Run diff = Run.of("diff", core, converted);
        assertEquals(0, diff.code(), diff.out() + diff.err());
        assertTrue(diff.out().contains("no layer is below 80 dB"), diff.out());
        assertEquals(
                23,
                diff.out()
                        .lines()
                        .filter(line -> line.matches(".* exact +0\\.00 .*"))
                        .count(),
                diff.out());
        Run back = Run.of("diff", converted, core);
        assertEquals(0, back.code(), back.out() + back.err());
    }

    @Test
    void aModelWithoutInputsIsNamed() {
        Path model = DIGITS.resolve("digits-cpu.pt");
        Run diff = Run.of("diff", model, DIGITS.resolve("digits-none.pt"));
        assertTrue(
                diff.err().startsWith("inputs: none, and none are bundled in " + model + " (expected: --input VALUE, "),
                diff.err());
    }

    @Test
    void theFirstLayerPastTheBoundIsCutOut() throws IOException {
        Path made = folder.resolve("q.pt");
        assertEquals(
                0,
                Run.of("quantize", MODEL, "--calibrate", images(1), "-o", made).code());
        Path cut = folder.resolve("cut.pt");
        Run diff = Run.of("diff", MODEL, made, "--input", images(1), "--bound", "500", "--cut", cut);
        assertEquals(1, diff.code());
        assertTrue(diff.out().contains("first layer below 500 dB: stem.0 (aten::_convolution)"), diff.out());
        Run again = Run.of("run", cut, "--input", folder.resolve("cut.pt0.npy"));
        assertEquals(0, again.code(), again.err());
        assertTrue(again.out().startsWith("Tensor([1, 16, 16, 16], dtype=torch.float32)"), again.out());
    }

    @Test
    void modelsWithNothingInCommonAreNotCompared() throws IOException {
        Path cut = folder.resolve("cut.pt");
        Path made = folder.resolve("q.pt");
        assertEquals(
                0,
                Run.of("quantize", MODEL, "--calibrate", images(1), "-o", made).code());
        Run.of("diff", MODEL, made, "--input", images(1), "--bound", "500", "--cut", cut);
        Run diff = Run.of("diff", MODEL, cut, "--input", images(1));
        assertEquals(1, diff.code());
        assertTrue(diff.err().startsWith("models: "), diff.err());
        assertTrue(diff.err().contains("(expected: two files of one model)"), diff.err());
        assertTrue(Run.of("diff", MODEL, "--input", images(1)).err().startsWith("device: []"));
    }

    @Test
    void anExecutionIsRecordedAndReplayed() throws IOException {
        Path record = folder.resolve("run.pt");
        Path model = DIGITS.resolve("digits-core.pt");
        Run recorded = Run.of("record", model, "--bundled", "0", "-o", record);
        assertEquals(0, recorded.code(), recorded.err());
        Run same = Run.of("replay", record, model);
        assertEquals(0, same.code(), same.err());
        assertTrue(
                same.out()
                        .startsWith(
                                "model: the recorded one" + System.lineSeparator() + "output 0: signal to noise exact"),
                same.out());
        Run other = Run.of("replay", record, DIGITS.resolve("digits-none.pt"));
        assertEquals(1, other.code());
        assertTrue(other.out().startsWith("model: another file than the recorded digits-core.pt"), other.out());
        Path converted = DigitsFiles.converted(folder);
        Path nnapiRecord = folder.resolve("nnapi-run.pt");
        assertEquals(
                0,
                Run.of("record", converted, "--bundled", "0", "-o", nnapiRecord).code());
        Run elsewhere = Run.of("replay", nnapiRecord, converted, "--device", "reference");
        assertEquals(0, elsewhere.code(), elsewhere.err());
        assertTrue(elsewhere.out().contains("placement: 23 of 23 operations differ"), elsewhere.out());
        assertTrue(elsewhere.out().contains("  12 x CONV_2D on reference, recorded CONV_2D on cpu"), elsewhere.out());
        assertEquals(
                6, elsewhere.out().lines().filter(line -> line.contains(" x ")).count(), elsewhere.out());
        Run none = Run.of("replay", model, model);
        assertEquals(1, none.code());
        assertTrue(none.err().startsWith("record: "), none.err());
    }

    private void refused(String message, Object... options) {
        Object[] words = new Object[options.length + 4];
        words[0] = "quantize";
        words[1] = MODEL;
        words[2] = "-o";
        words[3] = folder.resolve("refused.pt");
        System.arraycopy(options, 0, words, 4, options.length);
        Run run = Run.of(words);
        assertEquals(1, run.code());
        assertTrue(run.err().startsWith(message), run.err());
        assertEquals(1, run.err().strip().lines().count(), run.err());
        assertFalse(Files.exists(folder.resolve("refused.pt")));
    }

    @Test
    void badCalibrationIsOneError() throws IOException {
        refused("calibrate: nothing");
        refused("calibrate: bundled, but the model has no bundled inputs", "--calibrate", "bundled");
        Path wrong = folder.resolve("wrong.npy");
        Npy.write(wrong, Tensor.of(new float[12], 1, 1, 3, 4));
        refused("calibration input " + wrong + " row 0: the model fails on it", "--calibrate", wrong);
        refused(
                "calibration input " + wrong + " row 0: Tensor([1, 1, 3, 4]",
                "--calibrate",
                images(1),
                "--calibrate",
                wrong);
        float[] nan = new float[3072];
        nan[7] = Float.NaN;
        Path bad = folder.resolve("nan.npy");
        Npy.write(bad, Tensor.of(nan, 1, 3, 32, 32));
        refused("calibration input " + bad + " row 0: holds NaN", "--calibrate", bad);
        refused("keep float: nowhere* matches nothing", "--calibrate", images(1), "--keep-float", "nowhere*");
        refused("budget: Infinity", "--calibrate", images(1), "--budget", "Infinity");
        refused("batch: 0", "--calibrate", images(1), "--batch", "0");
        refused("mode: core, but no input says for which shapes (expected: --calibrate", "--dynamic", "--mode", "core");
        refused("budget: 20.0 (expected: not with dynamic quantization", "--dynamic", "--budget", "20");
        refused("observer: HISTOGRAM (expected: not with dynamic quantization", "--dynamic", "--observer", "histogram");
        refused("equalize: true (expected: not with dynamic quantization", "--dynamic", "--equalize");
        refused("correct bias: true (expected: not with dynamic quantization", "--dynamic", "--correct-bias");
    }

    @Test
    void dynamicLayersHaveNoListOfLosses() throws IOException {
        Run run = Run.of("quantize", MODEL, "--dynamic", "--calibrate", images(1), "-o", folder.resolve("q.pt"));
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out()
                        .startsWith(
                                "quantized 1 layer on 1 input\n  beside the float model on 1 input: signal to noise "),
                run.out());
        assertFalse(run.out().contains("where most is lost"), run.out());
    }

    @ParameterizedTest
    @EnumSource(ConversionMode.class)
    void scalesOfChannelsConvertInEveryMode(ConversionMode mode) throws IOException {
        Path made = folder.resolve("q.pt");
        Run run = Run.of(
                "quantize",
                MODEL,
                "--calibrate",
                images(20),
                "-o",
                made,
                "--per-channel",
                "--mode",
                mode.name().toLowerCase(Locale.ROOT));
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("18 layers with a scale a channel multiply real numbers"), run.out());
        assertTrue(run.out().contains("self-check passed"), run.out());
        assertTrue(Files.exists(folder.resolve("q-nnapi.pt")));
    }

    @Test
    void bothFilesAreForTheLiteInterpreterWhereTheirNamesSaySo() throws IOException {
        Path made = folder.resolve("q.ptl");
        Run run = Run.of("quantize", MODEL, "--calibrate", images(2), "-o", made, "--mode", "none");
        assertEquals(0, run.code(), run.err());
        for (Path file : new Path[] {made, folder.resolve("q-nnapi.ptl")}) {
            assertTrue(TorchScriptArchive.open(file).hasBytecode(), file::toString);
        }
    }

    @Test
    void modelsOfSeveralArgumentsAreCalibratedOnFoldersOrArchives() throws IOException {
        Path folders = Files.createDirectory(folder.resolve("calls"));
        Path archives = Files.createDirectory(folder.resolve("archives"));
        Files.writeString(archives.resolve("broken.npz"), "no archive");
        for (int i = 0; i < 3; i++) {
            Path call = Files.createDirectory(folders.resolve("call" + i));
            Npy.write(call.resolve("a.npy"), Tensor.of(new float[] {i, 1, -2}, 1, 3));
            Npy.write(call.resolve("b.npy"), Tensor.of(new float[] {2, -i, 0.5f}, 1, 3));
            try (ZipOutputStream archive = new ZipOutputStream(Files.newOutputStream(archives.resolve(i + ".npz")))) {
                for (String name : new String[] {"a.npy", "b.npy"}) {
                    archive.putNextEntry(new ZipEntry(name));
                    Files.copy(call.resolve(name), archive);
                }
            }
        }
        Path model = folder.resolve("two.pt");
        try (OutputStream out = Files.newOutputStream(model)) {
            PickledDict weights = new PickledDict(null)
                    .put("v", Tensor.of(new float[] {1, -1, 0.5f, 2, 0, 0.25f}, 2, 3))
                    .put("w", Tensor.of(new float[] {-1, 1, 3, 0, 1, 2}, 2, 3));
            new ArchiveWriter("two", 3)
                    .data(new PickledObject("__torch__.m.Two", weights))
                    .source("code/__torch__/m.py", """
                class Two(Module):
                  v : Tensor
                  w : Tensor
                  def forward(self: __torch__.m.Two,
                    a: Tensor,
                    b: Tensor) -> Tensor:
                    return torch.add(torch.linear(a, self.v), torch.linear(b, self.w))
                """)
                    .write(out);
        }
        List<byte[]> models = new ArrayList<>();
        for (Path inputs : new Path[] {folders, archives}) {
            Path made = folder.resolve("two-inputs.pt");
            Run run = Run.of("quantize", model, "--calibrate", inputs, "-o", made);
            assertEquals(0, run.code(), run.err());
            assertTrue(run.out().startsWith("quantized 3 layers on 3 inputs"), run.out());
            assertEquals(inputs == archives, run.out().contains("1 file skipped:"), run.out());
            models.add(Files.readAllBytes(made));
        }
        assertArrayEquals(models.get(0), models.get(1));
    }

    /** One layer between operators that NNAPI lacks is not worth a start of it. */
    @Test
    void quantizedModelIsWrittenWhereNothingConverts() throws IOException {
        Path model = folder.resolve("gamma.pt");
        try (OutputStream out = Files.newOutputStream(model)) {
            new ArchiveWriter("gamma", 3)
                    .data(new PickledObject(
                            "__torch__.m.Gamma",
                            new PickledDict(null).put("v", Tensor.of(new float[] {1, -1, 0.5f, 2, 0, 0.25f}, 2, 3))))
                    .source("code/__torch__/m.py", """
                class Gamma(Module):
                  v : Tensor
                  def forward(self: __torch__.m.Gamma,
                    x: Tensor) -> Tensor:
                    return torch.lgamma(torch.linear(torch.lgamma(x), self.v))
                """)
                    .write(out);
        }
        Path inputs = folder.resolve("x.npy");
        Npy.write(inputs, Tensor.of(new float[] {3, 4, 5, 6, 7, 8}, 2, 3));
        Path made = folder.resolve("q.pt");
        Run run = Run.of("quantize", model, "--calibrate", inputs, "-o", made, "--mode", "core");
        assertEquals(1, run.code(), run.out());
        assertTrue(run.out().contains("wrote " + made), run.out());
        assertTrue(Files.size(made) > 0);
        assertFalse(Files.exists(folder.resolve("q-nnapi.pt")));
    }

    @Test
    void unreadablePicturesAreSkippedAndCounted() throws IOException {
        Path pictures = Files.createDirectory(folder.resolve("pictures"));
        Files.writeString(pictures.resolve("a.jpg"), "no picture");
        refused(
                "calibration inputs: none in [" + pictures + "], where 1 file cannot be read: ",
                "--calibrate",
                pictures);
        refused("file: " + folder.resolve("nowhere") + " does not exist", "--calibrate", folder.resolve("nowhere"));
        ImageIO.write(
                new BufferedImage(40, 50, BufferedImage.TYPE_INT_RGB),
                "png",
                pictures.resolve("b.png").toFile());
        Run run = Run.of(
                "quantize", MODEL, "--calibrate", pictures, "--image-size", "32x32", "-o", folder.resolve("q.pt"));
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("1 file skipped:"), run.out());
        assertTrue(run.out().contains("calibrated on 1 input only"), run.out());
    }
}
