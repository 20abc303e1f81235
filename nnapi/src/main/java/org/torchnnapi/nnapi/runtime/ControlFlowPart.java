package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Sessions;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.tensor.platform.Streams;

/**
 * One IF or WHILE operation. The models that it refers to are compilations of their own; values go in and out of them
 * without copies, but for the last of a loop.
 */
final class ControlFlowPart implements PreparedModel {
    /** Of IF: the condition, the model for true and the one for false. */
    private static final int IF_CONDITION = 0;

    private static final int THEN = 1;
    private static final int ELSE = 2;
    private static final int IF_ARGUMENTS = 3;
    /** Of WHILE: the model of the condition and the one of the body. */
    private static final int WHILE_CONDITION = 0;

    private static final int BODY = 1;
    private static final int WHILE_ARGUMENTS = 2;

    private final Model part;
    private final Operation operation;
    private final Map<Model, Compilation> compilations = new IdentityHashMap<>();
    /** By input of the operation, its place among the inputs of the part, -1 if it is none. */
    private final int[] inputOf;

    private final Buffer[] constants;
    /** By input of the operation, the shape that the model says. */
    private final int[][] declared;
    /** By output of the operation, its place among the outputs of the part, -1 if nobody reads it. */
    private final int[] outputOf;

    private final Sessions<Session> sessions = new Sessions<>(Session::new);

