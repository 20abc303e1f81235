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
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
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

    private Modules() {
    }

    /** @return whether it loaded, with a method that is sound */
    static boolean exercise(Supplier<TorchScriptArchive> opened) throws Throwable {
        ScriptModule module;
        try {
            module = ScriptModule.of(opened.get(), RUNTIME).eval();
        } catch (ArchiveException | SourceException | BytecodeException | ScriptException refused) {
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

    /** Whether it answered. */
    private static boolean run(ScriptModule module, Function method) throws Throwable {
        boolean[] ran = {false};
        List<Object> arguments = new ArrayList<>();
        List<FunctionSchema.Argument> formals = method.schema().arguments();
        for (FunctionSchema.Argument formal : formals.subList(Math.min(1, formals.size()), formals.size())) {
            arguments.add(argument(formal.type().text()));
        }
        Deadline.run(() -> {
            try {
                module.call(method.name(), arguments.toArray());
                ran[0] = true;
            } catch (IllegalArgumentException | ScriptException | ArchiveException | SourceException refused) {
                // Told as documented.
            }
        });
        return ran[0];
    }

    /** @param answers whether the module itself ran, so that what it is converted to has to load and run as well */
    private static void convert(ScriptModule module, boolean answers) throws Throwable {
        Deadline.run(() -> {
            try {
                Conversion conversion = Converter.convert(module, ConversionOptions.defaults().withInputs(List.of(InputSpec.of(DType.FLOAT32, SHAPE))), RUNTIME);
                if (answers && conversion.succeeded()) {
                    ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME).call("forward", Tensor.of(new float[16], SHAPE));
                }
            } catch (ArchiveException | SourceException | BytecodeException | ScriptException refused) {
                // What the model's own code does as constants are made.
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
