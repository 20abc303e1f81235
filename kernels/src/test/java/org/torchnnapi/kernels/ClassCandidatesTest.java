package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClassCandidatesTest {
    @Test
    void areThoseAboveTheThresholdInOrder() {
        Random random = new Random(2);
        ClassCandidates candidates = new ClassCandidates();
        for (int boxes : new int[] {0, 1, 9, 40}) {
            for (int classes : new int[] {1, 2, 33, 7}) {
                int offset = random.nextInt(4);
                float[] scores = new float[offset + boxes * classes];
                for (int i = 0; i < scores.length; i++) {
                    scores[i] = random.nextInt(9) == 0 ? Float.NaN : random.nextInt(10) / 10f;
                }
                candidates.find(scores, offset, boxes, classes, 0.5f);
                for (int c = 0; c < classes; c++) {
                    List<Integer> expected = new ArrayList<>();
                    for (int box = 0; box < boxes; box++) {
                        if (scores[offset + box * classes + c] > 0.5f) {
                            expected.add(offset + box * classes + c);
                        }
                    }
                    List<Integer> found = new ArrayList<>();
                    for (int i = candidates.first(c); i >= 0; i = candidates.after(i)) {
                        found.add(i);
                    }
                    assertEquals(expected, found);
                }
            }
        }
        assertThrows(IllegalArgumentException.class, () -> candidates.find(new float[5], 0, 2, 3, 0));
    }
}
