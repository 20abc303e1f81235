package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.StaticShapes;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.model.Specialization;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.Program;

/** The device named "cpu": floats and 8-bit numbers over the fast kernels, on all processors. */
public final class CpuDriver implements Driver {
    public static final String NAME = "cpu";

    /** Relative to the reference: an assumption for the partitioner, well below what either measures on small models. */
    private static final Performance FAST = new Performance(0.05f, 0.05f);

    public CpuDriver() {
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
        for (OperandType type : Site.COMPUTED) {
            byType.put(type, FAST);
        }
        return new Capabilities(byType, FAST, Performance.BASE, Performance.BASE);
    }

    @Override
    public List<String> supportedOperations(Model model) {
        Model known = model;
        try {
            known = resolved(model, StaticShapes.of(model));
        } catch (NnapiException e) {
            // Executions will say what is wrong; until then the model is asked about as it is.
        }
        List<String> answers = new ArrayList<>(model.operations().size());
        for (Operation operation : known.operations()) {
            answers.add(Kinds.refusal(new Site(known, operation)));
        }
        return answers;
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        options.control().check();
        Runnable check = options.control()::check;
        int[][] shapes = StaticShapes.of(model);
        checkShapes(model, shapes);
        Model known = resolved(model, shapes);
        List<ModelSlice> stages = StagedModel.cut(known, shapes);
        if (stages.size() == 1) {
            return prepareStage(known, check);
        }
        List<PreparedModel> prepared = new ArrayList<>();
        for (ModelSlice stage : stages) {
            prepared.add(prepareStage(stage.model(), check));
        }
        return new StagedModel(known, stages, prepared);
    }

    private static PreparedModel prepareStage(Model stage, Runnable check) {
        for (Operation operation : stage.operations()) {
            Site site = new Site(stage, operation);
            String refusal = Kinds.refusal(site);
            if (refusal != null) {
                throw new NnapiException(ResultCode.BAD_DATA, operation.type() + ": " + refusal);
            }
            if (Kinds.of(site) instanceof StageKind kind) {
                return kind.prepare(stage);
            }
            if (!site.isKnown()) {
                return new FlexibleModel(stage);
            }
        }
        return program(stage, check);
    }

    /**
     * A model of known shapes and parameters as a program.
     *
     * @throws NnapiException BAD_DATA if an operation is refused
     */
    static PreparedModel program(Model model, Runnable check) {
        Graph graph = Translation.of(model, check);
        try {
            return new CpuModel(model, Program.compile(graph, check));
        } catch (IllegalArgumentException e) {
            throw new NnapiException(ResultCode.OP_FAILED, "model: " + e.getMessage(), e);
        }
    }

    /** The model with the shapes that it leaves open but that follow from it. */
    static Model resolved(Model model, int[][] shapes) {
        Specialization more = new Specialization(model);
        boolean any = false;
        for (int i = 0; i < shapes.length; i++) {
            if (shapes[i] != null && !model.operand(i).descriptor().isFullySpecified()) {
                more.shape(i, shapes[i]);
                any = true;
            }
        }
        return any ? more.finish((operation, input) -> false) : model;
    }

    private static void checkShapes(Model model, int[][] shapes) {
        for (int i = 0; i < shapes.length; i++) {
            if (model.operand(i).type().isTensor() && shapes[i] != null && model.operand(i).descriptor().isFullySpecified()
                    && !Arrays.equals(shapes[i], model.operand(i).descriptor().dimensions())) {
                throw new NnapiException(ResultCode.BAD_DATA, "operand " + i + ": " + model.operand(i).descriptor() + " (expected: "
                        + Arrays.toString(shapes[i]) + ")");
            }
        }
    }
}
