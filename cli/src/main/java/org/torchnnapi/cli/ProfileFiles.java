package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.nnapi.model.NnapiException;

/** Devices that users name: built-in profiles, and files that describe others. */
final class ProfileFiles {
    private ProfileFiles() {}

    /** The files that a profile is read from. */
    static List<Path> files(String profile) {
        return DeviceProfile.builtIn().contains(profile) ? List.of() : List.of(Paths.get(profile));
    }

    /** @throws CommandFailure if there is none of the name, or the file describes no device */
    static DeviceProfile read(String profile) throws IOException {
        if (DeviceProfile.builtIn().contains(profile)) {
            return DeviceProfile.builtIn(profile);
        }
        Path described = Paths.get(profile);
        if (!Files.isRegularFile(described)) {
            throw new CommandFailure("profile: \"" + profile + "\" is no built-in one and no file (expected: one of "
                    + DeviceProfile.builtIn() + ", or a file that describes a device)");
        }
        try {
            return DeviceProfile.parse(new String(Files.readAllBytes(described), StandardCharsets.UTF_8));
        } catch (NnapiException e) {
            throw new CommandFailure(profile + ": " + e.getMessage(), e);
        }
    }
}
