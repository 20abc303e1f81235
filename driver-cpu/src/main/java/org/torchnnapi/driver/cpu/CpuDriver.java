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
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.Program;

/** The device named "cpu": float32 and 8-bit operations of known shape over the fast kernels, on all processors. */
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
        for (OperandType type : Site.SUPPORTED) {
            byType.put(type, FAST);
        }
        return new Capabilities(byType, FAST, Performance.BASE, Performance.BASE);
    }

    @Override
    public List<String> supportedOperations(Model model) {
        List<String> answers = new ArrayList<>(model.operations().size());
        for (Operation operation : model.operations()) {
            answers.add(Kinds.refusal(new Site(model, operation)));
        }
        return answers;
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        options.control().check();
        Runnable check = options.control()::check;
        checkShapes(model);
        Graph graph = Translation.of(model, check);
        try {
            return new CpuModel(model, Program.compile(graph, check));
        } catch (IllegalArgumentException e) {
            throw new NnapiException(ResultCode.OP_FAILED, "model: " + e.getMessage(), e);
        }
    }

    private static void checkShapes(Model model) {
        int[][] shapes = StaticShapes.of(model);
        for (int i = 0; i < shapes.length; i++) {
            if (model.operand(i).type().isTensor() && shapes[i] != null
                    && !Arrays.equals(shapes[i], model.operand(i).descriptor().dimensions())) {
                throw new NnapiException(ResultCode.BAD_DATA, "operand " + i + ": " + model.operand(i).descriptor() + " (expected: "
                        + Arrays.toString(shapes[i]) + ")");
            }
        }
    }
}
