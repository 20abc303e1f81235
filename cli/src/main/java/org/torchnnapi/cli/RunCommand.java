package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.TextFile;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.cli.io.ValueJson;
import org.torchnnapi.cli.io.ValuePrinter;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a model once. */
@Command(name = "run", mixinStandardHelpOptions = true, description = "Runs an ordinary or converted model and shows what it answers.",
    footer = {"", "Examples:",
        "  torch-nnapi run net.pt --input cat.jpg --top 5 --labels imagenet.txt",
        "  torch-nnapi run net-nnapi.pt --input x.npy --output out --placement",
        "  torch-nnapi run net.pt --input 'float32[1,3,224,224]'"})
final class RunCommand implements Callable<Integer> {
    @Mixin
    private ModelOptions modelOptions;

    @Option(names = {"-o", "--output"}, paramLabel = "PREFIX", description = "Write output tensors to PREFIX0.npy, PREFIX1.npy, ...")
    private String output;

    @Option(names = "--top", paramLabel = "K", description = "Show the K best classes of each picture, where the first output holds scores of classes.")
    private Integer top;

    @Option(names = "--labels", paramLabel = "FILE", description = "Names of the classes, one a line, for --top.")
    private Path labels;

    @Option(names = "--placement", description = "Show which device ran each NNAPI operation, and why.")
    private boolean placement;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the answer as JSON, every element of it; - for standard output, in place of the text.")
    private String json;

    @Override
    public Integer call() throws IOException {
        ModelOptions.requireTop(top);
        OutputFiles checked = modelOptions.outputs().reading(labels == null ? List.of() : List.of(labels));
        checked.checkUnlessStandard(json);
        if (output != null) {
            checked.check(Path.of(output + "0.npy"));
        }
        try (LoadedModel model = modelOptions.load()) {
            Object result = modelOptions.call(model, modelOptions.inputs(model));
            List<Tensor> tensors = new ArrayList<>();
            collect(result, tensors);
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
        if (tensors.isEmpty()) {
            throw new CommandFailure("output: no tensor (expected: a tensor of scores for --top)");
        }
        List<String> names = labels == null ? List.of() : TextFile.read(labels).lines().toList();
        Tensor scores = tensors.get(0);
        int rank = scores.sizes().length;
        if (rank < 1 || rank > 2 || scores.numel() == 0) {
            throw new CommandFailure("output: " + scores + " (expected: scores of classes for --top, such as [1, 1000])");
        }
        int pictures = rank == 1 ? 1 : scores.size(0);
        int classes = scores.size(-1);
        for (int picture = 0; picture < pictures; picture++) {
            int first = picture * classes;
            int[] best = IntStream.range(0, classes).boxed().sorted((a, b) -> Double.compare(scores.getDouble(first + b), scores.getDouble(first + a)))
                .limit(top).mapToInt(Integer::intValue).toArray();
            TextTable table = new TextTable("class", "score", "label");
            for (int index : best) {
                double value = scores.getDouble(first + index);
                if (scores.quantization() instanceof Quantization.PerTensor q) {
                    value = (value - q.zeroPoint()) * q.scale();
                }
                table.row(index, ValuePrinter.number(value), index < names.size() ? names.get(index) : "");
            }
            System.out.print((pictures > 1 ? (picture > 0 ? "\n" : "") + "picture " + picture + "\n" : "") + table);
        }
    }

    private static void collect(Object value, List<Tensor> tensors) {
        if (value instanceof Tensor tensor) {
            tensors.add(tensor);
        } else if (value instanceof ScriptTuple tuple) {
            tuple.items().forEach(item -> collect(item, tensors));
        } else if (value instanceof ScriptList list) {
            list.items().forEach(item -> collect(item, tensors));
        } else if (value instanceof ScriptDict dict) {
            dict.items().values().forEach(item -> collect(item, tensors));
        }
    }
}
