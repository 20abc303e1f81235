package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Sessions;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;

/**
 * A model some of whose parameters its own operations compute, or some of whose operations no program does, cut into stages that run one
 * after the other: what computes a parameter is in an earlier stage than what needs it, and what no program does is in stages of its own.
 */
final class StagedModel implements PreparedModel {
    private final Model model;
    private final List<ModelSlice> slices;
    private final List<PreparedModel> stages;
    /** By operand its place among the model's inputs and outputs, -1 if it has none. */
    private final int[] inputOf;
    private final int[] outputOf;
    /** By operand whether a later stage reads what an earlier one makes. */
    private final boolean[] handedOver;
    private final Sessions<Session> sessions = new Sessions<>(Session::new);

    /** @param stages what each slice became */
    StagedModel(Model model, List<ModelSlice> slices, List<PreparedModel> stages) {
        this.model = model;
        this.slices = slices;
        this.stages = stages;
        inputOf = positions(model.inputs());
        outputOf = positions(model.outputs());
        handedOver = new boolean[model.operands().size()];
        for (ModelSlice slice : slices) {
            for (int input : slice.inputs()) {
                handedOver[input] = inputOf[input] < 0;
            }
        }
    }

    private int[] positions(int[] operands) {
        int[] positions = new int[model.operands().size()];
        Arrays.fill(positions, -1);
        for (int i = 0; i < operands.length; i++) {
            positions[operands[i]] = i;
        }
        return positions;
    }

    /** The stages of a model's operations; one alone where no operation computes a parameter and all or none are done by programs. */
    static List<ModelSlice> cut(Model model, int[][] shapes) {
        ModelSlice.Source source = new ModelSlice.Source(model, shapes);
        int[] stage = new int[model.operations().size()];
        boolean[] single = new boolean[stage.length];
        int last = 0;
        for (int i = 0; i < stage.length; i++) {
            Operation operation = model.operations().get(i);
            Site site = new Site(model, operation);
            StageKind apart = Kinds.of(site) instanceof StageKind kind ? kind : null;
            single[i] = apart != null && apart.isSingle();
            for (int j = 0; j < operation.inputCount(); j++) {
                int writer = source.writer(operation.input(j));
                if (writer >= 0) {
                    boolean later = site.isOpenParameter(j) || single[i] || single[writer];
                    stage[i] = Math.max(stage[i], stage[writer] + (later ? 1 : 0));
                }
            }
            // Programs have the even stages, the others the odd ones.
            stage[i] += stage[i] % 2 == (apart != null ? 1 : 0) ? 0 : 1;
            last = Math.max(last, stage[i]);
        }
        List<ModelSlice> slices = new ArrayList<>();
        for (int number = 0; number <= last; number++) {
            int stageNumber = number;
            int[] members = IntStream.range(0, stage.length).filter(i -> stage[i] == stageNumber && !single[i]).toArray();
            if (members.length > 0) {
                slices.add(ModelSlice.of(source, stage, number, members));
            }
            for (int i = 0; i < stage.length; i++) {
                if (stage[i] == number && single[i]) {
                    slices.add(ModelSlice.of(source, stage, number, new int[] {i}));
                }
            }
        }
        return slices;
    }

    /** What one execution at a time needs. */
    private final class Session {
        private final List<ExecutionRequest> requests = new ArrayList<>();
        /** By operand that is handed over: where it is, and its shape. */
        private final Buffer[] values = new Buffer[handedOver.length];
        private final int[][] shapes = new int[handedOver.length][];

        Session() {
            for (ModelSlice slice : slices) {
                requests.add(new ExecutionRequest(slice.model()));
            }
        }

        void execute(ExecutionRequest request) {
            NnapiException small = null;
            for (int i = 0; i < stages.size(); i++) {
                ExecutionRequest part = requests.get(i);
                part.control(request.control());
                bind(slices.get(i), part, request);
                NnapiException failure = run(slices.get(i), part, stages.get(i));
                small = failure == null ? small : failure;
                report(slices.get(i), part, request);
            }
            if (small != null) {
                throw small;
            }
        }

        private void bind(ModelSlice slice, ExecutionRequest part, ExecutionRequest request) {
            for (int i = 0; i < slice.inputs().length; i++) {
                int operand = slice.inputs()[i];
                int input = inputOf[operand];
                boolean open = !slice.model().input(i).descriptor().isFullySpecified();
                part.passInput(i, input >= 0 ? request.input(input) : values[operand],
                        input >= 0 ? request.inputDimensions(input) : open ? shapes[operand] : null);
            }
            for (int i = 0; i < slice.outputs().length; i++) {
                int operand = slice.outputs()[i];
                OperandDescriptor descriptor = slice.model().output(i).descriptor();
                if (handedOver[operand] && values[operand] == null && descriptor.isFullySpecified()) {
                    values[operand] = OperandBuffers.allocate(descriptor.type(), (int) descriptor.elementCount());
                }
                part.passOutput(i, handedOver[operand] ? values[operand] : request.output(outputOf[operand]));
            }
        }

        /** Runs a stage, with larger buffers for what it hands over where they are too small; returns what is wrong with the caller's own. */
        private NnapiException run(ModelSlice slice, ExecutionRequest part, PreparedModel stage) {
            while (true) {
                try {
                    stage.execute(part);
                    return null;
                } catch (NnapiException e) {
                    if (e.resultCode() != ResultCode.OUTPUT_INSUFFICIENT_SIZE) {
                        throw e;
                    }
                    if (!grow(slice, part)) {
                        return e;
                    }
                }
            }
        }

        private boolean grow(ModelSlice slice, ExecutionRequest part) {
            boolean grown = false;
            for (int i = 0; i < slice.outputs().length; i++) {
                int operand = slice.outputs()[i];
                if (handedOver[operand] && !part.isOutputSufficient(i) && part.outputDimensions(i) != null) {
                    int[] shape = part.outputDimensions(i);
                    values[operand] = OperandBuffers.allocate(slice.model().output(i).type(), Site.product(shape, 0, shape.length));
                    part.passOutput(i, values[operand]);
                    grown = true;
                }
            }
            return grown;
        }

        private void report(ModelSlice slice, ExecutionRequest part, ExecutionRequest request) {
            for (int i = 0; i < slice.outputs().length; i++) {
                int operand = slice.outputs()[i];
                shapes[operand] = part.outputDimensions(i);
                int output = outputOf[operand];
                if (output < 0) {
                    continue;
                }
                boolean fits = part.isOutputSufficient(i);
                if (handedOver[operand]) {
                    int count = Site.product(shapes[operand], 0, shapes[operand].length);
                    fits = request.output(output) != null && request.output(output).capacity() >= count;
                    if (fits) {
                        OperandBuffers.copy(values[operand], request.output(output), count);
                    }
                }
                request.reportOutput(output, shapes[operand], fits);
            }
        }
    }

    @Override
    public void execute(ExecutionRequest request) {
        Session session = sessions.take();
        try {
            session.execute(request);
        } finally {
            sessions.giveBack(session, true);
        }
    }

    @Override
    public DeviceMemory memory() {
        return stages.stream().map(PreparedModel::memory).reduce(DeviceMemory.NONE, DeviceMemory::plus);
    }

    @Override
    public void profile() {
        stages.forEach(PreparedModel::profile);
    }

    @Override
    public List<StepTime> stepTimes() {
        return stages.stream().flatMap(stage -> stage.stepTimes().stream()).toList();
    }

    @Override
    public void close() {
        sessions.clear();
        stages.forEach(PreparedModel::close);
    }
}
