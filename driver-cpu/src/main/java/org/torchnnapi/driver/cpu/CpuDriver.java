package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.MemoryPreference;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.StaticShapes;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.program.Program;

/**
 * The device named "cpu": floats and 8-bit numbers over the fast kernels, on all processors. It keeps no cache data:
 * packing weights takes about as long as reading and checking packed ones, whose digest alone takes longer
 * (docs/BENCHMARKS.md has the figures).
 */
public final class CpuDriver implements Driver {
    public static final String NAME = "cpu";

    private static final Logger LOG = Logger.getLogger(CpuDriver.class.getName());

    /**
     * Relative to the reference: an assumption for the partitioner, well below what either measures on small models.
     */
    private static final Performance FAST = new Performance(0.05f, 0.05f);

    /** The same where products of floats are computed with 16-bit ones, twice as many an instruction. */
    private static final Performance HALVES = new Performance(0.03f, 0.03f);

    /** A program is made of known shapes, and of constants where it cannot take a value from an execution. */
    private static final PartRules RULES = new PartRules() {
        @Override
        public boolean needsShapes() {
            return true;
        }

        @Override
        public boolean needsValue(Model model, Operation operation, int input) {
            return new OperationView(model, operation).isOpenParameter(input);
        }

        @Override
        public boolean standsAlone(Operation operation) {
            return LoweringTable.of(operation.type()) instanceof DynamicOutputLowering;
        }
    };

    /** All devices of this name are the same processors. */
    private static final PriorityScheduler EXECUTIONS = PriorityScheduler.ofProcessors();

    private static final PriorityScheduler PREPARATIONS = PriorityScheduler.ofProcessors();

    private final PriorityScheduler executions;
    private final PriorityScheduler preparations;

    public CpuDriver() {
        this(EXECUTIONS, PREPARATIONS);
    }

    /**
     * @param executions what executions wait for
     * @param preparations what preparations wait for, which keep no execution from working
     */
    CpuDriver(PriorityScheduler executions, PriorityScheduler preparations) {
        this.executions = executions;
        this.preparations = preparations;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public DeviceType type() {
        return DeviceType.CPU;
    }

    @Override
    public FeatureLevel featureLevel() {
        return FeatureLevel.V1_3;
    }

    @Override
    public Capabilities capabilities() {
        Map<OperandType, Performance> byType = new EnumMap<>(OperandType.class);
        for (OperandType type : OperandType.values()) {
            byType.put(type, Performance.BASE);
        }
        for (OperandType type : OperationView.COMPUTED) {
            byType.put(type, FAST);
        }
        Performance relaxed = Kernels.computesHalves() ? HALVES : FAST;
        byType.put(OperandType.TENSOR_FLOAT16, relaxed);
        return new Capabilities(byType, relaxed, Performance.BASE, Performance.BASE);
    }

    /** Whole lines of the cache; kernels take every length by themselves. */
    @Override
    public MemoryPreference memoryPreference() {
        return new MemoryPreference(64, 1);
    }

    @Override
    public DeviceBuffer allocate(OperandDescriptor operand, List<MemoryRole> roles) {
        return new CpuBuffer(this, operand.byteCount());
    }

    @Override
    public PartRules partRules() {
        return RULES;
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        Model known = model;
        try {
            known = StaticShapes.resolved(model, StaticShapes.of(model));
        } catch (NnapiException e) {
            // Executions will say what is wrong; until then the model is asked about as it is.
        }
        List<DeviceRefusal> refusals = new ArrayList<>();
        for (int i = 0; i < known.operations().size(); i++) {
            Problem problem = LoweringTable.refusal(
                    new OperationView(known, known.operations().get(i)));
            if (problem != null) {
                refusals.add(new DeviceRefusal(i, problem));
            }
        }
        return refusals;
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        if (options.cached() != null) {
            LOG.warning("device " + NAME + ": cache data of " + options.cached().length
                    + " bytes (expected: none, it keeps none); the model is compiled anew");
        }
        options.control().check();
        preparations.take(options.priority(), options.control());
        try {
            return prepared(model, options);
        } finally {
            preparations.giveBack();
        }
    }

    private PreparedModel prepared(Model model, PrepareOptions options) {
        int[][] shapes = StaticShapes.of(model);
        checkShapes(model, shapes);
        Model known = StaticShapes.resolved(model, shapes);
        OperationView first = known.operations().isEmpty()
                ? null
                : new OperationView(known, known.operations().get(0));
        if (first != null
                && LoweringTable.of(first) instanceof DynamicOutputLowering kind
                && known.operations().size() == 1) {
            return kind.prepare(known, executions, options.priority());
        }
        Runnable check = options.control()::check;
        Translation.Translated translated = Translation.of(known, check);
        try {
            Program program = Program.compile(translated.graph(), check);
            return new CpuModel(known, program, translated.operations(), executions, options.priority());
        } catch (IllegalArgumentException e) {
            throw new NnapiException(ResultCode.OP_FAILED, "model: " + e.getMessage(), e);
        }
    }

    private static void checkShapes(Model model, int[][] shapes) {
        for (int i = 0; i < shapes.length; i++) {
            if (model.operand(i).type().isTensor()
                    && shapes[i] != null
                    && model.operand(i).descriptor().isFullySpecified()
                    && !Arrays.equals(shapes[i], model.operand(i).descriptor().dimensions())) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "operand " + i + ": " + model.operand(i).descriptor() + " (expected: "
                                + Arrays.toString(shapes[i]) + ")");
            }
        }
    }
}
