package org.torchnnapi.engine;

import java.lang.ref.WeakReference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.SpecializedCompilations;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.CustomObject;

/**
 * One serialized NNAPI model of a loaded module, compiled for the devices of the options. A model that leaves input
 * dimensions open is compiled for each shape it is run with; the last few are kept. Safe for use by several threads.
 */
public final class NnapiPart implements AutoCloseable {
    /** Weights of no more elements are looked at where a model is checked. */
    private static final int SMALL = 1024;
    /** Shapes kept compiled; an application alternates between few. */
    private static final int MAX_SHAPES = 8;

    private static final Logger LOG = Logger.getLogger(NnapiPart.class.getName());

    private final EngineOptions options;
    private static volatile WeakReference<ByteBuffer> lastZeros = new WeakReference<>(null);

    private final PyTorchModelNormalizer legalization;
    private final Preference preference;
    private final Model model;
    /** Null unless somebody observes. */
    private final ObservedModel observed;

    private final SpecializedCompilations compilations;
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean closed;

    NnapiPart(EngineOptions options, SerializedModel serialized, Preference preference, boolean relaxed) {
        this.options = options;
        this.legalization = PyTorchModelNormalizer.of(serialized);
        this.preference = options.preference() != null ? options.preference() : preference;
        this.model = legalization.legal().decode(relaxed);
        this.observed = options.observer() == null ? null : ObservedModel.of(model);
        this.compilations =
                new SpecializedCompilations(observed == null ? model : observed.model(), MAX_SHAPES, this::settings);
    }

    /** What a {@code _nnapi.Compilation} compiled; null before its {@code init2}, and for objects of other classes. */
    public static NnapiPart of(CustomObject compilation) {
        return NnapiCompilationClass.part(compilation.payload());
    }

    /**
     * Checks that NNAPI takes a serialized model. What large weights of real numbers are does not matter to that: their
     * elements are not asked for.
     *
     * @return the model, as this library would compile it, with any elements in such weights
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA saying what is not legal
     */
    public static Model requireLegal(Tensor words, List<Tensor> weights) {
        ByteBuffer zeros = zeros(weights.stream()
                .filter(weight -> isLarge(weight) && weight.storage().fileBytes() == null)
                .mapToInt(NnapiPart::bytes)
                .max()
                .orElse(0));
        List<ByteBuffer> buffers = new ArrayList<>();
        for (Tensor weight : weights) {
            ByteBuffer file = isLarge(weight) ? weight.storage().fileBytes() : null;
            buffers.add(
                    isLarge(weight) ? Buffers.slice(file == null ? zeros : file, 0, bytes(weight)) : memory(weight));
        }
        return PyTorchModelNormalizer.of(new SerializedModel(words(words), buffers))
                .legal()
                .decode(false);
    }

    /**
     * What of a model's weights {@link #requireLegal} looks at, to be compared: sizes of large ones, elements of the
     * others.
     */
    public static List<Object> checked(List<Tensor> weights) {
        return weights.stream()
                .map(weight -> isLarge(weight) ? (Object) weight.numel() : memory(weight))
                .collect(Streams.toList());
    }

    /**
     * So many bytes at least, to be read only: a converter asks for as many time and again, and the heap collects late
     * what is large.
     */
    private static ByteBuffer zeros(int bytes) {
        ByteBuffer zeros = lastZeros.get();
        if (zeros == null || zeros.capacity() < bytes) {
            zeros = ByteBuffer.allocate(bytes);
            lastZeros = new WeakReference<>(zeros);
        }
        return zeros.asReadOnlyBuffer();
    }

    /**
     * A serialized model as this library would compile it. Weights that are arranged when asked for are in memory as
     * long as it is.
     */
    public static Model decoded(Tensor words, List<Tensor> weights) {
        return PyTorchModelNormalizer.of(serialized(words, weights)).legal().decode(false);
    }

    private static int bytes(Tensor weight) {
        return (int) weight.numel() * weight.dtype().bytes();
    }

    private static boolean isLarge(Tensor weight) {
        return weight.numel() > SMALL
                && weight.dtype() == DType.FLOAT32
                && weight.offset() + weight.numel() <= weight.storage().length();
    }

    /** Reads the tensors that {@code init2} is given: int32 words, and weights as they lie in memory. */
    static SerializedModel serialized(Tensor words, List<Tensor> weights) {
        List<ByteBuffer> buffers = new ArrayList<>();
        for (Tensor weight : weights) {
            buffers.add(memory(weight));
        }
        return new SerializedModel(words(words), buffers);
    }

    private static int[] words(Tensor words) {
        if (words.dtype() != DType.INT32 || words.rank() != 1) {
            throw new IllegalArgumentException(
                    "serialized model: " + words + " (expected: a one-dimensional int32 tensor)");
        }
        Tensor dense = words.contiguous();
        return Arrays.copyOfRange(dense.storage().intArray(), dense.offset(), dense.offset() + (int) dense.numel());
    }

