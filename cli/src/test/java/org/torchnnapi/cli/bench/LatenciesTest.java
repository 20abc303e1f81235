package org.torchnnapi.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void percentilesAreNearestRank() {
        Latencies latencies = new Latencies(new double[] {5, 1, 4, 2, 3});
        assertEquals(3, latencies.mean());
        assertEquals(1, latencies.percentile(0));
        assertEquals(3, latencies.percentile(50));
        assertEquals(5, latencies.percentile(90));
        assertEquals(5, latencies.percentile(100));
    }
}
