package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When it pays to have NNAPI compute a part of a model: the multiply-adds that a device does faster than the processor
 * beside it, against what each start and each byte that passes costs.
 *
 * @param most segments at most
 * @param least multiply-adds that a segment has at least
 * @param profile of the device that the file is for
 */
public record SegmentCost(int most, long least, DeviceSpeed profile) {
    /** As many segments as pay on a phone's accelerator. */
    public static final SegmentCost DEFAULT = new SegmentCost(64, 0);

    /**
     * How many rows there are where elements decide that: detections and routed tokens are some tens to some hundreds.
     */
    static final int SOME_ROWS = 100;

    private static final int MOST_ROWS = 256;
    /** Where there may be more rows, there are seldom as many. */
    private static final int MOST_COUNTED = 1024;
    /** A device reads its weights from memory, while what passes to and from it is copied. */
    private static final int WEIGHTS_FASTER = 4;

    public SegmentCost {
        if (most < 1 || least < 0) {
            throw new IllegalArgumentException(
                    "segments: " + most + " of " + least + " multiply-adds (expected: at least 1, of 0 or more)");
        }
    }

    /** On a phone's accelerator. */
    public SegmentCost(int most, long least) {
        this(most, least, DeviceSpeed.PHONE);
    }

    /**
     * For how many rows at a time a part is computed of which each row is computed by itself. How many there are
     * changes from input to input, by orders of magnitude: over all these numbers neither starts of the device, nor its
     * reading of weights, nor rows that fill up the last call are to take much of the time that the model takes.
     *
     * @param multiplyAdds of a row
     * @param bytes that pass for a row
     * @param weights bytes of weights
     * @param most rows that there are at most
     * @param beside multiply-adds of the rest of the model
     * @return a power of two, or as many as make {@code most} in equal parts
     */
    int rows(long multiplyAdds, long bytes, long weights, int most, long beside) {
        int limit = Math.max(1, Math.min(most, MOST_COUNTED));
        TreeSet<Integer> choices = new TreeSet<>();
        for (int rows = 1; rows <= MOST_ROWS && rows < 2 * limit; rows *= 2) {
            int calls = (limit + rows - 1) / rows;
            choices.add(most > MOST_COUNTED ? rows : (limit + calls - 1) / calls);
        }
        Map<Integer, Double> excess = new TreeMap<>();
        for (int number = 1; number <= limit; number++) {
            Map<Integer, Double> seconds = new HashMap<>();
            for (int rows : choices) {
                seconds.put(rows, (number + rows - 1) / rows * call(rows * multiplyAdds, rows * bytes, weights));
            }
            double least = Collections.min(seconds.values());
            double share = 1 / (number * (least + beside / profile.accelerator()));
            seconds.forEach((rows, taken) -> excess.merge(rows, (taken - least) * share, Double::sum));
        }
        return Collections.min(choices, Comparator.comparingDouble(excess::get));
    }

    /** Seconds that a call takes: a device reads weights while it computes with others. */
    private double call(long multiplyAdds, long bytes, long weights) {
        return profile.start()
                + Math.max(multiplyAdds / profile.accelerator(), weights / (profile.bytes() * WEIGHTS_FASTER))
                + bytes / profile.bytes();
    }

    /** Places whose segments do not pay. */
    <P> Set<P> unpaid(Map<P, LoweredSegment> segments, Map<P, Long> work) {
        Set<P> unpaid = new LinkedHashSet<>();
        List<P> rest = new ArrayList<>();
        segments.forEach((stage, segment) -> {
            long products = work.getOrDefault(stage, 0L);
            if (products < least || gain(products, segment) <= 0) {
                unpaid.add(stage);
            } else {
                rest.add(stage);
            }
        });
        if (unpaid.isEmpty() && rest.size() > most) {
            rest.sort(Comparator.comparingDouble(stage -> gain(work.get(stage), segments.get(stage))));
            unpaid.addAll(rest.subList(0, rest.size() - most));
        }
        return unpaid;
    }

    /** @param products of one call */
    private double gain(long products, LoweredSegment segment) {
        if (segment.rows() == 0) {
            return profile.gain(products, bytes(segment));
        }
        int calls = (SOME_ROWS + segment.rows() - 1) / segment.rows();
        double spared = (double) (calls * segment.rows() - SOME_ROWS) / segment.rows() * products / profile.processor();
        return calls * profile.gain(products, bytes(segment)) - spared;
    }

    /** How much passes in one call. */
    static long bytes(LoweredSegment segment) {
        long bytes = 0;
        for (LoweredSegment.Boundary boundary : segment.inputs()) {
            bytes += boundary.facts().count() * boundary.dtype().bytes();
        }
        for (LoweredSegment.Boundary boundary : segment.outputs()) {
            bytes += boundary.facts().count() * boundary.dtype().bytes();
        }
        return bytes;
    }
}
