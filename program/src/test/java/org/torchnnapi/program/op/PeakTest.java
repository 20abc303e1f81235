package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PeakTest {
    private static final double TOLERANCE = 1e-5;
    private final Peak peak = new Peak();

    /**
     * The quadratic {@code height - a (x - px)^2 - b (y - py)^2 - c (x - px) (y - py)} at the pixels around column and
     * row 0.
     */
    private static float[] around(double px, double py, double a, double b, double c, double height) {
        float[] z = new float[Peak.AROUND];
        for (int i = 0; i < z.length; i++) {
            double x = i % 3 - 1 - px;
            double y = i / 3 - 1 - py;
            z[i] = (float) (height - a * x * x - b * y * y - c * x * y);
        }
        return z;
    }

    @Test
    void findsThePeakOfAQuadratic() {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            double px = random.nextDouble() - 0.5;
            double py = random.nextDouble() - 0.5;
            double height = random.nextDouble() * 4;
            peak.refine(
                    5,
                    9,
                    around(px, py, 1 + random.nextDouble(), 1 + random.nextDouble(), random.nextDouble() - 0.5, height),
                    TOLERANCE);
            assertEquals(5 + px, peak.x(), 1e-5);
            assertEquals(9 + py, peak.y(), 1e-5);
            assertEquals(height, peak.score(), 1e-5);
        }
    }

    @Test
    void aFlatPlaceStaysWhereItIs() {
        peak.refine(3, 4, new float[] {1, 1, 1, 1, 1, 1, 1, 1, 1}, TOLERANCE);
        assertEquals(3, peak.x());
        assertEquals(4, peak.y());
        assertEquals(1, peak.score());
    }

    @Test
    void aFarPeakIsMovedBack() {
        peak.refine(3, 4, around(6, -3, 1, 1, 0, 0), TOLERANCE);
        assertEquals(3 + 1.5, peak.x(), 1e-6);
        assertEquals(4 - 0.75, peak.y(), 1e-6);
    }

    @Test
    void pixelsPastTheEdgeAreMirrored() {
        assertEquals(1, Peak.mirrored(-1, 7));
        assertEquals(5, Peak.mirrored(7, 7));
        assertEquals(3, Peak.mirrored(3, 7));
    }
}
