package org.torchnnapi.driver.android;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.Extension;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelValidator;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tensor.platform.Reachability;

/** One device of the system's runtime. */
final class SystemDriver implements Driver {
    /** Without a list of devices the system is asked for no device, and answers no question about operations. */
    private static final PartRules KNOWN_SHAPES = new PartRules() {
        @Override
        public boolean needsShapes() {
            return true;
        }
    };

    private final SystemLibrary system;
    /** 0 for all devices together. */
    private final long device;

    private final String name;
    private final String version;
    private final DeviceType type;
    private final FeatureLevel level;

    SystemDriver(SystemLibrary system, long device, String name, String version, DeviceType type, FeatureLevel level) {
        this.system = system;
        this.device = device;
        this.name = name;
        this.version = version;
        this.type = type;
        this.level = level;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public DeviceType type() {
        return type;
    }

    @Override
    public FeatureLevel featureLevel() {
        return level;
    }

    SystemLibrary system() {
        return system;
    }

    long device() {
        return device;
    }

    /** Whether the system's runtime has a function of a release, and this device that release. */
    boolean has(FeatureLevel needed, String function) {
        return level.includes(needed) && system.has(function);
    }

    /**
     * The C interface tells no figures. What the system calls an accelerator or a GPU is taken to be faster than the
     * reference CPU by as much as drivers commonly claim; a CPU to be no faster than it, as ours is, whose kernels know
     * the processor.
     */
    @Override
    public Capabilities capabilities() {
        return Capabilities.uniform(
                switch (type) {
                    case ACCELERATOR -> new Performance(0.1f, 0.1f);
                    case GPU -> new Performance(0.2f, 0.4f);
                    default -> Performance.BASE;
                });
    }

    @Override
    public PartRules partRules() {
        return device == 0 ? KNOWN_SHAPES : PartRules.NONE;
    }

    /**
     * The system's runtime lists no extensions; it is asked by name. Of operations that vendors gave a meaning before
     * there were extensions it is asked like of any other.
     */
    @Override
    public boolean hasExtension(String extension) {
        if (device == 0) {
            return false;
        }
        if (extension.equals(Extension.OEM.name())) {
            return true;
        }
        if (!has(FeatureLevel.V1_2, "Device_getExtensionSupport")) {
            return false;
        }
        ForeignMemory text = ForeignMemory.of(extension);
        ForeignMemory answer = new ForeignMemory(1);
        system.must("Device_getExtensionSupport", device, text.address(), answer.address());
        Reachability.fence(text);
        return answer.bytes().get(0) != 0;
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        List<DeviceRefusal> refusals = new ArrayList<>();
        BitSet possible = new BitSet();
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            FeatureLevel needed =
                    ModelValidator.verdict(model, operation).need().level();
            if (level.includes(needed)) {
                possible.set(i);
            } else {
                refusals.add(DeviceRefusal.of(i, "feature level", needed, "at most " + level));
            }
        }
        if (device != 0 && !possible.isEmpty()) {
            ask(model, possible, refusals);
        }
        refusals.sort((a, b) -> Integer.compare(a.operation(), b.operation()));
        return refusals;
    }

    /** Asks the system of all operations at once, or one by one where it takes no model of them all. */
    private void ask(Model model, BitSet asked, List<DeviceRefusal> refusals) {
        boolean[] supported;
        try (SystemModel built = SystemModel.of(system, model, asked::get)) {
            supported = supported(built, asked.cardinality());
        } catch (NnapiException e) {
            if (asked.cardinality() == 1) {
                refusals.add(DeviceRefusal.of(
                        asked.nextSetBit(0), "system", e.getMessage(), "an operation that its runtime takes"));
                return;
            }
            for (int i = asked.nextSetBit(0); i >= 0; i = asked.nextSetBit(i + 1)) {
                BitSet alone = new BitSet();
                alone.set(i);
                ask(model, alone, refusals);
            }
            return;
        }
        int at = 0;
        for (int i = asked.nextSetBit(0); i >= 0; i = asked.nextSetBit(i + 1)) {
            if (!supported[at++]) {
                refusals.add(DeviceRefusal.of(
                        i, "system", model.operations().get(i).name(), "an operation that " + name + " supports"));
            }
        }
    }

    private boolean[] supported(SystemModel model, int count) {
        ForeignMemory devices = new ForeignMemory(ForeignMemory.WORD);
        devices.putWord(0, device);
        ForeignMemory answers = new ForeignMemory(count);
        system.must("Model_getSupportedOperationsForDevices", model.handle(), devices.address(), 1, answers.address());
        boolean[] supported = new boolean[count];
        for (int i = 0; i < count; i++) {
            supported[i] = answers.bytes().get(i) != 0;
        }
        Reachability.fence(devices);
        return supported;
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        return SystemProgram.prepare(this, model, options);
    }

    /** Nothing was cached before Android 10. */
    @Override
    public boolean keepsCacheData() {
        return device != 0 && has(FeatureLevel.V1_2, "Compilation_setCaching");
    }

    @Override
    public DeviceBuffer allocate(OperandDescriptor operand, List<MemoryRole> roles) {
        return device != 0 && has(FeatureLevel.V1_3, "Memory_createFromDesc")
                ? SystemBuffer.allocated(this, operand, roles)
                : null;
    }

    @Override
    public DeviceBuffer importMemory(int descriptor, long offset, ByteBuffer mapped) {
        return device == 0 ? null : SystemBuffer.imported(this, descriptor, offset, mapped);
    }

    @Override
    public String toString() {
        return name;
    }
}
