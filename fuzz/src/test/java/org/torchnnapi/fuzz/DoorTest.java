package org.torchnnapi.fuzz;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DoorTest {
    private static final Path FINDINGS = Path.of("src", "test", "findings");
    private static final int DAMAGED = 30;

    /** Sound inputs, a few damaged ones, and whatever fuzzing once found. */
    @ParameterizedTest
    @EnumSource(Door.class)
    void takesOrRefuses(Door door) throws Throwable {
        List<byte[]> seeds = door.seeds();
        Random random = new Random(17);
        for (byte[] seed : seeds) {
            door.enter(seed);
            for (int i = 0; i < DAMAGED && seed.length > 0; i++) {
                byte[] damaged = seed.clone();
                for (int k = random.nextInt(4); k >= 0; k--) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
                }
                door.enter(damaged);
            }
        }
        Path findings = FINDINGS.resolve(door.name().toLowerCase(Locale.ROOT));
        if (Files.isDirectory(findings)) {
            try (Stream<Path> files = Files.list(findings)) {
                for (Path file : files.sorted().toList()) {
                    door.enter(Files.readAllBytes(file));
                }
            }
        }
    }
}
