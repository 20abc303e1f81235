package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When it pays to have NNAPI compute a part of a model: the multiply-adds that a device does faster than the processor beside it, against
 * what each start and each byte that passes costs.
 *
 * @param most    segments at most
 * @param least   multiply-adds that a segment has at least
 * @param profile of the device that the file is for
 */
public record SegmentCost(int most, long least, DeviceSpeed profile) {
    /** As many segments as pay on a phone's accelerator. */
    public static final SegmentCost DEFAULT = new SegmentCost(64, 0);

    /** How many rows there are where elements decide that: detections and routed tokens are some tens to some hundreds. */
    static final int SOME_ROWS = 100;
    private static final int LEAST_ROWS = 8;
    private static final int MOST_ROWS = 256;
    /** Where there may be more rows, there are seldom as many. */
    private static final int MOST_COUNTED = 1024;
    /** A device reads its weights from memory, while what passes to and from it is copied. */
    private static final int WEIGHTS_FASTER = 4;

    public SegmentCost {
        if (most < 1 || least < 0) {
            throw new IllegalArgumentException("segments: " + most + " of " + least + " multiply-adds (expected: at least 1, of 0 or more)");
        }
    }

    /** On a phone's accelerator. */
    public SegmentCost(int most, long least) {
        this(most, least, DeviceSpeed.PHONE);
    }

    /**
     * For how many rows at a time a part is computed of which each row is computed by itself: so many that neither starts of the device, each of which reads the weights, nor
     * rows that fill up the last call take much of the time for some {@link #SOME_ROWS}.
     *
     * @param multiplyAdds of a row
     * @param bytes        that pass for a row
     * @param weights      bytes of weights
     * @param most         rows that there are at most
     * @return a power of two, or as many as make {@code most} in equal parts
     */
    int rows(long multiplyAdds, long bytes, long weights, int most) {
        double row = multiplyAdds / profile.accelerator() + bytes / profile.bytes();
        double start = profile.start() + weights / (profile.bytes() * WEIGHTS_FASTER);
        double best = row > 0 ? Math.sqrt(2 * Math.min(SOME_ROWS, most) * start / row) : MOST_ROWS;
        int rows = LEAST_ROWS;
        while (rows < Math.min(MOST_ROWS, most) && rows * Math.sqrt(2) < best) {
            rows *= 2;
        }
        int calls = most / rows + (most % rows == 0 ? 0 : 1);
        return most > MOST_COUNTED || calls == 0 ? rows : Math.max(LEAST_ROWS, (most + calls - 1) / calls);
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
