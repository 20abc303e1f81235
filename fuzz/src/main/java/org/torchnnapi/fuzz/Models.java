package org.torchnnapi.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.nnapi.driver.CacheFiles;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/**
 * Serialized NNAPI models. As bytes: the number of words, the words, the number of buffers, the length of each, and the
 * buffers.
 */
final class Models {
    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final long MAX_BYTES = 1 << 24;
    /** Of the input of the seeds. */
    private static final int ELEMENTS = 16;

    private Models() {}

    /** @return whether it is a model */
    static boolean exercise(byte[] input) throws Throwable {
        SerializedModel serialized = unpack(input);
        if (serialized == null) {
            return false;
        }
        Model model;
        try {
            model = serialized.decode(false);
        } catch (NnapiException refused) {
            return false;
        }
        InputTimeLimit.run(() -> compute(new CompilationBuilder(model).setAvailable(Devices.installed())));
        return true;
    }

    /** Compiles and, if that is possible with little memory, executes. */
    private static void compute(CompilationBuilder builder) {
        try (Compilation compilation = builder.finish()) {
            Model model = compilation.model();
            Execution execution = compilation.createExecution();
            execution.setTimeout(TIMEOUT);
            execution.setLoopTimeout(TIMEOUT);
            int[] inputs = model.inputs();
            for (int i = 0; i < inputs.length; i++) {
                Operand operand = model.operand(inputs[i]);
                int[] dimensions = Arrays.stream(operand.descriptor().dimensions())
                        .map(size -> size == 0 ? 2 : size)
                        .toArray();
                execution.setInput(i, memory(operand, dimensions), dimensions);
            }
            int[] outputs = model.outputs();
            for (int i = 0; i < outputs.length; i++) {
                Operand operand = model.operand(outputs[i]);
                execution.setOutput(
                        i,
                        memory(
                                operand,
                                Arrays.stream(operand.descriptor().dimensions())
                                        .map(size -> size == 0 ? 4 : size)
                                        .toArray()));
            }
            execution.compute();
        } catch (NnapiException refused) {
            if (refused.getCause() != null
                    && !(refused.getCause() instanceof NnapiException)
                    // At the end of its time.
                    && !(refused.getCause() instanceof InterruptedException)
                    && !(refused.getCause() instanceof OutOfMemoryError)) {
                throw new IllegalStateException("a crash behind " + refused.getMessage(), refused.getCause());
            }
        }
    }

    private static ByteBuffer memory(Operand operand, int[] dimensions) {
        long bytes = operand.type().elementBytes();
        for (int size : dimensions) {
            bytes = Math.min(MAX_BYTES, bytes * size);
        }
        return Buffers.direct((int) bytes).order(ByteOrder.nativeOrder());
    }

    /** Asks a described device where the operations of a sound model would run. */
    static void place(Driver driver) throws Throwable {
        Model model = Sound.MODEL;
        InputTimeLimit.run(() -> compute(new CompilationBuilder(model).setAvailable(Devices.of(driver))));
    }

    static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        seeds.add(converted("net.pt", InputSpec.of(DType.FLOAT32, 1, 1, 4, 4)));
        return seeds;
    }

    private static byte[] converted(String name, InputSpec input) {
        ScriptModule module = ScriptModule.of(TorchScriptArchive.of(Seeds.read(name)), Runtimes.standard())
                .eval();
        Conversion conversion =
                Converter.convert(module, ConversionOptions.defaults().withInputs(List.of(input)), Runtimes.standard());
        if (!conversion.succeeded()) {
            throw new IllegalStateException("seed " + name + " is not converted: " + conversion.refusals());
        }
        try (LoadedModel model =
                LoadedModel.of(TorchScriptArchive.of(conversion.toBytes()), EngineOptions.defaults())) {
            model.call("forward", Tensor.of(new float[ELEMENTS], input.shape()));
            return pack(SerializedModel.encode(
                    model.nnapiParts().get(0).compilations().get(0).model()));
        }
    }

    private static byte[] pack(SerializedModel model) {
        int[] words = model.words();
        int bytes = Integer.BYTES * (2 + words.length + model.buffers().size());
        for (ByteBuffer buffer : model.buffers()) {
            bytes += buffer.remaining();
        }
        ByteBuffer packed =
                ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(words.length);
        Arrays.stream(words).forEach(packed::putInt);
        packed.putInt(model.buffers().size());
        model.buffers().forEach(buffer -> packed.putInt(buffer.remaining()));
        model.buffers().forEach(buffer -> packed.put(buffer.duplicate()));
        return packed.array();
    }

    /** Null where the bytes are too few. */
    private static SerializedModel unpack(byte[] input) {
        ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
        int[] words = integers(in);
        int[] lengths = words == null ? null : integers(in);
        if (lengths == null) {
            return null;
        }
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int length : lengths) {
            if (length < 0 || length > in.remaining()) {
                return null;
            }
            buffers.add(in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN));
            in.position(in.position() + length);
        }
        return new SerializedModel(words, buffers);
    }

    private static int[] integers(ByteBuffer in) {
        if (in.remaining() < Integer.BYTES) {
            return null;
        }
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / Integer.BYTES) {
            return null;
        }
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = in.getInt();
        }
        return numbers;
    }

    private static final class Sound {
        private static final Model MODEL = unpack(seeds().get(0)).decode(false);
    }

    /** What a device's own runtime may keep of a model. */
    static List<byte[]> cacheSeeds() {
        return List.of(
                CacheFiles.pack(Map.of()),
                CacheFiles.pack(new TreeMap<>(Map.of("0a1", new byte[] {1, 2, 3}, "0a2", new byte[40]))));
    }

    /**
     * Hands bytes to the reader of cache data as the runtime does once their digest is right. @return whether they are
     * such data
     */
    static boolean exerciseCache(byte[] input) {
        Map<String, byte[]> files;
        try {
            files = CacheFiles.unpack(input);
        } catch (NnapiException refused) {
            return false;
        }
        if (!Arrays.equals(CacheFiles.pack(files), input)) {
            throw new IllegalStateException("cache data of " + input.length + " bytes come back as others");
        }
        return true;
    }
}
