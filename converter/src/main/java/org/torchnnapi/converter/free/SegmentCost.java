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

    public SegmentCost {
        if (most < 1 || least < 0) {
            throw new IllegalArgumentException("segments: " + most + " of " + least + " multiply-adds (expected: at least 1, of 0 or more)");
        }
    }

    /** On a phone's accelerator. */
    public SegmentCost(int most, long least) {
        this(most, least, DeviceSpeed.PHONE);
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

    private double gain(long products, LoweredSegment segment) {
        long bytes = 0;
        for (LoweredSegment.Boundary boundary : segment.inputs()) {
            bytes += boundary.facts().count() * boundary.dtype().bytes();
        }
        for (LoweredSegment.Boundary boundary : segment.outputs()) {
            bytes += boundary.facts().count() * boundary.dtype().bytes();
        }
        return profile.gain(products, bytes);
    }
}
