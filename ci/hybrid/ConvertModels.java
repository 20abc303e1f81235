import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.cli.io.GivenInputs;
import org.torchnnapi.cli.io.InputText;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.bytecode.LiteTarget;

/**
 * Converts what models.py wrote: NAME.pt to NAME-nnapi.pt and NAME-nnapi.ptl, and for open sizes to NAME-open.pt and
 * NAME-open.ptl.
 */
final class ConvertModels {
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        ScriptRuntime runtime = Runtimes.standard();
        int failures = 0;
        for (String line : Files.readAllLines(folder.resolve("list.txt"))) {
            List<String> words = new ArrayList<>(Arrays.asList(line.split("\t")));
            String name = words.remove(0);
            failures += convert(
                    folder,
                    name,
                    "-nnapi",
                    ConversionOptions.defaults().withExample(new GivenInputs(words).read()),
                    runtime);
        }
        for (String line : Files.readAllLines(folder.resolve("open.txt"))) {
            String[] words = line.split("\t");
            failures += convert(
                    folder,
                    words[0],
                    "-open",
                    ConversionOptions.defaults().withInputs(List.of(InputText.parse(words[1]))),
                    runtime);
        }
        System.exit(failures == 0 ? 0 : 1);
    }

    /** @return how many failures there were */
    private static int convert(Path folder, String name, String mark, ConversionOptions options, ScriptRuntime runtime)
            throws IOException {
        try {
            Conversion conversion = Converter.convert(
                    ScriptModule.load(folder.resolve(name + ".pt"), runtime).eval(), options, runtime);
            if (!conversion.succeeded()) {
                System.out.println(name + mark + ": " + conversion.report().text());
                return 1;
            }
            conversion.write(folder.resolve(name + mark + ".pt"));
            ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), runtime);
            ModelFile.write(
                    converted,
                    converted.archive().extraFiles(),
                    folder.resolve(name + mark + ".ptl"),
                    LiteForm.archive(LiteTarget.PYTORCH_1_13));
            return 0;
        } catch (RuntimeException e) {
            System.out.println(name + mark + ": " + e);
            return 1;
        }
    }
}
