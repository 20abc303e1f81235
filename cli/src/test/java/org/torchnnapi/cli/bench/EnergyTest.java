package org.torchnnapi.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnergyTest {
    @TempDir
    private Path root;

    private Path zone(String name, long energy, long range) throws IOException {
        Path zone = Files.createDirectories(root.resolve(name));
        Files.writeString(zone.resolve("energy_uj"), energy + "\n");
        Files.writeString(zone.resolve("max_energy_range_uj"), range + "\n");
        return zone;
    }

    @Test
    void packagesAreAddedUpAndWrapAround() throws IOException {
        Path first = zone("intel-rapl:0", 1_000, 1_000_000);
        zone("intel-rapl:0:0", 5, 1_000_000);
        Path second = zone("intel-rapl:1", 999_000, 1_000_000);
        int[] runs = {0};
        Energy.Use use = new Energy(root).measure(() -> {
            try {
                Thread.sleep(60);
                runs[0]++;
                Files.writeString(first.resolve("energy_uj"), String.valueOf(1_000 + 3_000 * runs[0]));
                Files.writeString(second.resolve("energy_uj"), String.valueOf((999_000 + 2_000 * runs[0]) % 1_000_000));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertEquals(runs[0], use.runs());
        assertEquals(5.0, use.millijoules(), 1e-9);
        assertTrue(use.toString().startsWith("Energy: 5.000 mJ a run"), use.toString());
    }

    @Test
    void whereThereIsNoCounterOneLineSaysSo() throws IOException {
        assertTrue(assertThrows(IOException.class, () -> new Energy(root).measure(() -> {}))
                .getMessage()
                .startsWith("Energy: not known, as " + root));
        Files.writeString(zone("intel-rapl:0", 1, 1).resolve("energy_uj"), "soup");
        assertTrue(assertThrows(IOException.class, () -> new Energy(root).measure(() -> {}))
                .getMessage()
                .contains("holds soup"));
    }
}
