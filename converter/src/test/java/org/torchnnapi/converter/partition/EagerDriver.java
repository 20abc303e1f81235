package org.torchnnapi.converter.partition;

import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;

/** Says of itself that it is fast and takes all operations; what comes of them is for those that extend it. */
abstract class EagerDriver implements Driver {
    private final String name;

    EagerDriver(String name) {
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
        return DeviceType.ACCELERATOR;
    }

    @Override
    public FeatureLevel featureLevel() {
        return FeatureLevel.V1_3;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.uniform(new Capabilities.Performance(0.1f, 0.1f));
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        return List.of();
    }
}
