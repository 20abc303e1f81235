package org.torchnnapi.benchmarks.nnapi;

import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;

/** A device that takes everything and computes nothing, so that only the runtime is measured. */
final class IdleDriver implements Driver {
    private final String name;

    IdleDriver(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
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
        return Capabilities.uniform(new Capabilities.Performance(0.5f, 0.5f));
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        return List.of();
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        int[][] shapes = new int[model.outputCount()][];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = model.output(i).descriptor().dimensions();
        }
        return new PreparedModel() {
            @Override
            public void execute(ExecutionRequest request) {
                for (int i = 0; i < shapes.length; i++) {
                    request.reportOutput(i, shapes[i], true);
                }
            }

            @Override
            public void close() {}
        };
    }
}
