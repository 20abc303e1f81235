package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * The class {@code _nnapi.Compilation} that converted modules call (PyTorch: aten/src/ATen/nnapi/nnapi_bind.cpp):
 * {@code init2(words, weights, preference, relaxed)}, the older {@code init(words, weights)}, {@code run(inputs,
 * outputs)}. Under the name {@code torch_nnapi.Compilation} files call it that need this library, so that PyTorch
 * refuses them when it loads them.
 */
final class NnapiCompilationClass implements CustomClass {
    private static final String NAME = "__torch__.torch.classes._nnapi.Compilation";
    private static final String OWN_NAME = "__torch__.torch.classes.torch_nnapi.Compilation";
    /** The argument of {@code run} that it writes to. */
    private static final int OUTPUTS = 1;
    /** What {@code init} asks for. */
    private static final Preference DEFAULT_PREFERENCE = Preference.SUSTAINED_SPEED;

    /** An instance, empty until one of the init methods ran. */
    private static final class Instance {
        private NnapiPart part;
    }

    private final EngineOptions options;
    private final String name;
    private final List<NnapiPart> parts;

    NnapiCompilationClass(EngineOptions options) {
        this(options, NAME, new ArrayList<>());
    }

    private NnapiCompilationClass(EngineOptions options, String name, List<NnapiPart> parts) {
        this.options = options;
        this.name = name;
        this.parts = parts;
    }

    /** The same class under the name of this library. */
    NnapiCompilationClass own() {
        return new NnapiCompilationClass(options, OWN_NAME, parts);
    }

    /** What an object of a class like this compiled, or null. */
    static NnapiPart part(Object payload) {
        return payload instanceof Instance instance ? instance.part : null;
    }

    /** What objects of this class compiled; those that were closed before the latest are not kept. */
    List<NnapiPart> parts() {
        synchronized (parts) {
            return List.copyOf(parts);
        }
    }

    @Override
    public String qualifiedName() {
        return name;
    }

    @Override
    public Object create() {
        return new Instance();
    }

    @Override
    public Object call(Object self, String method, Object[] arguments) {
        Instance instance = (Instance) self;
        switch (method) {
            case "__init__" -> require(method, arguments, 0);
            case "init" -> {
                require(method, arguments, 2);
                init(instance, arguments, DEFAULT_PREFERENCE, false);
            }
            case "init2" -> {
                require(method, arguments, 4);
                if (!(arguments[2] instanceof Long preference) || !(arguments[3] instanceof Boolean relaxed)) {
                    throw new IllegalArgumentException(
                            "_nnapi.Compilation.init2 (expected: model, weights, preference, relaxed)");
                }
                init(
                        instance,
                        arguments,
                        Preference.ofCode(Math.toIntExact(Math.max(-1, Math.min(preference, 99)))),
                        relaxed);
            }
            case "run" -> {
                require(method, arguments, 2);
                if (instance.part == null) {
                    throw new IllegalArgumentException(
                            "_nnapi.Compilation.run: not initialized (expected: init2 before)");
                }
                instance.part.run(tensors(arguments[0]), tensors(arguments[1]));
            }
            default ->
                throw new IllegalArgumentException("_nnapi.Compilation." + method + " (expected: init, init2 or run)");
        }
        return null;
    }

    /** Outputs get new memory; the tensors of the list are other ones then. */
    @Override
    public boolean mayWriteTo(String method, int argument) {
        return method.equals("run") && argument == OUTPUTS;
    }

    /** Outputs are new memory, never that of inputs. */
    @Override
    public boolean mayKeep(String method, int argument) {
        return !method.equals("run");
    }

    private void init(Instance instance, Object[] arguments, Preference preference, boolean relaxed) {
        if (instance.part != null) {
            throw new IllegalArgumentException("_nnapi.Compilation.init2: initialized already (expected: once)");
        }
        if (!(arguments[0] instanceof Tensor words)) {
            throw new IllegalArgumentException(
                    "_nnapi.Compilation.init2: no serialized model (expected: an int32 tensor)");
        }
        instance.part = new NnapiPart(options, NnapiPart.serialized(words, tensors(arguments[1])), preference, relaxed);
        synchronized (parts) {
            parts.removeIf(NnapiPart::isClosed);
            parts.add(instance.part);
        }
    }

    private static List<Tensor> tensors(Object value) {
        if (!(value instanceof ScriptList list) || !list.items().stream().allMatch(Tensor.class::isInstance)) {
            throw new IllegalArgumentException("_nnapi.Compilation: no list of tensors (expected: List[Tensor])");
        }
        return list.items().stream().map(Tensor.class::cast).collect(Streams.toList());
    }

    private static void require(String method, Object[] arguments, int count) {
        if (arguments.length != count) {
            throw new IllegalArgumentException(
                    "_nnapi.Compilation." + method + ": " + arguments.length + " arguments (expected: " + count + ")");
        }
    }

    @Override
    public Object getState(Object self) {
        throw new IllegalArgumentException(
                "_nnapi.Compilation cannot be saved (expected: a module that was not run since it was loaded)");
    }

    @Override
    public Object setState(Object state) {
        throw new IllegalArgumentException(
                "_nnapi.Compilation in a file (expected: None there; it is made at the first forward)");
    }
}
