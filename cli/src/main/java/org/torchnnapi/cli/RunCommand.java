package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.torchnnapi.api.ClassScores;
import org.torchnnapi.api.ScoredClass;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.cli.io.TextFile;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.cli.io.ValueJson;
import org.torchnnapi.cli.io.ValuePrinter;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.support.Structures;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a model once. */
@Command(
        name = "run",
        header = "Runs a model and shows what it answers.",
        mixinStandardHelpOptions = true,
        description = "Runs an ordinary or converted model and shows what it answers. With a folder of pictures as its "
                + "input it does so for each; of those in folders called after classes it counts what is right.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi run net.pt --input cat.jpg --top 5 --labels imagenet.txt",
            "  torch-nnapi run net.pt --input pictures/ --labels imagenet.txt",
            "  torch-nnapi run net-nnapi.pt --input x.npy --output out --placement",
            "  torch-nnapi run net.pt --input 'float32[1,3,224,224]'"
        })
final class RunCommand implements Callable<Integer> {
    @Mixin
    private ModelOptions modelOptions;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PREFIX",
            description = "Write output tensors to PREFIX0.npy, PREFIX1.npy, ...")
    private String output;

    @Option(
            names = "--top",
            paramLabel = "K",
            description = "Show the K best classes of each picture, where the first output holds scores of classes.")
    private Integer top;

    @Option(names = "--labels", paramLabel = "FILE", description = "Names of the classes, one a line, for --top.")
    private Path labels;

    @Option(names = "--placement", description = "Show which device ran each NNAPI operation, and why.")
    private boolean placement;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description =
                    "Also writes the answer as JSON, every element of it; - for standard output, in place of the text.")
    private String json;

    @Override
    public Integer call() throws IOException {
        ModelOptions.requireTop(top);
        OutputFiles checked = modelOptions.outputs().reading(labels == null ? List.of() : List.of(labels));
        checked.checkUnlessStandard(json);
        if (output != null) {
            checked.check(Path.of(output + "0.npy"));
        }
        Path folder = modelOptions.folder();
        if (folder != null && (output != null || placement)) {
            throw new CommandFailure(
                    "input: " + folder + ", a folder (expected: one picture with --output and --placement)");
        }
        try (LoadedModel model = modelOptions.load()) {
            if (folder != null) {
                runAll(model, folder);
                return 0;
            }
            Object result = modelOptions.call(model, modelOptions.inputs(model));
            List<Tensor> tensors = Structures.tensors(Collections.singletonList(result));
            if (json != null) {
                OutputFiles.writeJson(ValueJson.of(result), json);
            }
            boolean isText = !OutputFiles.STANDARD.equals(json);
            if (isText && top != null) {
                showTop(tensors);
            } else if (isText) {
                System.out.println(ValuePrinter.of(result));
            }
            if (output != null) {
                for (int i = 1; i < tensors.size(); i++) {
                    checked.check(Path.of(output + i + ".npy"));
                }
                for (int i = 0; i < tensors.size(); i++) {
                    Path target = Path.of(output + i + ".npy");
                    Npy.write(target, tensors.get(i));
                    if (isText) {
                        System.out.println("wrote " + target + " " + tensors.get(i));
                    }
                }
            }
            if (isText && placement) {
                List<Placement> placements = model.placements();
                System.out.print(placements.isEmpty() ? "no NNAPI part: everything ran on the interpreter\n" : "");
                placements.forEach(p -> System.out.print(p.toText()));
            }
        }
        return 0;
    }

    private void showTop(List<Tensor> tensors) throws IOException {
        ClassScores scores = new ClassScores(scores(tensors)).withLabels(names());
        for (int picture = 0; picture < scores.pictures(); picture++) {
            TextTable table = new TextTable("class", "score", "label");
            for (ScoredClass scored : scores.top(picture, top)) {
                table.row(scored.number(), ValuePrinter.number(scored.score()), scored.label());
            }
            System.out.print(
                    (scores.pictures() > 1 ? (picture > 0 ? "\n" : "") + "picture " + picture + "\n" : "") + table);
        }
    }

    /** Runs on each picture of a folder by itself. */
    private void runAll(LoadedModel model, Path folder) throws IOException {
        PictureFolder pictures = new PictureFolder(folder, names(), top == null ? 1 : top)
                .run(
                        modelOptions.images(model),
                        picture -> scores(Structures.tensors(
                                Collections.singletonList(modelOptions.call(model, List.of(picture))))));
        if (json != null) {
            OutputFiles.writeJson(pictures.json(), json);
        }
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.print(pictures.text());
        }
        pictures.damaged().forEach(line -> System.err.println("left out: " + ShownText.line(line)));
    }

    private static Tensor scores(List<Tensor> tensors) {
        if (tensors.isEmpty()) {
            throw new CommandFailure("output: no tensor (expected: a tensor of scores)");
        }
        return tensors.get(0);
    }

    private List<String> names() throws IOException {
        return labels == null ? List.of() : TextFile.read(labels).lines().toList();
    }
}
