import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.pytorch.BoolType;
import org.bytedeco.pytorch.CompilationUnit;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.TupleElements;
import org.bytedeco.pytorch.Type;
import org.bytedeco.pytorch.global.torch;

/**
 * Compiles models that are written as TorchScript with the PyTorch on the class path, saves them and answers for what
 * was saved.
 *
 * <p>{@code AnswerModels MODELS OUT [FILTER]} reads the text files below MODELS (see {@link ModelText}) and writes, for
 * each case, the files that {@code torch-nnapi conformance captured OUT} reads: NAME.pt, NAME.ptl, NAME.args, NAME.out,
 * NAME.lout and NAME.json.
 */
final class AnswerModels {
    private static final int CALLS = 2;

    private AnswerModels() {}

    public static void main(String[] args) throws IOException {
        // The linker looks for what a library needs beside it, and only then where a PyTorch of another release may be
        // installed.
        Loader.cacheResource(torch.class, "/org/bytedeco/pytorch/" + Loader.getPlatform() + "/libtorch_cpu.so");
        Loader.load(torch.class);
        torch.set_num_threads(1);
        Path out = Path.of(args[1]);
        String filter = args.length > 2 ? args[2] : "";
        int failed = 0;
        int written = 0;
        for (ModelText text : ModelText.all(Path.of(args[0]))) {
            for (ModelText.Case test : text.cases()) {
                if (!(text.name() + "/" + test.name()).contains(filter)) {
                    continue;
                }
                try {
                    write(text, test, out.resolve(text.name()));
                    written++;
                } catch (RuntimeException e) {
                    failed++;
                    System.out.println("NOT MADE " + text.name() + "/" + test.name() + ": "
                            + e.getMessage().strip().replace("\n", " | "));
                }
            }
        }
        System.out.println("PyTorch " + torch.class.getPackage().getImplementationVersion() + ": " + written
                + " models written, " + failed + " not made");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void write(ModelText text, ModelText.Case test, Path folder) throws IOException {
        Files.createDirectories(folder);
        torch.manual_seed(test.name().hashCode());
        JitModule module = make(text, test.template(), test.arguments(), "M");
        module.eval();
        String stem = folder.resolve(test.name()).toString();
        module.save(stem + ".pt");
        module._save_for_mobile(stem + ".ptl");
        Files.write(Path.of(stem + ".args"), SavedValues.tuple(inputs(test)));
        // What was saved is asked, not what it was saved from.
        JitModule saved = torch.load(stem + ".pt");
        saved.eval();
        List<byte[]> answers = new ArrayList<>();
        for (int call = 0; call < CALLS; call++) {
            IValueVector inputs = inputs(test);
            torch.manual_seed(call);
            answers.add(answer(saved, inputs));
        }
        for (String suffix : List.of(".out", ".lout")) {
            try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(Path.of(stem + suffix)))) {
                for (byte[] answer : answers) {
                    file.write(answer);
                }
            }
        }
        boolean random = !test.stateful() && !Arrays.equals(answers.get(0), answers.get(1));
        Files.writeString(
                Path.of(stem + ".json"),
                "{\"test\": \"" + test.name() + "\", \"method\": \"forward\", \"random\": " + random + "}\n");
    }

    /** The same inputs each time, since models may write to them. */
    private static IValueVector inputs(ModelText.Case test) {
        torch.manual_seed(test.name().hashCode() + 1L);
        return tuple(evaluate("return (" + String.join(", ", test.inputs()) + ",)"));
    }

    private static byte[] answer(JitModule module, IValueVector inputs) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        byte[] frame;
        try {
            frame = SavedValues.of(module.get_method("forward").apply(inputs));
            out.writeByte('k');
        } catch (RuntimeException e) {
            // Without the frames of C++ behind the message, which tell of the machine.
            frame = e.getMessage().split("\nException raised from")[0].getBytes(StandardCharsets.UTF_8);
            out.writeByte('e');
        }
        out.write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(frame.length)
                .array());
        out.write(frame);
        return bytes.toByteArray();
    }

    /** A module of a template; what it holds is registered before its methods are compiled, which read it. */
    private static JitModule make(ModelText text, String template, List<String> arguments, String place) {
        ModelText.Body body = text.instantiate(template, arguments);
        JitModule module =
                new JitModule(new QualifiedName("__torch__.models." + template), new CompilationUnit(), false);
        for (ModelText.Attribute attribute : body.attributes()) {
            if (attribute.template() != null) {
                module.register_module(
                        attribute.name(),
                        make(text, attribute.template(), attribute.arguments(), place + "." + attribute.name()));
            } else {
                module.register_buffer(
                        attribute.name(),
                        evaluate("return " + attribute.expression()).toTensor());
            }
        }
        module.register_attribute("training", new Type.TypePtr(BoolType.get().get()), new IValue(true));
        module.define(body.methods());
        return module;
    }

    private static IValue evaluate(String body) {
        return torch.compile("def f():\n    " + body + "\n")
                .get_function(new QualifiedName("f"))
                .apply(new IValueVector());
    }

    private static IValueVector tuple(IValue value) {
        TupleElements elements = value.toTuple().elements();
        IValueVector items = new IValueVector();
        for (long i = 0; i < elements.size(); i++) {
            items.push_back(elements.get(i));
        }
        return items;
    }
}
