package org.torchnnapi.api;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Loads models for NNAPI devices of one's choice. Who has no wishes uses {@link org.pytorch.Module}, which does the
 * same with all devices. Immutable and safe for use by several threads; each {@code with} method gives another runtime.
 *
 * <p>Devices are found by {@link java.util.ServiceLoader} among the implementations of
 * {@link org.torchnnapi.nnapi.driver.Driver}. They belong to the process and are never closed; what they hold for a
 * model is freed when the {@link LoadedModel} is closed.
 */
public final class NnapiRuntime {
    private final EngineOptions options;

    private NnapiRuntime(EngineOptions options) {
        this.options = options;
    }

    /**
     * All devices that are installed, of which the runtime chooses operation by operation; what a device fails at the
     * reference device finishes.
     */
    public static NnapiRuntime create() {
        return new NnapiRuntime(EngineOptions.defaults());
    }

    /** The names of the devices, such as {@code cpu} and {@code reference}. */
    public List<String> devices() {
        return options.devices().all().stream().map(Device::name).collect(Streams.toList());
    }

    /**
     * Uses these devices and no others; a model that they do not take, or fail at, fails.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA naming the devices there are, if there is none of a
     *     name
     */
    public NnapiRuntime withDevices(String... names) {
        Arrays.stream(names).forEach(options.devices()::find);
        return new NnapiRuntime(options.withOnly(List.of(names)));
    }

    /** Aims for something else than what models ask for; null for what they do. */
    public NnapiRuntime withPreference(Preference preference) {
        return new NnapiRuntime(options.withPreference(preference));
    }

    /** How long a device may take for its part of a model before it counts as hung; null to wait for it. */
    public NnapiRuntime withDeviceTimeout(Duration timeout) {
        return new NnapiRuntime(options.withDeviceTimeout(timeout));
    }

    /** Whether the reference device finishes what a device fails at that the runtime chose. */
    public NnapiRuntime withFallback(boolean allowed) {
        return new NnapiRuntime(options.withFallback(allowed));
    }

    /**
     * Loads a {@code .pt} or {@code .ptl} file, ordinary or converted. The file must not change while the model is in
     * use, as weights stay in it until they are packed.
     *
     * @return to be closed by the caller; safe for use by several threads as {@link LoadedModel} says
     * @throws IOException if the file cannot be opened
     * @throws org.torchnnapi.torchscript.format.ArchiveException if it is no TorchScript file, or damaged
     */
    public LoadedModel load(Path model) throws IOException {
        return LoadedModel.load(Objects.requireNonNull(model, "model"), options);
    }
}
