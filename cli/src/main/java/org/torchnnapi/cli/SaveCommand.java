package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.InputText;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.exported.lowering.OpenSizes;
import org.torchnnapi.exported.lowering.ProgramFile;
import org.torchnnapi.exported.lowering.UnwritableProgramException;
import org.torchnnapi.optimizer.QuantizedProgram;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a model again, for another runtime. */
@Command(
        name = "save",
        header = "Writes a model for another PyTorch.",
        mixinStandardHelpOptions = true,
        description = "Writes a model again: for the lite interpreter of a published PyTorch if the output ends in "
                + ".ptl, for torch.export.load of today's if it ends in .pt2, otherwise for torch.jit.load.",
        footer = {
            "",
            "A .pt2 holds forward for inputs of the sizes of an example: those given, or the model's own; with --open,",
            "and of a .pt2 whose sizes are open, for others, too.",
            "",
            "Examples:",
            "  torch-nnapi save net.pt -o net.ptl",
            "  torch-nnapi save net.pt -o net.ptl --target pytorch-1.9",
            "  torch-nnapi save net.pt -o net.ptl --flatbuffer",
            "  torch-nnapi save old.pt -o new.pt              in today's meaning of operators",
            "  torch-nnapi save net.ptl -o net.pt2 --input 'float32[1,3,224,224]'",
            "  torch-nnapi save net.pt -o net.pt2 --method enc -i x.npy --method dec -i y.npy",
            "  torch-nnapi save net.pt -o net.pt2 -i cat.jpg --open 'float32[?,3,?,?]'"
        })
final class SaveCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2, .pt or .ptl file.")
    private Path file;

    @Mixin
    private WrittenModel written;

    @Mixin
    private InputOptions inputOptions;

    @Option(
            names = "--open",
            paramLabel = "SPEC",
            description = "Of a .pt2: type and sizes of a tensor among the inputs, with ? for sizes that are left open "
                    + "(repeatable, in order of the tensors). Default: what a .pt2 leaves open. The sizes of the "
                    + "inputs are those to begin with.")
    private List<String> open = new ArrayList<>();

    @Option(
            names = "--method",
            paramLabel = "NAME",
            description =
                    "Of a .pt2: the method that becomes the program (repeatable: each one of its name; the inputs "
                            + "of the first come first). Default: forward.")
    private List<String> methods = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        boolean isProgram = ModelFile.isProgram(written.output());
        LiteForm lite = isProgram ? null : written.form();
        Path to = new OutputFiles(file).reading(inputOptions.files()).check(written.output());
        if (isProgram) {
            return program(to);
        }
        if (!methods.isEmpty()) {
            throw new CommandFailure("method: " + methods.get(0) + " for " + written.output()
                    + " (expected: an output that ends in .pt2; TorchScript's have all methods)");
        }
        if (!open.isEmpty()) {
            throw new CommandFailure("open: " + open.get(0) + " for " + written.output()
                    + " (expected: an output that ends in .pt2; TorchScript has no sizes)");
        }
        ScriptModule module = ModelFile.read(file, Runtimes.standard());
        ModelFile.archive(QuantizedProgram.writer(module), module.source().extraFiles(), to, lite)
                .write(to);
        System.out.println("wrote " + to + " (" + Files.size(to) + " bytes; the original has " + Files.size(file) + ")"
                + (ModelFile.isLite(to) ? " for " + lite.title() : ""));
        return 0;
    }

    private int program(Path to) throws IOException {
        try (LoadedModel model = ModelFile.load(file, EngineOptions.defaults())) {
            ScriptModule module = model.module();
            List<String> names = methods.isEmpty() ? List.of("forward") : methods;
            List<List<Object>> inputs = inputOptions.read(file, model, names);
            Iterator<String> specs = open.iterator();
            ProgramFile program = null;
            StringJoiner told = new StringJoiner("; ");
            for (int i = 0; i < names.size(); i++) {
                List<Object> given = inputs.get(i);
                OpenSizes sizes = openSizes(module, names.get(i), given, specs);
                String whole = "and those that go together";
                try {
                    program = with(program, module, names.get(i), given, sizes);
                } catch (UnwritableProgramException e) {
                    if (sizes.isEmpty() || !open.isEmpty()) {
                        throw e;
                    }
                    program = with(program, module, names.get(i), given, OpenSizes.NONE);
                    whole = "alone (not for others, as " + e.getMessage() + ")";
                }
                told.add((names.size() == 1 ? "" : names.get(i) + " ") + "for inputs of these sizes "
                        + (sizes.isEmpty() ? "alone" : whole) + ": " + given);
            }
            if (specs.hasNext()) {
                throw new CommandFailure("open: " + specs.next() + " (expected: one for each tensor of the inputs)");
            }
            Map<String, ByteBuffer> extra = module.source().extraFiles();
            for (Map.Entry<String, ByteBuffer> entry : extra.entrySet()) {
                program.extra(entry.getKey(), entry.getValue());
            }
            program.write(to);
            System.out.println("wrote " + to + " (" + Files.size(to) + " bytes; the original has " + Files.size(file)
                    + ") for torch.export.load of PyTorch 2.8 and later, " + told
                    + (program.quantized().isEmpty()
                            ? ""
                            : "; integers of " + String.join(", of ", program.quantized()))
                    + (program.imports().isEmpty() ? "" : "; import " + program.imports() + " before it is loaded"));
        }
        return 0;
    }

    /** A file of a method, or of one more. */
    private static ProgramFile with(
            ProgramFile file, ScriptModule module, String method, List<Object> inputs, OpenSizes sizes) {
        try (Progress progress = new Progress()) {
            return progress.during(
                    "running " + method,
                    () -> file == null
                            ? ProgramFile.of(module, method, inputs, sizes)
                            : file.and(module, method, inputs, sizes));
        }
    }

    /** What is asked for, or left open in the file. */
    private OpenSizes openSizes(ScriptModule module, String method, List<Object> inputs, Iterator<String> specs) {
        if (!open.isEmpty()) {
            List<int[]> shapes = new ArrayList<>();
            for (int left = OpenSizes.count(inputs); left > 0 && specs.hasNext(); left--) {
                shapes.add(InputText.parse(specs.next()).shape());
            }
            return OpenSizes.of(shapes);
        }
        DeclaredInputs declared = module.declaredInputs(method);
        return declared == null ? OpenSizes.NONE : OpenSizes.declared(declared);
    }
}
