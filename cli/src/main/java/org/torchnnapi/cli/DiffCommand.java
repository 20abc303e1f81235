package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.torchnnapi.cli.io.Bundled;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.differ.CutLayer;
import org.torchnnapi.differ.LayerDifference;
import org.torchnnapi.differ.ModelDifference;
import org.torchnnapi.differ.RecordedRun;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.page.ModelPage;
import org.torchnnapi.quantizer.QuantizationReport;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares two files of one model, or one file on two devices, layer by layer. */
@Command(
        name = "diff",
        header = "Compares two files, or two devices, layer by layer.",
        mixinStandardHelpOptions = true,
        description =
                "Runs two files of one model, or one file on two devices, on the same inputs and compares them layer "
                        + "by layer.",
        footer = {
            "",
            "Layers are matched by operator, line of source, module and shape; operations of NNAPI parts are among "
                    + "them.",
            "",
            "Examples:",
            "  torch-nnapi diff net.pt net-quantized.pt --input x.npy",
            "  torch-nnapi diff net.pt net-nnapi.pt --bundled 0 --cut layer.pt",
            "  torch-nnapi diff net.pt net-quantized.pt --bundled 0 --html differences.html",
            "  torch-nnapi diff net-nnapi.pt --device cpu --device reference"
        })
final class DiffCommand implements Callable<Integer> {
    /** Of operators, whose names tell enough without; a table is to fit a terminal. */
    private static final Pattern NAMESPACE = Pattern.compile("\\b[a-z_]+::");

    private static final double FLOAT_BOUND = 80;
    private static final double QUANTIZED_BOUND = 15;