    /**
     * The bytes a tensor occupies, from its first element on in the order of memory, as PyTorch hands NNAPI its data
     * pointer.
     */
    private static ByteBuffer memory(Tensor weight) {
        ByteBuffer all = weight.storage().view();
        int from = weight.offset() * weight.dtype().bytes();
        int count = bytes(weight);
        if (from + count > all.limit()) {
            throw new IllegalArgumentException("weight: " + weight + " with gaps in memory (expected: dense)");
        }
        return Buffers.slice(all, from, count);
    }

    /** The model as it was serialized; input dimensions of 0 are open. */
    public Model model() {
        return model;
    }

    /** What has been compiled so far, most recently used last. */
    public List<Compilation> compilations() {
        return compilations.all();
    }

    /**
     * Runs the model.
     *
     * @param outputs take NNAPI's dimensions and elements, and keep their element type and quantization
     * @throws IllegalStateException once closed
     * @throws IllegalArgumentException if the tensors are not what the model takes
     * @throws org.torchnnapi.nnapi.model.NnapiException if the execution fails
     */
    void run(List<Tensor> inputs, List<Tensor> outputs) {
        if (closed) {
            throw new IllegalStateException("model: closed (expected: one in use)");
        }
        if (inputs.size() != model.inputCount() || outputs.size() != model.outputCount()) {
            throw new IllegalArgumentException("tensors: " + inputs.size() + " in, " + outputs.size()
                    + " out (expected: " + model.inputCount() + " in, " + model.outputCount() + " out)");
        }
        List<Buffer> data = new ArrayList<>();
        List<int[]> dimensions = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i).dtype() != legalization.inputType(i)) {
                NnapiTensors.check("input " + i, inputs.get(i), model.input(i));
                warnOfQuantization(i, inputs.get(i));
            }
            int[] sizes = PyTorchModelNormalizer.sizes(inputs.get(i).sizes());
            int[] declared = legalization.declared(i);
            if (declared != null) {
                requireShape(i, inputs.get(i).sizes(), declared);
            } else {
                requireShape(i, sizes, model.input(i).descriptor().dimensions());
            }
            Tensor dense = inputs.get(i).contiguous();
            data.add(legalization.input(i, NnapiTensors.buffer(dense)));
            dimensions.add(sizes);
        }
        for (int i = 0; i < outputs.size(); i++) {
            if (outputs.get(i).dtype() != legalization.outputType(i)) {
                NnapiTensors.check("output " + i, outputs.get(i), model.output(i));
                String other = NnapiTensors.otherQuantization("output " + i, outputs.get(i), model.output(i));
                if (other != null) {
                    throw new IllegalArgumentException(other);
                }
            }
        }
        List<Compilation.Output> results = compilations.run(data, dimensions);
        for (int i = 0; i < outputs.size(); i++) {
            Compilation.Output result = results.get(i);
            NnapiTensors.fill(
                    outputs.get(i), new Compilation.Output(legalization.output(i, result.data()), result.dimensions()));
        }
        if (observed != null) {
            observed.tell(inputs, results, options.observer());
        }
    }

    /** The bytes are taken as the model's type says, which is told once. */
    private void warnOfQuantization(int input, Tensor tensor) {
        String other = NnapiTensors.otherQuantization("input " + input, tensor, model.input(input));
        if (other != null && !warned.getAndSet(true)) {
            LOG.warning(other
                    + ": its bytes are taken for the model's; convert the model with an input of that scale "
                    + "and zero point");
        }
    }

    private static void requireShape(int position, int[] sizes, int[] declared) {
        boolean fits = declared.length == 0 || declared.length == sizes.length;
        for (int d = 0; fits && d < declared.length; d++) {
            fits = declared[d] == 0 || declared[d] == sizes[d];
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    "input " + position + ": shape " + Arrays.toString(sizes) + " (expected: "
                            + Arrays.toString(declared) + ", with 0 for any size; convert the model for this shape)");
        }
    }

    private CompilationBuilder settings(Model fixed) {
        CompilationBuilder builder = new CompilationBuilder(fixed)
                .setAvailable(options.devices())
                .setPreference(preference)
                .setPlacementRules(options.rules())
                .setFallback(options.fallback());
        if (!options.only().isEmpty()) {
            List<Device> chosen =
                    options.only().stream().map(options.devices()::find).collect(Streams.toList());
            builder.setDevices(chosen);
        }
        if (options.deviceTimeout() != null) {
            builder.setDeviceTimeout(options.deviceTimeout());
        }
        if (options.trace() != null) {
            builder.setTrace(options.trace());
        }
        return builder;
    }

    boolean isClosed() {
        return closed;
    }

    /** Frees what devices hold; runs still going end first. */
    @Override
    public void close() {
        closed = true;
        compilations.close();
    }
}
