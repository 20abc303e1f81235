package org.torchnnapi.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.engine.ModelException;
import org.torchnnapi.engine.ModelSignature;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.engine.ValueInfo;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.page.ModelPage;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.archive.FileOrigin;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteCompatibility;
import org.torchnnapi.torchscript.format.ArchiveException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what is in a TorchScript file, and the NNAPI model of a converted one. */
@Command(
        name = "inspect",
        header = "Shows what is in a file, without running it.",
        mixinStandardHelpOptions = true,
        description = "Shows what is in a TorchScript file without running it.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi inspect net.pt",
            "  torch-nnapi inspect net-nnapi.pt     also disassembles the NNAPI model",
            "  torch-nnapi inspect net.pt --code",
            "  torch-nnapi inspect net.pt --json -",
            "  torch-nnapi inspect net.pt --html net.html"
        })
public final class InspectCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2, .pt or .ptl file.")
    private Path file;

    @Option(names = "--code", description = "Also prints the source of every class.")
    private boolean code;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also writes the summary as JSON; - for standard output, in place of the text.")
    private String json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Writes a page instead: the model's graph from modules down to operations, and its weights.")
    private Path html;

    @Override
    public Integer call() throws IOException {
        OutputFiles outputs = new OutputFiles(file);
        outputs.checkUnlessStandard(json);
        if (html != null) {
            outputs.check(html);
            ModelPage.of(file.getFileName().toString(), ModelFile.stored(file, Runtimes.standard()), "forward")
                    .note("File", file.getFileName() + ", " + Files.size(file) + " bytes")
                    .note("Shapes", "not known, as nothing was run: see explain")
                    .write(html);
            if (!OutputFiles.STANDARD.equals(json)) {
                System.out.println("wrote " + html + " (" + Files.size(html) + " bytes)");
            }
            if (json == null) {
                return 0;
            }
        }
        if (html == null) {
            ModelFile.warnOfSource(file);
        }
        TorchScriptArchive archive = ModelFile.open(file);
        ModuleOutline tree = CommandFailure.naming(file.toString(), () -> new ModuleOutline(archive));
        if (json != null) {
            OutputFiles.writeJson(summary(archive, tree), json);
            if (html != null || json.equals(OutputFiles.STANDARD)) {
                return 0;
            }
        }
        System.out.println(ShownText.line(file + ": " + Files.size(file) + " bytes, "
                + archive.records().size() + " records, folder " + archive.folder()));
        System.out.println(
                "written by " + FileOrigin.writer(archive, tree.operators().keySet()));
        System.out.println("file format " + archive.version() + "; " + runtimes(archive, tree));
        if (!tree.methods().isEmpty()) {
            System.out.println("methods " + ShownText.line(String.join(", ", tree.methods())));
        }
        signatureLines().forEach(line -> System.out.println(ShownText.line(line)));
        archive.extraFiles()
                .forEach((name, bytes) ->
                        System.out.println("extra file " + ShownText.line(name) + ": " + bytes.remaining() + " bytes"));
        TextTable modules = new TextTable("module", "class", "tensors", "bytes");
        tree.entries()
                .forEach(entry -> modules.row(
                        "  ".repeat(entry.depth()) + entry.name(),
                        shorten(entry.className())
                                + (entry.first() == null
                                        ? ""
                                        : " (same as " + entry.first().path() + ")"),
                        entry.tensors(),
                        entry.bytes()));
        System.out.println("\n" + modules);
        if (!tree.constants().isEmpty()) {
            TextTable constants = new TextTable("constant", "what", "tensors", "bytes");
            tree.constants()
                    .forEach(constant -> constants.row(
                            constant.name(), shorten(constant.kind()), constant.tensors(), constant.bytes()));
            System.out.println(constants);
        }
        TextTable types = new TextTable("tensors of", "number", "bytes");
        tree.tensorsByType().forEach((type, sum) -> types.row(type, sum[0], sum[1]));
        System.out.println(types);
        TextTable operators = new TextTable("operator", "calls");
        tree.operators().forEach(operators::row);
        System.out.println(operators);
        for (ModuleOutline.Entry entry : tree.entries()) {
            NnapiListing listing = NnapiListing.of(entry.object());
            if (listing != null) {
                System.out.println("NNAPI model of module " + ShownText.line(entry.path()) + ":");
                System.out.println(listing.text(shapeCode(tree, entry)));
            }
        }
        if (code) {
            new TreeMap<>(archive.sources())
                    .forEach((name, text) -> System.out.println("# " + ShownText.line(name) + "\n" + text));
        }
        return 0;
    }

    private static String shapeCode(ModuleOutline tree, ModuleOutline.Entry nnapi) {
        return tree.entries().stream()
                .filter(entry -> entry.parent() == nnapi && entry.name().equals("shape_compute_module"))
                .map(entry -> tree.source(entry.className()))
                .findFirst()
                .orElse("none");
    }

    private static String runtimes(TorchScriptArchive archive, ModuleOutline tree) {
        Map<String, String> recent = FileOrigin.newOperators(tree.operators().keySet());
        String loading = recent.isEmpty()
                ? "loads in torch.jit.load of PyTorch 1.13, in org.pytorch.Module and here"
                : "loads here and in torch.jit.load of PyTorch 2, not in that of PyTorch 1.13, which lacks "
                        + String.join(", ", recent.keySet());
        return loading
                + (archive.hasBytecode()
                        ? "; has byte code, so LiteModuleLoader loads it too: " + liteRuntimes(archive)
                        : "; has no byte code, so PyTorch's lite interpreter does not load it (here LiteModuleLoader "
                                + "does)");
    }

    /** The published runtimes that load byte code, and what the others lack. */
    private static String liteRuntimes(TorchScriptArchive archive) {
        List<String> loading = new ArrayList<>();
        List<String> others = new ArrayList<>();
        LiteCompatibility.of(archive.bytecode(), archive.version()).forEach((target, obstacles) -> {
            if (obstacles.isEmpty()) {
                loading.add(target.title());
            } else {
                others.add("; not that of " + target.title() + ": " + String.join(", ", obstacles));
            }
        });
        return (loading.isEmpty() ? "no published one" : "that of " + String.join(", ", loading))
                + String.join("", others);
    }

    /** Mangling says nothing to a reader. */
    private static String shorten(String className) {
        return className.replaceAll("\\.___torch_mangle_\\d+", "").replaceFirst("^__torch__\\.", "");
    }

    private Map<String, Object> summary(TorchScriptArchive archive, ModuleOutline tree) throws IOException {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("file", file.toString());
        map.put("bytes", Files.size(file));
        map.put("writtenBy", FileOrigin.writer(archive, tree.operators().keySet()));
        map.put("newOperators", FileOrigin.newOperators(tree.operators().keySet()));
        map.put("fileFormat", archive.version());
        map.put("byteCode", archive.hasBytecode());
        map.put("methods", tree.methods());
        map.put("extraFiles", new ArrayList<>(archive.extraFiles().keySet()));
        List<Object> modules = new ArrayList<>();
        for (ModuleOutline.Entry entry : tree.entries()) {
            Map<String, Object> module = new LinkedHashMap<>();
            module.put("path", entry.path());
            module.put("class", entry.className());
            module.put("tensors", entry.tensors());
            module.put("bytes", entry.bytes());
            module.put("nnapi", NnapiListing.of(entry.object()) != null);
            modules.add(module);
        }
        map.put("modules", modules);
        List<Object> constants = new ArrayList<>();
        for (ModuleOutline.Constant constant : tree.constants()) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("name", constant.name());
            told.put("kind", constant.kind());
            told.put("tensors", constant.tensors());
            told.put("bytes", constant.bytes());
            constants.add(told);
        }
        map.put("constants", constants);
        map.put("operators", tree.operators());
        ModelSignature signature = signature();
        if (signature != null) {
            map.put("inputs", values(signature.inputs()));
            map.put("outputs", values(signature.outputs()));
        }
        return map;
    }

    /** What forward takes and gives; null if there is no such method, or its code is not known here. */
    private ModelSignature signature() throws IOException {
        try {
            return ModelSignature.of(ScriptModule.stored(ModuleSource.open(file), Runtimes.standard()), "forward");
        } catch (ModelException | ArchiveException | IllegalArgumentException e) {
            return null;
        }
    }

    private List<String> signatureLines() throws IOException {
        ModelSignature signature = signature();
        return signature == null
                ? List.of("inputs and outputs are not known: no forward, or one that cannot be read here")
                : signature.toText().lines().toList();
    }

    private static List<Object> values(List<ValueInfo> values) {
        List<Object> all = new ArrayList<>();
        for (ValueInfo value : values) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("name", value.name());
            told.put("type", value.type());
            told.put("dtype", value.dtype() == null ? null : value.dtype().torchName());
            told.put("sizes", value.sizes());
            told.put("example", value.example());
            told.put("optional", value.optional());
            all.add(told);
        }
        return all;
    }
}
