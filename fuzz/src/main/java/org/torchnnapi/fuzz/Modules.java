package org.torchnnapi.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.page.ModelPage;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.TorchScriptSource;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;

/** Loads modules, and runs and converts what loads. */
final class Modules {
    private static final int[] SHAPE = {1, 1, 4, 4};
    private static final ScriptRuntime RUNTIME = Runtimes.standard();

    private Modules() {}

    /** @return whether it loaded, with a method that is sound */
    static boolean exercise(Supplier<TorchScriptArchive> opened) throws Throwable {
        return exerciseSource(() -> new TorchScriptSource(opened.get()));
    }

    /** As {@link #exercise}, of any format. */
    static boolean exerciseSource(Supplier<ModuleSource> opened) throws Throwable {
        ScriptModule module;
        try {
            ModuleSource source = opened.get();
            look(source);
            module = ScriptModule.of(source, RUNTIME).eval();
        } catch (ArchiveException | SourceException | BytecodeException | ScriptException refused) {
            InputBounds.told(refused);
            return false;
        }
        List<Function> methods = new ArrayList<>();
        for (Function method : module.object().type().methods()) {
            try {
                GraphVerifier.verify(method.graph());
                methods.add(method);
            } catch (ArchiveException | SourceException | BytecodeException refused) {
                // The other methods may be sound.
            }
        }
        boolean answers = false;
        for (Function method : methods) {
            boolean ran = run(module, method);
            answers |= ran && method.name().equals("forward");
        }
        if (module.method("forward") != null) {
            convert(module, answers);
        }
        return !methods.isEmpty();
    }

    /** Shows it as it is stored, by its debug information too, as inspect does. */
    private static void look(ModuleSource source) {
        ScriptModule stored = InputBounds.reading(source.zip().size(), () -> ScriptModule.stored(source, RUNTIME));
        if (stored.method("forward") != null) {
            try {
                ModelPage.of("fuzzed", stored, "forward").html();
            } catch (SourceException | BytecodeException refused) {
                InputBounds.told(refused);
            }
        }
        if (source instanceof TorchScriptSource torchScript) {
            TorchScriptArchive archive = torchScript.archive();
            archive.records().stream()
                    .filter(record -> record.endsWith(".py"))
                    .forEach(record -> archive.sourceMap(record).lookup(100));
        }
    }

    /** Whether it answered. */
    private static boolean run(ScriptModule module, Function method) throws Throwable {
        boolean[] ran = {false};
        List<Object> arguments = new ArrayList<>();
        List<FunctionSchema.Argument> formals = method.schema().arguments();
        for (FunctionSchema.Argument formal : formals.subList(Math.min(1, formals.size()), formals.size())) {
            arguments.add(argument(formal.type().text()));
        }
        DeclaredInputs declared = module.declaredInputs(method.name());
        List<Object> example = declared == null ? null : declared.example();
        InputTimeLimit.run(() -> {
            try {
                module.call(method.name(), (example == null ? arguments : example).toArray());
                ran[0] = true;
            } catch (IllegalArgumentException | ScriptException | ArchiveException | SourceException refused) {
                InputBounds.told(refused);
            }
        });
        return ran[0];
    }

    /** @param answers whether the module itself ran, so that what it is converted to has to load and run as well */
    private static void convert(ScriptModule module, boolean answers) throws Throwable {
        DeclaredInputs declared = module.declaredInputs("forward");
        List<Object> example = declared == null ? null : declared.example();
        // For its sizes alone: open ones are a search of many conversions.
        ConversionOptions options = example != null
                ? ConversionOptions.defaults().withExample(example)
                : ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, SHAPE)));
        Object[] arguments = example != null ? example.toArray() : new Object[] {Tensor.of(new float[16], SHAPE)};
        InputTimeLimit.run(() -> {
            try {
                Conversion conversion = Converter.convert(module, options, RUNTIME);
                if (answers && conversion.succeeded()) {
                    ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME)
                            .call("forward", arguments);
                }
            } catch (ArchiveException | SourceException | BytecodeException | ScriptException refused) {
                // What the model's own code does as constants are made.
                InputBounds.told(refused);
            }
        });
    }

    private static Object argument(String type) {
        return switch (type) {
            case "Tensor" -> Tensor.of(new float[16], SHAPE);
            case "int" -> 2L;
            case "float" -> 0.5;
            case "bool" -> true;
            case "str" -> "a";
            case "List[int]" -> ScriptList.ofInts(1, 2);
            case "List[str]" -> new ScriptList(Type.Basic.STRING, List.of("a", "b"));
            default -> null;
        };
    }
}
