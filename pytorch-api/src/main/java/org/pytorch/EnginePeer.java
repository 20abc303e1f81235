package org.pytorch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.torchscript.ModuleSource;

/** Runs a module on the engine. */
final class EnginePeer implements INativePeer {
    /** Null once it is destroyed, which waits for the calls that run. */
    private LoadedModel model;

    private final ReadWriteLock use = new ReentrantReadWriteLock();
    /**
     * For each call that runs at the same time one, kept for later calls; none before the second call: the first should
     * be over soon.
     */
    private final ConcurrentLinkedDeque<ArgumentMemory> memories = new ConcurrentLinkedDeque<>();

    private volatile boolean called;

    EnginePeer(ModuleSource source, String origin, Map<String, String> extraFiles, Device device) {
        if (device == null) {
            throw new IllegalArgumentException("device: null (expected: CPU or VULKAN)");
        }
        try {
            model = LoadedModel.of(source, EngineOptions.defaults());
            if (extraFiles != null) {
                Map<String, ByteBuffer> stored = source.extraFiles();
                extraFiles.replaceAll((name, old) -> stored.containsKey(name)
                        ? StandardCharsets.UTF_8.decode(stored.get(name)).toString()
                        : "");
            }
        } catch (RuntimeException e) {
            throw unreadable(origin, e);
        }
    }

    /** One type for whatever is wrong with a model file. */
    static IllegalArgumentException unreadable(String origin, RuntimeException cause) {
        return new IllegalArgumentException("model " + origin + ": " + cause.getMessage(), cause);
    }

    @Override
    public IValue forward(IValue... inputs) {
        return runMethod("forward", inputs);
    }

    @Override
    public IValue runMethod(String methodName, IValue... inputs) {
        use.readLock().lock();
        try {
            return runInUse(methodName, inputs);
        } finally {
            use.readLock().unlock();
        }
    }

    private IValue runInUse(String methodName, IValue... inputs) {
        if (methodName == null) {
            throw new IllegalArgumentException("method: null (expected: the name of one of the module's methods)");
        }
        if (inputs == null) {
            throw new IllegalArgumentException("inputs: null (expected: an IValue for each argument, or nothing)");
        }
        if (model == null) {
            throw new IllegalStateException("module: destroyed (expected: one in use)");
        }
        if (model.module().method(methodName) == null) {
            throw new IllegalArgumentException("Undefined method " + methodName);
        }
        ArgumentMemory idle = memories.poll();
        ArgumentMemory memory = idle != null || !called ? idle : new ArgumentMemory();
        called = true;
        boolean ended = false;
        try {
            IValue result = run(memory, methodName, inputs);
            ended = true;
            return result;
        } finally {
            if (memory != null) {
                memory.end(ended && !model.module().mayKeepArguments(methodName));
                memories.push(memory);
            }
        }
    }

    /** A tensor among the arguments, wherever it lies in them, and the memory it had before the call. */
    private record Shared(org.torchnnapi.tensor.Tensor ours, Storage memory, Tensor theirs) {}

    private IValue run(ArgumentMemory memory, String methodName, IValue... inputs) {
        List<Object> arguments = new ArrayList<>(inputs.length);
        try {
            for (IValue input : inputs) {
                arguments.add(Values.toRuntime(input, memory));
            }
        } catch (StackOverflowError e) {
            throw new IllegalArgumentException(
                    "inputs: lists or dicts that hold themselves, or too deep for the thread's stack (expected: "
                            + "values that end)",
                    e);
        }
        List<Shared> shared = new ArrayList<>();
        for (int i = 0; i < inputs.length; i++) {
            Values.eachTensor(
                    arguments.get(i),
                    inputs[i],
                    (ours, theirs) -> shared.add(new Shared(ours, ours.storage(), theirs)));
        }
        Object result;
        try {
            result = model.call(methodName, arguments, Map.of());
        } catch (RuntimeException e) {
            // What was written before it was raised has been written.
            shared.forEach(tensor -> TensorValues.writeBack(tensor.ours, tensor.theirs));
            throw e;
        }
        boolean kept = model.module().keptArguments(methodName, arguments);
        for (Shared tensor : shared) {
            if (!kept || tensor.ours.storage() != tensor.memory) {
                TensorValues.writeBack(tensor.ours, tensor.theirs);
            }
        }
        return Values.fromRuntime(result);
    }

    @Override
    public void resetNative() {
        use.writeLock().lock();
        try {
            if (model != null) {
                model.close();
                model = null;
            }
        } finally {
            use.writeLock().unlock();
        }
    }
}
