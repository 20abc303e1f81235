package org.torchnnapi.c;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.Extension;
import org.torchnnapi.nnapi.driver.ExtensionAttribute;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.ExtensionType;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * A device with an extension of its own: whole numbers of 64 bits, in which it counts. SERIES writes 0, step, 2 step,
 * ... as many as a scalar says; the step is data of the output operand, times FACTOR that a compilation may be told,
 * plus SHIFT that an execution may be told. REALS makes float32 of such numbers. It runs one operation at a time. In
 * the last two bytes of memory that it imports it tells how often it did, and where in it the first input of its last
 * execution began.
 */
public final class SeriesDriver implements Driver {
    static final String EXTENSION = "com.example.series";
    static final ExtensionType COUNT = new ExtensionType(EXTENSION, 0, false, Long.BYTES);
    static final ExtensionType NUMBERS = new ExtensionType(EXTENSION, 1, true, Long.BYTES);
    static final ExtensionCode SERIES = new ExtensionCode(EXTENSION, 0);
    static final ExtensionCode REALS = new ExtensionCode(EXTENSION, 1);
    static final ExtensionCode FACTOR = new ExtensionCode(EXTENSION, 0);
    static final ExtensionCode SHIFT = new ExtensionCode(EXTENSION, 1);

    public SeriesDriver() {}

    @Override
    public String name() {
        return "series";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public DeviceType type() {
        return DeviceType.ACCELERATOR;
    }

    @Override
    public FeatureLevel featureLevel() {
        return FeatureLevel.V1_3;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.uniform(Capabilities.Performance.BASE);
    }

    @Override
    public List<Extension> extensions() {
        return List.of(new Extension(EXTENSION, List.of(COUNT, NUMBERS)));
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        List<DeviceRefusal> refusals = new ArrayList<>();
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            if (operation.extension() == null) {
                refusals.add(DeviceRefusal.of(i, "operation", operation.name(), "one of " + EXTENSION));
            } else if (!(SERIES.equals(operation.extension()) || REALS.equals(operation.extension()))
                    || operation.inputCount() != 1) {
                refusals.add(DeviceRefusal.of(
                        i,
                        "operation",
                        operation.name() + " of " + operation.inputCount() + " inputs",
                        "SERIES or REALS of one"));
            }
        }
        return refusals;
    }

    private final class Imported implements DeviceBuffer {
        private final ByteBuffer mapped;

        Imported(ByteBuffer mapped) {
            this.mapped = mapped;
            mapped.put(mapped.capacity() - 1, (byte) (mapped.get(mapped.capacity() - 1) + 1));
        }

        void tell(long offset) {
            mapped.put(mapped.capacity() - 2, (byte) offset);
        }

        @Override
        public Driver owner() {
            return SeriesDriver.this;
        }

        @Override
        public long size() {
            return mapped.capacity();
        }

        @Override
        public ByteBuffer host() {
            return mapped;
        }

        @Override
        public void read(ByteBuffer to) {
            to.put(mapped.duplicate().limit(to.remaining()));
        }

        @Override
        public void write(ByteBuffer from) {
            mapped.duplicate().put(from);
        }

        @Override
        public void close() {
            mapped.put(mapped.capacity() - 1, (byte) -1);
        }
    }

    @Override
    public DeviceBuffer importMemory(int descriptor, long offset, ByteBuffer mapped) {
        return mapped.isReadOnly() || !Files.exists(Path.of("/proc/self/fd/" + descriptor))
                ? null
                : new Imported(mapped);
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        if (model.operations().size() > 2) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operations: " + model.operations().size() + " (expected: at most SERIES and REALS)");
        }
        int factor = told(options.attributes(), FACTOR, 1);
        return new PreparedModel() {
            @Override
            public void execute(ExecutionRequest request) {
                long[] numbers = new long[0];
                if (request.inputBuffer(0) instanceof Imported imported) {
                    imported.tell(request.inputOffset(0));
                }
                for (Operation operation : model.operations()) {
                    OperandDescriptor output =
                            model.operand(operation.output(0)).descriptor();
                    if (SERIES.equals(operation.extension())) {
                        ByteBuffer step = output.extension().data();
                        numbers = new long
                                [(int) bytes(model, request, operation.input(0)).getLong(0)];
                        for (int i = 0; i < numbers.length; i++) {
                            numbers[i] = i * (step == null ? 1L : step.get(0)) * factor
                                    + told(request.attributes(), SHIFT, 0);
                        }
                    } else if (position(model.inputs(), operation.input(0)) >= 0) {
                        ByteBuffer read = bytes(model, request, operation.input(0));
                        numbers = new long[read.capacity() / Long.BYTES];
                        for (int i = 0; i < numbers.length; i++) {
                            numbers[i] = read.getLong(i * Long.BYTES);
                        }
                    }
                    write(request, position(model.outputs(), operation.output(0)), output.extension() == null, numbers);
                }
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
    }

    private static int told(List<ExtensionAttribute> attributes, ExtensionCode code, int otherwise) {
        for (ExtensionAttribute attribute : attributes) {
            if (!attribute.code().equals(code)) {
                throw new NnapiException(ResultCode.BAD_DATA, "attribute " + attribute + " (expected: " + code + ")");
            }
            return attribute.data()[0];
        }
        return otherwise;
    }

    private static int position(int[] operands, int operand) {
        for (int i = 0; i < operands.length; i++) {
            if (operands[i] == operand) {
                return i;
            }
        }
        return -1;
    }

    private static ByteBuffer bytes(Model model, ExecutionRequest request, int operand) {
        int input = position(model.inputs(), operand);
        return input < 0 ? model.operand(operand).value() : (ByteBuffer) request.input(input);
    }

    private static void write(ExecutionRequest request, int output, boolean real, long[] numbers) {
        if (output < 0) {
            return;
        }
        int room = request.output(output) == null ? 0 : request.output(output).capacity();
        boolean fits = room >= numbers.length * (real ? 1 : Long.BYTES);
        request.reportOutput(output, new int[] {numbers.length}, fits);
        if (!fits) {
            throw new NnapiException(
                    ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                    "output " + output + ": too small for " + numbers.length + " numbers (expected: room)");
        }
        for (int i = 0; i < numbers.length; i++) {
            if (real) {
                ((FloatBuffer) request.output(output)).put(i, numbers[i]);
            } else {
                ((ByteBuffer) request.output(output)).putLong(i * Long.BYTES, numbers[i]);
            }
        }
    }
}