    /** @param part of one operation */
    ControlFlowPart(CompilationBuilder settings, Model part) {
        this.part = part;
        operation = part.operations().get(0);
        inputOf = new int[operation.inputCount()];
        constants = new Buffer[inputOf.length];
        declared = new int[inputOf.length][];
        boolean done = false;
        try {
            for (int i = 0; i < inputOf.length; i++) {
                Operand operand = part.operand(operation.input(i));
                inputOf[i] = position(part.inputs(), operation.input(i));
                declared[i] = operand.descriptor().dimensions();
                if (operand.lifetime().isConstant()) {
                    constants[i] = OperandBuffers.view(operand.type(), operand.value());
                } else if (operand.lifetime() == Lifetime.SUBGRAPH && !compilations.containsKey(operand.referenced())) {
                    compilations.put(
                            operand.referenced(), Compilation.compile(settings.forReferenced(operand.referenced())));
                }
            }
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
        outputOf = new int[operation.outputCount()];
        for (int i = 0; i < outputOf.length; i++) {
            outputOf[i] = position(part.outputs(), operation.output(i));
        }
    }

    private static int position(int[] operands, int operand) {
        for (int i = 0; i < operands.length; i++) {
            if (operands[i] == operand) {
                return i;
            }
        }
        return -1;
    }

    /** The compilation of a model that the operation refers to. */
    Compilation compilation(Model referenced) {
        return compilations.get(referenced);
    }

    private Compilation compilationOf(int input) {
        return compilations.get(part.operand(operation.input(input)).referenced());
    }

    @Override
    public void execute(ExecutionRequest request) {
        Session session = sessions.take();
        try {
            if (operation.type() == OperationType.IF) {
                session.choose(request);
            } else {
                session.loop(request);
            }
            if (request.isTimed()) {
                request.reportHardwareNanos(session.hardwareNanos());
            }
        } finally {
            sessions.giveBack(session, true);
        }
    }

    @Override
    public DeviceMemory memory() {
        return compilations.values().stream().map(Compilation::memory).reduce(DeviceMemory.NONE, DeviceMemory::plus);
    }

    @Override
    public void profile() {
        compilations.values().forEach(Compilation::profile);
    }

    /** What the models' devices did since {@link #profile}. */
    List<ProfiledStep> profiledSteps() {
        return compilations.values().stream()
                .flatMap(compilation -> compilation.stepTimes().stream())
                .collect(Streams.toList());
    }

    @Override
    public void close() {
        compilations.values().forEach(Compilation::close);
    }

    /** A value with its shape; null data is left out. */
    private static final class Value {
        private Buffer data;
        private int[] dimensions;

        void set(Buffer newData, int[] newDimensions) {
            data = newData;
            dimensions = newDimensions;
        }
    }

    /** What one execution at a time needs. */
    private final class Session {
        private final Branch first =
                new Branch(compilationOf(operation.type() == OperationType.IF ? THEN : WHILE_CONDITION));
        private final Branch second = new Branch(compilationOf(operation.type() == OperationType.IF ? ELSE : BODY));
        private final Value[] arguments;
        /** Of a loop, what the last round and the one before it wrote. */
        private final Buffer[][] rounds;

        Session() {
            arguments = new Value
                    [operation.inputCount() - (operation.type() == OperationType.IF ? IF_ARGUMENTS : WHILE_ARGUMENTS)];
            Arrays.setAll(arguments, i -> new Value());
            rounds = new Buffer[2][second.count()];
        }

        private void bind(ExecutionRequest request, int firstArgument) {
            first.hardwareNanos = 0;
            second.hardwareNanos = 0;
            for (int i = 0; i < arguments.length; i++) {
                int position = inputOf[firstArgument + i];
                Buffer data = position < 0 ? constants[firstArgument + i] : request.input(position);
                int[] given = position < 0 ? null : request.inputDimensions(position);
                arguments[i].set(data, data == null ? null : given == null ? declared[firstArgument + i] : given);
            }
        }

        /** How long the hardware worked in the models' executions of this one; -1 where a device does not tell. */
        long hardwareNanos() {
            return first.hardwareNanos < 0 || second.hardwareNanos < 0
                    ? -1
                    : first.hardwareNanos + second.hardwareNanos;
        }

        private void release() {
            for (Value argument : arguments) {
                argument.set(null, null);
            }
            first.release();
            second.release();
        }

        private boolean flag(Buffer data) {
            return ((ByteBuffer) data).get(0) != 0;
        }

        void choose(ExecutionRequest request) {
            int position = inputOf[IF_CONDITION];
            Branch branch = flag(position < 0 ? constants[IF_CONDITION] : request.input(position)) ? first : second;
            bind(request, IF_ARGUMENTS);
            try {
                branch.bind(arguments, request);
                for (int i = 0; i < outputOf.length; i++) {
                    branch.output(i, outputOf[i] < 0 ? branch.scratch(i) : request.output(outputOf[i]));
                }
                try {
                    branch.run(i -> outputOf[i] < 0);
                } finally {
                    for (int i = 0; i < outputOf.length; i++) {
                        if (outputOf[i] >= 0) {
                            request.reportOutput(
                                    outputOf[i],
                                    branch.request.outputDimensions(i),
                                    branch.request.isOutputSufficient(i));
                        }
                    }
                }
            } finally {
                release();
            }
        }

        void loop(ExecutionRequest request) {
            bind(request, WHILE_ARGUMENTS);
            long start = System.nanoTime();
            try {
                for (int round = 0; condition(request); round++) {
                    long nanos = System.nanoTime() - start;
                    if (nanos > request.control().loopTimeoutNanos()) {
                        throw new NnapiException(
                                ResultCode.MISSED_DEADLINE_TRANSIENT,
                                "WHILE: loop ran for " + TimeUnit.NANOSECONDS.toMillis(nanos)
                                        + " ms (expected: at most "
                                        + TimeUnit.NANOSECONDS.toMillis(
                                                request.control().loopTimeoutNanos()) + ")");
                    }
                    request.control().check();
                    body(request, rounds[round % 2]);
                }
                finish(request);
            } finally {
                release();
            }
        }

        private boolean condition(ExecutionRequest request) {
            first.bind(arguments, request);
            first.output(0, first.scratch(0));
            first.run(i -> true);
            return flag(first.request.output(0));
        }

        /** @param written by the round before the last, so that nothing is overwritten that is still read */
        private void body(ExecutionRequest request, Buffer[] written) {
            second.bind(arguments, request);
            for (int i = 0; i < written.length; i++) {
                if (written[i] == null) {
                    written[i] = second.room(i);
                }
                second.output(i, written[i]);
            }
            second.run(i -> true);
            for (int i = 0; i < written.length; i++) {
                written[i] = second.request.output(i);
                arguments[i].set(written[i], second.request.outputDimensions(i));
            }
        }

        private void finish(ExecutionRequest request) {
            int small = -1;
            for (int i = 0; i < outputOf.length; i++) {
                if (outputOf[i] >= 0) {
                    int count = OperandBuffers.elements(part.output(outputOf[i]).descriptor(), arguments[i].dimensions);
                    Buffer to = request.output(outputOf[i]);
                    boolean fits = to != null && to.capacity() >= count;
                    request.reportOutput(outputOf[i], arguments[i].dimensions, fits);
                    if (fits && count > 0) {
                        OperandBuffers.copy(arguments[i].data, to, count);
                    }
                    small = fits ? small : i;
                }
            }
            if (small >= 0) {
                throw new NnapiException(
                        ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                        "output " + small + " of WHILE: too little room (expected: "
                                + Arrays.toString(arguments[small].dimensions) + ")");
            }
        }
    }

    /** Which outputs have buffers that may be replaced by larger ones. */
    @FunctionalInterface
    private interface Growing {
        boolean mayGrow(int output);
    }

    /** A model that the operation refers to, as one execution runs it. */
    private static final class Branch {
        private final Compilation compilation;
        private final ExecutionRequest request;
        private final Buffer[] scratch;
        private long hardwareNanos;

        Branch(Compilation compilation) {
            this.compilation = compilation;
            request = new ExecutionRequest(compilation.model());
            scratch = new Buffer[request.outputCount()];
        }

        int count() {
            return scratch.length;
        }

        void bind(Value[] arguments, ExecutionRequest outer) {
            request.control(outer.control());
            request.timed(outer.isTimed());
            request.attributes(outer.attributes());
            for (int i = 0; i < arguments.length; i++) {
                request.passInput(i, arguments[i].data, arguments[i].dimensions);
            }
        }

        void output(int position, Buffer buffer) {
            request.passOutput(position, buffer);
            request.reportOutput(position, null, true);
        }

        /** A buffer for what nobody but this operation reads. */
        Buffer scratch(int position) {
            if (scratch[position] == null) {
                scratch[position] = room(position);
            }
            return scratch[position];
        }

        /** A new buffer as large as the model says, as far as it does. */
        Buffer room(int position) {
            OperandDescriptor output = compilation.model().output(position).descriptor();
            return OperandBuffers.allocate(output, output.isFullySpecified() ? output.dimensions() : new int[] {0});
        }

        void run(Growing growing) {
            while (true) {
                try {
                    compilation.execute(request);
                    long nanos = request.hardwareNanos();
                    hardwareNanos = nanos < 0 || hardwareNanos < 0 ? -1 : hardwareNanos + nanos;
                    return;
                } catch (NnapiException e) {
                    if (e.resultCode() != ResultCode.OUTPUT_INSUFFICIENT_SIZE || !grow(growing)) {
                        throw e;
                    }
                }
            }
        }

        private boolean grow(Growing growing) {
            boolean grown = false;
            for (int i = 0; i < scratch.length; i++) {
                int[] dimensions = request.outputDimensions(i);
                if (growing.mayGrow(i) && !request.isOutputSufficient(i) && dimensions != null) {
                    Buffer larger = OperandBuffers.allocate(
                            compilation.model().output(i).descriptor(), dimensions);
                    if (scratch[i] == request.output(i)) {
                        scratch[i] = larger;
                    }
                    request.passOutput(i, larger);
                    grown = true;
                }
            }
            return grown;
        }

        /** Lets go of the caller's buffers. */
        void release() {
            for (int i = 0; i < request.inputCount(); i++) {
                request.passInput(i, null, null);
            }
            for (int i = 0; i < request.outputCount(); i++) {
                request.passOutput(i, null);
            }
        }
    }
}
