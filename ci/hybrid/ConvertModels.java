import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.cli.io.GivenInputs;
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

/** Converts what models.py wrote: NAME.pt to NAME-nnapi.pt and NAME-nnapi.ptl. */
final class ConvertModels {
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        ScriptRuntime runtime = Runtimes.standard();
        int failures = 0;
        for (String line : Files.readAllLines(folder.resolve("list.txt"))) {
            List<String> words = new ArrayList<>(Arrays.asList(line.split("\t")));
            String name = words.remove(0);
            try {
                ConversionOptions options = ConversionOptions.defaults().withExample(new GivenInputs(words).read());
                Conversion conversion = Converter.convert(ScriptModule.load(folder.resolve(name + ".pt"), runtime).eval(), options, runtime);
                if (!conversion.succeeded()) {
                    System.out.println(name + ": " + conversion.report().text());
                    failures++;
                    continue;
                }
                conversion.write(folder.resolve(name + "-nnapi.pt"));
                ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), runtime);
                ModelFile.write(converted, converted.archive().extraFiles(), folder.resolve(name + "-nnapi.ptl"), LiteForm.archive(LiteTarget.PYTORCH_1_13));
            } catch (RuntimeException e) {
                System.out.println(name + ": " + e);
                failures++;
            }
        }
        System.exit(failures == 0 ? 0 : 1);
    }
}
