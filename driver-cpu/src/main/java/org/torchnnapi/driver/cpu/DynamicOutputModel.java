package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.driver.Sessions;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.RoundingArithmetic;
import org.torchnnapi.tensor.Half;

/**
 * One operation that selects some of what it is given: how much only the values tell, so that no program of values of
 * known shapes can be made of it. Shapes and parameters may come with each execution.
 */
final class DynamicOutputModel implements PreparedModel {
    /** The selection that an operation makes, with room of its own that is kept from one execution to the next. */
    interface Selection {
        /**
         * Selects.
         *
         * @return how many rows each output has
         * @throws NnapiException if the arguments are not what the operation takes
         */
        int select();

        /** Elements of a row of an output, as its dimensions after the first; none where a row is one element. */
        int[] row(int output);

        /** The real number, or 32-bit number, of an element of an output. */
        double element(int output, int row, int column);
    }

    private final OperationView site;
    private final Sessions<Session> sessions;
    private final PriorityScheduler turns;
    private final Priority priority;
    private volatile boolean profiled;
    private long nanos;

    /**
     * @param model of one operation
     * @param selection makes the selection from its arguments
     * @param turns what executions wait for
     * @param priority theirs
     */
    DynamicOutputModel(
            Model model, Function<Arguments, Selection> selection, PriorityScheduler turns, Priority priority) {
        this.turns = turns;
        this.priority = priority;
        site = new OperationView(model, model.operations().get(0));
        sessions = new Sessions<>(() -> new Session(selection));
    }

    /** What one execution at a time needs. */
    private final class Session {
        private final Arguments arguments = new Arguments(site);
        private final Selection selection;

        Session(Function<Arguments, Selection> of) {
            selection = of.apply(arguments);
        }

        void execute(ExecutionRequest request) {
            request.control().check();
            arguments.bind(request);
            try {
                int count = selection.select();
                int small = -1;
                for (int i = 0; i < request.outputCount(); i++) {
                    small = write(request, i, count) ? small : i;
                }
                if (small >= 0) {
                    throw new NnapiException(
                            ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                            "output " + small + ": "
                                    + (request.output(small) == null
                                            ? 0
                                            : request.output(small).capacity()) + " elements (expected: "
                                    + Arrays.toString(request.outputDimensions(small)) + ")");
                }
            } finally {
                arguments.release();
            }
        }

        /** False where the output's buffer is too small. */
        private boolean write(ExecutionRequest request, int position, int count) {
            int output = 0;
            while (site.operation().output(output) != site.model().outputs()[position]) {
                output++;
            }
            int[] row = selection.row(output);
            int[] shape = new int[1 + row.length];
            shape[0] = count;
            System.arraycopy(row, 0, shape, 1, row.length);
            int width = OperationView.product(row, 0, row.length);
            Buffer to = request.output(position);
            boolean fits = to != null && to.capacity() >= count * width;
            request.reportOutput(position, shape, fits);
            if (fits) {
                OperandDescriptor descriptor = site.out(output);
                for (int i = 0; i < count * width; i++) {
                    put(descriptor, to, i, selection.element(output, i / width, i % width));
                }
            }
            return fits;
        }
    }

    private static void put(OperandDescriptor descriptor, Buffer to, int at, double value) {
        if (to instanceof FloatBuffer floats) {
            floats.put(at, (float) value);
        } else if (to instanceof IntBuffer ints) {
            ints.put(at, (int) value);
        } else if (descriptor.type() == OperandType.TENSOR_FLOAT16) {
            ((ShortBuffer) to).put(at, Half.fromFloat((float) value));
        } else {
            OperandType.Element element = descriptor.type().element();
            long number = RoundingArithmetic.halfEven(value / descriptor.scale()) + descriptor.zeroPoint();
            long limited = Math.max(element.min(), Math.min(element.max(), number));
            if (to instanceof ShortBuffer shorts) {
                shorts.put(at, (short) limited);
            } else {
                ((ByteBuffer) to).put(at, (byte) limited);
            }
        }
    }

    @Override
    public void execute(ExecutionRequest request) {
        turns.take(priority, request.control());
        try {
            boolean measured = profiled || request.isTimed();
            long start = measured ? System.nanoTime() : 0;
            Session session = sessions.take();
            try {
                session.execute(request);
            } finally {
                sessions.giveBack(session, true);
            }
            if (measured) {
                add(request, System.nanoTime() - start);
            }
        } finally {
            turns.giveBack();
        }
    }

    private synchronized void add(ExecutionRequest request, long duration) {
        nanos += profiled ? duration : 0;
        if (request.isTimed()) {
            request.reportHardwareNanos(duration);
        }
    }

    @Override
    public void profile() {
        profiled = true;
    }

    @Override
    public synchronized List<StepTime> stepTimes() {
        return profiled ? List.of(new StepTime(site.operation().type().name(), nanos)) : List.of();
    }

    @Override
    public DeviceMemory memory() {
        return DeviceMemory.NONE;
    }

    @Override
    public void close() {
        sessions.clear();
    }
}
