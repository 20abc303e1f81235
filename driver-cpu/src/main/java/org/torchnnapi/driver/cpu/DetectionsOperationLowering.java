package org.torchnnapi.driver.cpu;

import java.util.List;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.CastOp;
import org.torchnnapi.program.op.DetectionsOp;

/** DETECTION_POSTPROCESSING. */
final class DetectionsOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.DETECTION_POSTPROCESSING);
    private static final int SCALES = INPUTS.at("scales");
    private static final int REGULAR = INPUTS.at("regular");
    private static final int MOST = INPUTS.at("maxDetections");
    private static final int CLASSES_OF_DETECTION = INPUTS.at("maxClassesPerDetection");
    private static final int DETECTIONS_OF_CLASS = INPUTS.at("maxDetectionsPerClass");
    private static final int SCORE_THRESHOLD = INPUTS.at("scoreThreshold");
    private static final int OVERLAP_THRESHOLD = INPUTS.at("overlapThreshold");
    private static final int BACKGROUND_IN_LABELS = INPUTS.at("backgroundInLabels");
    private static final int BOX = 4;

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(0);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input >= SCALES;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        boolean regular = site.intValue(REGULAR) != 0;
        List<Float> scales = List.of(
                site.floatValue(SCALES),
                site.floatValue(SCALES + 1),
                site.floatValue(SCALES + 2),
                site.floatValue(SCALES + 3));
        DetectionsOp op = new DetectionsOp(
                scales,
                regular,
                site.intValue(MOST),
                site.intValue(regular ? DETECTIONS_OF_CLASS : CLASSES_OF_DETECTION),
                site.floatValue(SCORE_THRESHOLD),
                site.floatValue(OVERLAP_THRESHOLD),
                site.intValue(BACKGROUND_IN_LABELS) != 0 ? 0 : 1);
        int flat = translation.add(op, translation.in(site, 0), translation.in(site, 1), translation.in(site, 2));
        int batch = site.in(0).dimension(0);
        int entries = op.entries();
        int all = batch * entries;
        translation.result(site, 0, Sequences.part(translation, flat, 0, batch, entries));
        translation.result(site, 1, Sequences.part(translation, flat, all, batch, entries, BOX));
        int classes = Sequences.part(translation, flat, all * (1 + BOX), batch, entries);
        translation.result(site, 2, translation.add(new CastOp(OperationView.type(site.out(2))), classes));
        int counts = Sequences.part(translation, flat, all * (2 + BOX), batch);
        translation.result(site, 3, translation.add(new CastOp(OperationView.type(site.out(3))), counts));
    }
}