    @Parameters(index = "0", paramLabel = "A", description = "A .pt2, .pt or .ptl file.")
    private Path first;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "B",
            description = "Another file of the same model. Default: the same file, for two devices.")
    private Path second;

    @Mixin
    private InputOptions inputOptions;

    @Option(
            names = "--device",
            paramLabel = "NAME",
            description = "Device for A's NNAPI parts, and given again for B's; see the devices command.")
    private List<String> devices = new ArrayList<>();

    @Option(
            names = "--bound",
            paramLabel = "DB",
            description =
                    "Signal to noise in decibels below which a layer counts as wrong. Default: 80, or 15 where one "
                            + "of the models is quantized.")
    private Double bound;

    @Option(
            names = "--cut",
            paramLabel = "FILE",
            description =
                    "Writes the first layer past the bound, an operator or an NNAPI operation of A, as a model of "
                            + "its own, with A's inputs to it in FILE0.npy, ...")
    private Path cut;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also writes the differences as JSON; - for standard output, in place of the text.")
    private String json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also writes a page: A's graph, colored by how its layers differ.")
    private Path html;

    @Override
    public Integer call() throws IOException {
        Path other = second == null ? first : second;
        if (devices.size() > 2 || second == null && devices.size() != 2) {
            throw new CommandFailure(
                    "device: " + devices + " (expected: two devices for one file, at most two for two)");
        }
        List<Path> read = new ArrayList<>(inputOptions.files());
        read.add(other);
        OutputFiles outputs = new OutputFiles(first).reading(read);
        outputs.checkUnlessStandard(json);
        for (Path file : new Path[] {cut, html}) {
            if (file != null) {
                outputs.check(file);
            }
        }
        List<Object> inputs = inputs(other);
        RecordedRun a = new RecordedRun();
        RecordedRun b = new RecordedRun();
        try (LoadedModel one = load(first, 0, a);
                LoadedModel two = load(other, devices.size() - 1, b)) {
            ModelDifference difference = ModelDifference.of(
                    CommandFailure.naming(subject(first, 0), () -> a.run(one, suited(inputs, one))),
                    CommandFailure.naming(subject(other, devices.size() - 1), () -> b.run(two, suited(inputs, two))));
            double least = bound != null ? bound : isQuantized(difference) ? QUANTIZED_BOUND : FLOAT_BOUND;
            LayerDifference wrong = difference.firstBelow(least);
            if (json != null) {
                OutputFiles.writeJson(map(difference, least, wrong), json);
            }
            if (!OutputFiles.STANDARD.equals(json)) {
                show(difference, least, wrong);
            }
            if (html != null) {
                ModelPage.of(
                                first.getFileName() + " beside " + other.getFileName(),
                                one,
                                "forward",
                                suited(inputs, one))
                        .differences(difference.layers())
                        .write(html);
                told("wrote " + html + " (" + Files.size(html) + " bytes)");
            }
            if (cut != null && wrong == null) {
                told("not written: " + cut + ", as there is no such layer");
            } else if (cut != null) {
                write(CutLayer.of(wrong.first(), one.module().interpreter()), outputs);
            }
            return wrong == null && difference.results().stream().allMatch(result -> result.decibels() >= least)
                    ? 0
                    : 1;
        }
    }

    /** Read with models of their own: whether they take the inputs is tried, and the others' runs are recorded. */
    private List<Object> inputs(Path other) throws IOException {
        try (LoadedModel one = ModelFile.load(first, EngineOptions.defaults());
                LoadedModel two = ModelFile.load(other, EngineOptions.defaults())) {
            return inputOptions.read(first, one, "forward", two);
        }
    }

    /** A file may be compared with itself, on another device. */
    private String subject(Path file, int device) {
        return device >= 0 && device < devices.size() ? file + " on device " + devices.get(device) : file.toString();
    }

    private LoadedModel load(Path file, int device, RecordedRun recording) throws IOException {
        EngineOptions options = EngineOptions.defaults().withObserver(recording).withSpecialise(false);
        if (device >= 0 && device < devices.size()) {
            options.devices().find(devices.get(device));
            options = options.withOnly(List.of(devices.get(device)));
        }
        return ModelFile.load(file, options);
    }

    /** A file whose bundled inputs are quantized is given quantized inputs. */
    private static List<Object> suited(List<Object> inputs, LoadedModel model) {
        List<Object> like = Bundled.has(model, "forward") ? Bundled.inputs(model, "forward", 0) : List.of();
        List<Object> suited = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            Object input = inputs.get(i);
            boolean quantize = i < like.size()
                    && like.get(i) instanceof Tensor example
                    && example.dtype() == DType.QUINT8
                    && example.quantization() instanceof Quantization.PerTensor
                    && input instanceof Tensor given
                    && given.dtype() == DType.FLOAT32;
            if (quantize) {
                Quantization.PerTensor q = (Quantization.PerTensor) ((Tensor) like.get(i)).quantization();
                input = TensorQuantizer.toQuint8((Tensor) input, q.scale(), q.zeroPoint());
            }
            suited.add(input);
        }
        return suited;
    }

    private static boolean isQuantized(ModelDifference difference) {
        return difference.layers().stream()
                .anyMatch(layer -> layer.first().value().dtype().isQuantized()
                        != layer.second().value().dtype().isQuantized());
    }

    private static void show(ModelDifference difference, double least, LayerDifference wrong) {
        List<LayerDifference> all = new ArrayList<>(difference.layers());
        all.addAll(difference.results());
        boolean ulps = all.stream().anyMatch(layer -> !Double.isNaN(layer.ulps()));
        boolean quanta = all.stream().anyMatch(layer -> !Double.isNaN(layer.quanta()));
        List<String> header = new ArrayList<>(List.of("layer", "other", "S/N", "largest"));
        if (ulps) {
            header.add("ulps");
        }
        if (quanta) {
            header.add("quanta");
        }
        TextTable table = new TextTable(header.toArray(new String[0]));
        all.forEach(layer -> row(table, layer, ulps, quanta));
        System.out.print(table);
        System.out.printf(
                Locale.ROOT,
                "%d layers in common, of %d and %d%n",
                difference.layers().size(),
                difference.firstSteps(),
                difference.secondSteps());
        System.out.println(
                wrong == null
                        ? String.format(Locale.ROOT, "no layer is below %.0f dB", least)
                        : String.format(
                                Locale.ROOT,
                                "first layer below %.0f dB: %s",
                                least,
                                wrong.first().name()));
    }

    private static void row(TextTable table, LayerDifference layer, boolean ulps, boolean quanta) {
        List<Object> cells = new ArrayList<>(List.of(
                NAMESPACE.matcher(layer.first().name()).replaceAll(""),
                layer.second().operator().equals(layer.first().operator())
                        ? ""
                        : NAMESPACE.matcher(layer.second().operator()).replaceAll(""),
                QuantizationReport.decibels(layer.decibels()),
                String.format(Locale.ROOT, "%.3g", layer.largest())));
        if (ulps) {
            cells.add(Double.isNaN(layer.ulps()) ? "-" : String.format(Locale.ROOT, "%.0f", layer.ulps()));
        }
        if (quanta) {
            cells.add(Double.isNaN(layer.quanta()) ? "-" : String.format(Locale.ROOT, "%.2f", layer.quanta()));
        }
        table.row(cells.toArray());
    }

    private static Map<String, Object> map(ModelDifference difference, double least, LayerDifference wrong) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("bound", least);
        map.put("firstPastBound", wrong == null ? null : wrong.first().name());
        map.put("layers", difference.layers().stream().map(DiffCommand::entry).toList());
        map.put("results", difference.results().stream().map(DiffCommand::entry).toList());
        return map;
    }

    private static Map<String, Object> entry(LayerDifference layer) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", layer.first().name());
        map.put("first", layer.first().operator());
        map.put("second", layer.second().operator());
        map.put("decibels", Double.isFinite(layer.decibels()) ? layer.decibels() : null);
        map.put("largest", Double.isFinite(layer.largest()) ? layer.largest() : null);
        map.put("ulps", Double.isFinite(layer.ulps()) ? layer.ulps() : null);
        map.put("quanta", Double.isFinite(layer.quanta()) ? layer.quanta() : null);
        return map;
    }

    private void write(CutLayer layer, OutputFiles outputs) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < layer.inputs().size(); i++) {
            files.add(outputs.check(Path.of(cut + String.valueOf(i) + ".npy")));
        }
        layer.archive().apply("cut").write(cut);
        told("wrote " + cut + " (" + Files.size(cut) + " bytes)");
        for (int i = 0; i < files.size(); i++) {
            Npy.write(files.get(i), layer.inputs().get(i));
            told("wrote " + files.get(i) + " " + layer.inputs().get(i));
        }
    }

    private void told(String line) {
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.println(line);
        }
    }
}
