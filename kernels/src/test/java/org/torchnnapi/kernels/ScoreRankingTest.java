package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Against a stable sort of all, with many equal scores, zeros of both signs, infinities and NaN; few scores and more
 * than are sorted at once.
 */
class ScoreRankingTest {
    private final ScoreRanking ranking = new ScoreRanking();

    @Test
    void equalsAStableSort() {
        Random random = new Random(3);
        float[] rare = {0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
        for (int count : new int[] {0, 1, 5, 100, 2048, 2049, 9000}) {
            int offset = random.nextInt(3);
            float[] scores = new float[offset + count];
            for (int i = 0; i < scores.length; i++) {
                scores[i] = random.nextInt(20) == 0
                        ? rare[random.nextInt(rare.length)]
                        : random.nextBoolean() ? random.nextInt(7) / 7f : (float) random.nextGaussian();
            }
            for (int most : new int[] {0, 1, 7, count / 3, count, count + 5}) {
                int wanted = Math.min(most, count);
                int[] places = new int[wanted];
                ranking.best(scores, offset, count, most, places);
                int[] expected = IntStream.range(0, count)
                        .boxed()
                        .sorted((a, b) -> Float.compare(scores[offset + b], scores[offset + a]))
                        .mapToInt(Integer::intValue)
                        .limit(wanted)
                        .toArray();
                assertArrayEquals(expected, places, most + " of " + count);
            }
        }
    }

    @Test
    void allEqualStayInOrder() {
        float[] scores = new float[5000];
        Arrays.fill(scores, 0.5f);
        int[] places = new int[100];
        ranking.best(scores, 0, scores.length, places.length, places);
        assertArrayEquals(IntStream.range(0, 100).toArray(), places);
    }

    @Test
    void noRoomIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> ranking.best(new float[3], 1, 3, 1, new int[1]));
        assertThrows(IllegalArgumentException.class, () -> ranking.best(new float[3], 0, 3, 2, new int[1]));
    }
}
