package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import org.torchnnapi.kernels.BoxRegression;
import org.torchnnapi.kernels.BoxSuppression;
import org.torchnnapi.kernels.ScoreRanking;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.nnapi.op.OperationTable;

/**
 * GENERATE_PROPOSALS: of the anchors at every position of a score map those with the best scores, moved by their
 * regressions, less those that are too small or overlap better ones. Only what is among the best is moved at all.
 */
final class Proposals implements DynamicOutputModel.Selection {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.GENERATE_PROPOSALS);
    private static final OperandNames OUTPUTS =
            OperationTable.get(OperationType.GENERATE_PROPOSALS).signatures().outputs();
    private static final int SCORES = INPUTS.at("scores");
    private static final int DELTAS = INPUTS.at("deltas");
    private static final int ANCHORS = INPUTS.at("anchors");
    private static final int IMAGE_INFO = INPUTS.at("imageInfo");
    private static final int HEIGHT_STRIDE = INPUTS.at("heightStride");
    private static final int WIDTH_STRIDE = INPUTS.at("widthStride");
    private static final int BEFORE = INPUTS.at("beforeNms");
    private static final int AFTER = INPUTS.at("afterNms");
    private static final int OVERLAP_THRESHOLD = INPUTS.at("overlapThreshold");
    private static final int MIN_SIZE = INPUTS.at("minSize");
    private static final int LAYOUT = INPUTS.at("layout");
    private static final int OUT_BOXES = OUTPUTS.at("boxes");
    private static final int OUT_BATCHES = OUTPUTS.at("batches");
    private static final int BOX = BoxSuppression.BOX;
    private static final int[] SINGLE = {};
    private static final int[] FOUR = {BOX};

    private final Arguments arguments;
    private final BoxSuppression suppression = new BoxSuppression();
    private final ScoreRanking ranking = new ScoreRanking();
    /** The exponentials of what bytes stand for; null for floats. */
    private final float[] exponentials;
    /**
     * Of one image: scores in the order of positions, anchors innermost; where the best are; their anchors, regressions
     * and boxes.
     */
    private float[] ordered = {};

    private int[] places = {};
    private float[] placed = {};
    private float[] deltas = {};
    private byte[] byteDeltas = {};
    private float[] boxes = {};
    /** What is selected, of all images. */
    private float[] scores = new float[BOX];

    private float[] corners = new float[BOX * BOX];
    private int[] images = new int[BOX];
    private int count;

    Proposals(Arguments arguments) {
        this.arguments = arguments;
        float[] reals = arguments.ofBytes(DELTAS);
        exponentials = reals == null ? null : BoxRegression.exponentials(reals);
    }

    /** A score map: where its parts are. */
    private record Map(int batch, int height, int width, int perPosition, boolean channelsFirst) {
        static Map of(int[] dims, boolean channelsFirst) {
            return channelsFirst
                    ? new Map(dims[0], dims[2], dims[3], dims[1], true)
                    : new Map(dims[0], dims[1], dims[2], dims[3], false);
        }

        int anchors() {
            return height * width * perPosition;
        }

        int[] dims(int channels) {
            return channelsFirst
                    ? new int[] {batch, channels, height, width}
                    : new int[] {batch, height, width, channels};
        }

        /** Where a channel of a position is in a map of that many channels. */
        int at(int image, int position, int channel, int channels) {
            return channelsFirst
                    ? (image * channels + channel) * height * width + position
                    : (image * height * width + position) * channels + channel;
        }
    }

    @Override
    public int select() {
        Map map = Map.of(arguments.dims(SCORES), arguments.number(LAYOUT) != 0);
        check(map);
        float[] given = arguments.reals(SCORES);
        float[] info = arguments.reals(IMAGE_INFO);
        if (ordered.length < map.anchors()) {
            ordered = new float[map.anchors()];
        }
        count = 0;
        for (int image = 0; image < map.batch; image++) {
            propose(map, given, image, info[2 * image], info[2 * image + 1]);
        }
        return count;
    }

    private void check(Map map) {
        if (map.perPosition == 0 || map.batch == 0) {
            throw arguments.failure("score map", Arrays.toString(arguments.dims(SCORES)), "not empty");
        }
        arguments.require("regressions", DELTAS, map.dims(map.perPosition * BOX));
        arguments.require("anchors", ANCHORS, map.perPosition, BOX);
        arguments.require("sizes of images", IMAGE_INFO, map.batch, 2);
        for (int input : new int[] {HEIGHT_STRIDE, WIDTH_STRIDE}) {
            if (!(arguments.real(input) > 0)) {
                throw arguments.failure("stride", arguments.real(input), "> 0");
            }
        }
        for (int input : new int[] {OVERLAP_THRESHOLD, MIN_SIZE}) {
            if (!(arguments.real(input) >= 0)) {
                throw arguments.failure(
                        input == MIN_SIZE ? "minimum size" : "overlap threshold", arguments.real(input), ">= 0");
            }
        }
        arguments.requireOrdered(arguments.reals(ANCHORS), map.perPosition);
    }

    private void propose(Map map, float[] given, int image, float imageHeight, float imageWidth) {
        int anchors = map.anchors();
        if (!map.channelsFirst) {
            System.arraycopy(given, image * anchors, ordered, 0, anchors);
        } else {
            for (int channel = 0; channel < map.perPosition; channel++) {
                for (int position = 0; position < map.height * map.width; position++) {
                    ordered[position * map.perPosition + channel] =
                            given[map.at(image, position, channel, map.perPosition)];
                }
            }
        }
        int before = arguments.number(BEFORE);
        boolean some = before > 0 && before < anchors;
        int candidates = some ? before : anchors;
        if (places.length < candidates) {
            places = new int[candidates];
            placed = new float[candidates * BOX];
            deltas = new float[exponentials == null ? candidates * BOX : 0];
            byteDeltas = new byte[exponentials == null ? 0 : candidates * BOX];
            boxes = new float[candidates * BOX];
        }
        if (some) {
            ranking.best(ordered, 0, anchors, before, places);
        } else {
            for (int i = 0; i < candidates; i++) {
                places[i] = i;
            }
        }
        move(map, image, candidates, imageHeight, imageWidth);
        suppression.clear();
        float minSize = arguments.real(MIN_SIZE);
        for (int i = 0; i < candidates; i++) {
            if (isLargeEnough(BOX * i, minSize, imageHeight, imageWidth)) {
                suppression.add(i, ordered[places[i]], boxes, BOX * i);
            }
        }
        int after = arguments.number(AFTER);
        keep(image, suppression.hard(arguments.real(OVERLAP_THRESHOLD), after > 0 ? after : -1));
    }

    /** Anchors, as they are at their positions, moved by their regressions. */
    private void move(Map map, int image, int candidates, float imageHeight, float imageWidth) {
        float[] anchors = arguments.reals(ANCHORS);
        float across = arguments.real(WIDTH_STRIDE);
        float down = arguments.real(HEIGHT_STRIDE);
        Buffer from = arguments.data(DELTAS);
        FloatBuffer floats = exponentials != null
                ? null
                : from instanceof FloatBuffer known ? known : FloatBuffer.wrap(arguments.reals(DELTAS));
        for (int i = 0; i < candidates; i++) {
            int position = places[i] / map.perPosition;
            int channel = places[i] % map.perPosition * BOX;
            float x = position % map.width * across;
            float y = position / map.width * down;
            for (int j = 0; j < BOX; j++) {
                int to = BOX * i + j;
                placed[to] = anchors[channel + j] + (j % 2 == 0 ? x : y);
                int at = map.at(image, position, channel + j, map.perPosition * BOX);
                if (floats != null) {
                    deltas[to] = floats.get(at);
                } else {
                    byteDeltas[to] = ((ByteBuffer) from).get(at);
                }
            }
        }
        if (floats != null) {
            BoxRegression.regress(placed, 0, candidates, deltas, 0, 1, imageHeight, imageWidth, boxes, 0);
        } else {
            BoxRegression.regress(
                    placed,
                    0,
                    candidates,
                    byteDeltas,
                    0,
                    1,
                    arguments.ofBytes(DELTAS),
                    exponentials,
                    imageHeight,
                    imageWidth,
                    boxes,
                    0);
        }
    }

    private boolean isLargeEnough(int at, float minSize, float imageHeight, float imageWidth) {
        float width = boxes[at + 2] - boxes[at];
        float height = boxes[at + 3] - boxes[at + 1];
        float centreX = boxes[at] + width / 2;
        float centreY = boxes[at + 1] + height / 2;
        return width > minSize && height > minSize && centreX < imageWidth && centreY < imageHeight;
    }

    private void keep(int image, int found) {
        if (scores.length < count + found) {
            scores = Arrays.copyOf(scores, 2 * (count + found));
            images = Arrays.copyOf(images, scores.length);
            corners = Arrays.copyOf(corners, scores.length * BOX);
        }
        for (int i = 0; i < found; i++, count++) {
            scores[count] = suppression.score(i);
            images[count] = image;
            System.arraycopy(boxes, BOX * suppression.id(i), corners, BOX * count, BOX);
        }
    }

    @Override
    public int[] row(int output) {
        return output == OUT_BOXES ? FOUR : SINGLE;
    }

    @Override
    public double element(int output, int row, int column) {
        return output == OUT_BOXES ? corners[row * BOX + column] : output == OUT_BATCHES ? images[row] : scores[row];
    }
}
