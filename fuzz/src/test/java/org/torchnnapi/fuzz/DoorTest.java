package org.torchnnapi.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
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

    /** Otherwise what is damaged never reaches the reader that the door is for. */
    @ParameterizedTest
    @EnumSource(Door.class)
    void looksAtWhatComesIn(Door door) throws Throwable {
        assertFalse(door.enter(new byte[0]), "nothing");
        assertFalse(door.enter("neither this nor that".getBytes(StandardCharsets.UTF_8)), "text");
    }

    /** Sound inputs, a few damaged ones, and whatever fuzzing once found. */
    @ParameterizedTest
    @EnumSource(Door.class)
    void takesOrRefuses(Door door) throws Throwable {
        List<byte[]> seeds = door.seeds();
        Random random = new Random(17);
        boolean taken = false;
        for (byte[] seed : seeds) {
            taken |= door.enter(seed);
            for (int i = 0; i < DAMAGED && seed.length > 0; i++) {
                byte[] damaged = seed.clone();
                for (int k = random.nextInt(4); k >= 0; k--) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
                }
                door.enter(damaged);
            }
        }
        assertTrue(taken, "no seed is sound");
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
