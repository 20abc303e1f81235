package org.torchnnapi.cli;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.nnapi.driver.Preference;
import picocli.CommandLine.Option;

/** Which devices run the NNAPI parts of a model. */
final class DeviceOptions {
    @Option(
            names = "--device",
            paramLabel = "NAME",
            description = "Use only this device (repeatable), and fail where it fails; see the devices command.")
    private List<String> devices = new ArrayList<>();

    @Option(
            names = "--preference",
            paramLabel = "WHAT",
            description = "low_power, fast_single_answer or sustained_speed, instead of what the model asks for.")
    private Preference preference;

    @Option(
            names = "--no-fallback",
            description =
                    "Fail when a device that the runtime chose fails, instead of finishing on the reference device.")
    private boolean noFallback;

    EngineOptions engine() {
        EngineOptions options = EngineOptions.defaults();
        for (String device : devices) {
            options.devices().find(device);
        }
        return options.withOnly(devices).withPreference(preference).withFallback(!noFallback);
    }
}
