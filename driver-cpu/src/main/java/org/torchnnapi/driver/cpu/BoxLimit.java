package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.BoxSuppression;
import org.torchnnapi.kernels.BoxSuppression.Decay;
import org.torchnnapi.kernels.ClassCandidates;
import org.torchnnapi.kernels.ScoreRanking;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.nnapi.op.OperationTable;

/**
 * BOX_WITH_NMS_LIMIT: of adjacent boxes of a batch those whose scores are high enough, class by class, less those that
 * overlap better ones, and of all classes the best. Class 0 is the background.
 */
final class BoxLimit implements DynamicOutputModel.Selection {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.BOX_WITH_NMS_LIMIT);
    private static final OperandNames OUTPUTS =
            OperationTable.get(OperationType.BOX_WITH_NMS_LIMIT).signatures().outputs();
    private static final int SCORES = INPUTS.at("scores");
    private static final int BOXES = INPUTS.at("boxes");
    private static final int BATCHES = INPUTS.at("batches");
    private static final int SCORE_THRESHOLD = INPUTS.at("scoreThreshold");
    private static final int MOST = INPUTS.at("maxDetections");
    private static final int KERNEL = INPUTS.at("kernel");
    private static final int OVERLAP_THRESHOLD = INPUTS.at("overlapThreshold");
    private static final int SIGMA = INPUTS.at("sigma");
    private static final int LOWERED_THRESHOLD = INPUTS.at("nmsScoreThreshold");
    private static final int OUT_BOXES = OUTPUTS.at("boxes");
    private static final int OUT_CLASSES = OUTPUTS.at("classes");
    private static final int OUT_BATCHES = OUTPUTS.at("batches");
    private static final int BOX = BoxSuppression.BOX;
    private static final int[] SINGLE = {};
    private static final int[] FOUR = {BOX};

    private final Arguments arguments;
    private final BoxSuppression suppression = new BoxSuppression();
    private final ClassCandidates candidates = new ClassCandidates();
    private final ScoreRanking ranking = new ScoreRanking();
    /** What is selected, as places in the scores, and the scores they were left with. */
    private int[] selected = new int[BOX];

    private float[] scores = new float[BOX];
    private int count;
    /** Of one batch the places of what is kept among what is found. */
    private int[] places = {};

    private int[] kept = {};
    private float[] keptScores = {};
    private int classes;
    private float[] coordinates;
    private int[] batches;

    BoxLimit(Arguments arguments) {
        this.arguments = arguments;
    }

    @Override
    public int select() {
        int boxes = arguments.dims(SCORES)[0];
        classes = arguments.dims(SCORES)[1];
        if (classes < 2) {
            throw arguments.failure("classes", classes, "> 1, as class 0 is the background");
        }
        arguments.require("boxes", BOXES, boxes, classes * BOX);
        arguments.require("batches", BATCHES, boxes);
        float overlapThreshold = arguments.real(OVERLAP_THRESHOLD);
        float sigma = arguments.real(SIGMA);
        Decay decay = decay(arguments.number(KERNEL));
        if (!(overlapThreshold >= 0)) {
            throw arguments.failure("overlap threshold", overlapThreshold, ">= 0");
        }
        if (decay == Decay.GAUSSIAN && !(sigma > 0)) {
            throw arguments.failure("sigma", sigma, "> 0");
        }
        float[] given = arguments.reals(SCORES);
        coordinates = arguments.reals(BOXES);
        batches = arguments.ints(BATCHES);
        arguments.requireOrdered(coordinates, boxes * classes);
        count = 0;
        int to;
        for (int from = 0; from < boxes; from = to) {
            to = from + 1;
            while (to < boxes && batches[to] == batches[from]) {
                to++;
            }
            int first = count;
            candidates.find(given, from * classes, to - from, classes, arguments.real(SCORE_THRESHOLD));
            for (int c = 1; c < classes; c++) {
                suppress(given, c, decay, overlapThreshold, sigma);
            }
            limit(first, arguments.number(MOST));
        }
        return count;
    }

    private Decay decay(int kernel) {
        if (kernel < 0 || kernel >= Decay.values().length) {
            throw arguments.failure("kernel", kernel, "0 (hard), 1 (linear) or 2 (gaussian)");
        }
        return Decay.values()[kernel];
    }

    private void suppress(float[] given, int ofClass, Decay decay, float overlapThreshold, float sigma) {
        suppression.clear();
        for (int i = candidates.first(ofClass); i >= 0; i = candidates.after(i)) {
            suppression.add(i, given[i], coordinates, i * BOX);
        }
        int found = suppression.soft(
                decay, overlapThreshold, sigma, arguments.real(LOWERED_THRESHOLD), arguments.number(MOST));
        if (selected.length < count + found) {
            selected = Arrays.copyOf(selected, 2 * (count + found));
            scores = Arrays.copyOf(scores, selected.length);
        }
        for (int i = 0; i < found; i++, count++) {
            selected[count] = suppression.id(i);
            scores[count] = suppression.score(i);
        }
    }

    /** Of what was selected from a place on only the best, class by class, each class' best first. */
    private void limit(int first, int most) {
        int found = count - first;
        int left = most < 0 ? found : Math.min(most, found);
        if (places.length < found) {
            places = new int[found];
            kept = new int[found];
            keptScores = new float[found];
        }
        ranking.best(scores, first, found, left, places);
        count = first;
        System.arraycopy(selected, first, kept, 0, found);
        System.arraycopy(scores, first, keptScores, 0, found);
        for (int c = 1; c < classes; c++) {
            for (int i = 0; i < left; i++) {
                if (kept[places[i]] % classes == c) {
                    selected[count] = kept[places[i]];
                    scores[count] = keptScores[places[i]];
                    count++;
                }
            }
        }
    }

    @Override
    public int[] row(int output) {
        return output == OUT_BOXES ? FOUR : SINGLE;
    }

    @Override
    public double element(int output, int row, int column) {
        int place = selected[row];
        return output == OUT_BOXES
                ? coordinates[place * BOX + column]
                : output == OUT_CLASSES
                        ? place % classes
                        : output == OUT_BATCHES ? batches[place / classes] : scores[row];
    }
}
