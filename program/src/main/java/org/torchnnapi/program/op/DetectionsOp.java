package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.BoxSuppression;
import org.torchnnapi.kernels.ClassCandidates;
import org.torchnnapi.kernels.Exponential;
import org.torchnnapi.kernels.ScoreRanking;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Detections of a single-shot detector (Liu et al., SSD, 2016). Inputs: scores {@code [batch, anchors, classes]}, of
 * which class 0 is the background; regressions {@code [batch, anchors, 4 or more]} as dy, dx, log(dh), log(dw); anchors
 * {@code [anchors, 4]} as centre y, centre x, height, width. Result, in one row of floats: the scores {@code [batch,
 * entries]} of what is detected; the boxes {@code [batch, entries, 4]} as y1, x1, y2, x2; the classes {@code [batch,
 * entries]}; how many entries are used {@code [batch]}. What is not used is zero.
 *
 * @param scales what the four numbers of a regression are divided by
 * @param regular whether boxes are suppressed for each class alone, and not by the best class of each
 * @param most detections, of an image
 * @param limit detections of a class if regular, else classes of a detection
 * @param scoreThreshold what a score must be above
 * @param overlapThreshold overlap with a better box from which on a box is dropped
 * @param firstLabel the class that is counted as 0
 */
public record DetectionsOp(
        List<Float> scales,
        boolean regular,
        int most,
        int limit,
        float scoreThreshold,
        float overlapThreshold,
        int firstLabel)
        implements Op {
    private static final int BOX = BoxSuppression.BOX;

    public DetectionsOp {
        scales = List.copyOf(scales);
        if (scales.size() != BOX || most < 1 || limit < 1) {
            throw new IllegalArgumentException("scales, detections, limit: " + scales + ", " + most + ", " + limit
                    + " (expected: 4 numbers, >= 1, >= 1)");
        }
    }

    /** Detections that there is room for, of an image. */
    public int entries() {
        return regular ? most : Math.multiplyExact(most, limit);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 3, 3);
        ValueType scores = Require.floats("scores", inputs.get(0));
        Require.rank("scores", scores, 3);
        int batch = scores.dimension(0);
        int anchors = scores.dimension(1);
        if (scores.dimension(2) < 2) {
            throw new IllegalArgumentException(
                    "scores: " + scores + " (expected: of 2 classes at least, as class 0 is the background)");
        }
        ValueType deltas = Require.floats("regressions", inputs.get(1));
        Require.rank("regressions", deltas, 3);
        Require.sameShape("regressions", deltas, new int[] {batch, anchors, Math.max(BOX, deltas.dimension(2))});
        Require.sameShape("anchors", Require.floats("anchors", inputs.get(2)), new int[] {anchors, BOX});
        return ValueType.floats(Math.multiplyExact(batch, Math.addExact(Math.multiplyExact(entries(), BOX + 2), 1)));
    }

    @Override
    public Step compile(Operands operands) {
        int batch = operands.in(0).type().dimension(0);
        // One share: the scratch is the run's.
        return new Step(1, memory -> {
            Search search = new Search(operands, memory);
            return (begin, end) -> {
                for (int image = 0; image < batch; image++) {
                    search.image(image);
                }
            };
        });
    }

    @Override
    public String label() {
        return "detections";
    }

    /** The search through the images, over the memory of a run. */
    private final class Search {
        private final PlacedValue scores;
        private final PlacedValue deltas;
        private final PlacedValue anchors;
        private final PlacedValue out;
        private final RunMemory memory;
        private final int count;
        private final int classes;
        private final int batch;
        private final BoxSuppression suppression = new BoxSuppression();
        private final ScoreRanking ranking = new ScoreRanking();
        private final ClassCandidates candidates = new ClassCandidates();
        private final float[] boxes;
        private final float[] best;
        private final float[] divisors = new float[BOX];
        /** What is found of an image: scores, and where among its scores they are. */
        private float[] foundScores = new float[BOX];

        private int[] found = new int[BOX];
        private int founds;
        private int[] places = new int[BOX];

        Search(Operands operands, RunMemory memory) {
            scores = operands.in(0);
            deltas = operands.in(1);
            anchors = operands.in(2);
            out = operands.out();
            this.memory = memory;
            batch = scores.type().dimension(0);
            count = scores.type().dimension(1);
            classes = scores.type().dimension(2);
            boxes = new float[count * BOX];
            best = new float[count];
            for (int i = 0; i < BOX; i++) {
                divisors[i] = scales.get(i);
            }
        }

        void image(int image) {
            place(image);
            float[] from = scores.floats(memory);
            int at = scores.at(memory) + image * count * classes;
            founds = 0;
            if (regular) {
                byClass(from, at);
            } else {
                byBox(from, at);
            }
            if (places.length < founds) {
                places = new int[found.length];
            }
            int detected = founds;
            if (regular) {
                detected = Math.min(most, founds);
                ranking.best(foundScores, 0, founds, detected, places);
            } else {
                for (int i = 0; i < founds; i++) {
                    places[i] = i;
                }
            }
            write(image, detected);
        }

        private void place(int image) {
            float[] by = deltas.floats(memory);
            float[] anchor = anchors.floats(memory);
            int length = deltas.type().dimension(2);
            for (int a = 0; a < count; a++) {
                int delta = deltas.at(memory) + (image * count + a) * length;
                int at = anchors.at(memory) + BOX * a;
                for (int i = 0; i < 2; i++) {
                    float size = anchor[at + 2 + i];
                    float centre = anchor[at + i] + size * by[delta + i] / divisors[i];
                    float half = size * Exponential.rounded(by[delta + 2 + i] / divisors[2 + i]) / 2;
                    boxes[BOX * a + i] = centre - half;
                    boxes[BOX * a + 2 + i] = centre + half;
                }
            }
        }

        private void byClass(float[] from, int at) {
            candidates.find(from, at, count, classes, scoreThreshold);
            for (int c = 1; c < classes; c++) {
                suppression.clear();
                for (int i = candidates.first(c); i >= 0; i = candidates.after(i)) {
                    suppression.add(i - at, from[i], boxes, (i - at) / classes * BOX);
                }
                int kept = suppression.hard(overlapThreshold, limit);
                for (int i = 0; i < kept; i++) {
                    note(suppression.id(i), suppression.score(i));
                }
            }
        }

        private void byBox(float[] from, int at) {
            suppression.clear();
            for (int a = 0; a < count; a++) {
                best[a] = largest(from, at + a * classes + 1, classes - 1);
                if (best[a] > scoreThreshold) {
                    suppression.add(a, best[a], boxes, BOX * a);
                }
            }
            int kept = suppression.hard(overlapThreshold, most);
            int labels = Math.min(classes - 1, limit);
            if (places.length < labels) {
                places = new int[labels];
            }
            for (int i = 0; i < kept; i++) {
                int first = suppression.id(i) * classes + 1;
                ranking.best(from, at + first, classes - 1, labels, places);
                for (int label = 0; label < labels; label++) {
                    int index = first + places[label];
                    note(index, from[at + index]);
                }
            }
        }

        /** Four at a time, as each maximum waits for the one before; NaN if one is. */
        private static float largest(float[] from, int at, int size) {
            float a = Float.NEGATIVE_INFINITY;
            float b = a;
            float c = a;
            float d = a;
            int i = 0;
            for (; i + 4 <= size; i += 4) {
                a = Math.max(a, from[at + i]);
                b = Math.max(b, from[at + i + 1]);
                c = Math.max(c, from[at + i + 2]);
                d = Math.max(d, from[at + i + 3]);
            }
            for (; i < size; i++) {
                a = Math.max(a, from[at + i]);
            }
            return Math.max(Math.max(a, b), Math.max(c, d));
        }

        private void note(int index, float score) {
            if (founds == found.length) {
                found = Arrays.copyOf(found, 2 * founds);
                foundScores = Arrays.copyOf(foundScores, 2 * founds);
            }
            found[founds] = index;
            foundScores[founds] = score;
            founds++;
        }

        private void write(int image, int detected) {
            float[] to = out.floats(memory);
            int entries = entries();
            int scoresAt = out.at(memory) + image * entries;
            int boxesAt = out.at(memory) + (batch + image * BOX) * entries;
            int classesAt = out.at(memory) + (batch * (1 + BOX) + image) * entries;
            Arrays.fill(to, scoresAt, scoresAt + entries, 0);
            Arrays.fill(to, boxesAt, boxesAt + entries * BOX, 0);
            Arrays.fill(to, classesAt, classesAt + entries, 0);
            for (int i = 0; i < detected; i++) {
                int index = found[places[i]];
                to[scoresAt + i] = foundScores[places[i]];
                System.arraycopy(boxes, index / classes * BOX, to, boxesAt + i * BOX, BOX);
                to[classesAt + i] = index % classes - firstLabel;
            }
            to[out.at(memory) + batch * (BOX + 2) * entries + image] = detected;
        }
    }
}
