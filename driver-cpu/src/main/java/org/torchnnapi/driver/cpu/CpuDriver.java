package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;

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
        return new CpuModel(Program.compile(model, options.control()));
    }
}
