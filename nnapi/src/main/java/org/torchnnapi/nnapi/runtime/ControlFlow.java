package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * The runtime itself, as what IF and WHILE operations are placed on: each is a step of its own, and the models that it
 * refers to are divided among devices like any other, see {@link ControlFlowPart}. No device that applications see.
 */
final class ControlFlow implements Driver {
    static final Device RUNTIME = new Device(new ControlFlow(), System::nanoTime);

    /** Deciding which model runs next is next to nothing. */
    private static final Performance STEERING = new Performance(0.01f, 0.01f);

    private ControlFlow() {}

    static boolean isRuntime(Device device) {
        return device == RUNTIME;
    }

    /**
     * The devices, and the runtime where it has something to decide: not if the reference device, which takes
     * everything, is the only one.
     */
    static List<Device> candidates(Model model, List<Device> devices) {
        boolean steers = model.operations().stream()
                        .anyMatch(operation -> operation.type().isControlFlow())
                && !(devices.size() == 1 && devices.get(0).isReference());
        if (!steers) {
            return devices;
        }
        List<Device> all = new ArrayList<>(devices);
        all.add(RUNTIME);
        return all;
    }

    @Override
    public String name() {
        return "runtime";
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
        return FeatureLevel.newest();
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Map.of(), Performance.UNKNOWN, STEERING, STEERING);
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        List<DeviceRefusal> refusals = new ArrayList<>();
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            if (!operation.type().isControlFlow()) {
                refusals.add(DeviceRefusal.of(i, "operation", operation.type(), "IF or WHILE"));
            }
        }
        return refusals;
    }

    @Override
    public PartRules partRules() {
        return new PartRules() {
            @Override
            public boolean standsAlone(Operation operation) {
                return true;
            }
        };
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        throw new NnapiException(ResultCode.BAD_STATE, "IF and WHILE (expected: compiled with their models)");
    }
}
