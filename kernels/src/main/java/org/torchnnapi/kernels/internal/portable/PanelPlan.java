package org.torchnnapi.kernels.internal.portable;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.ConvPhase;

/**
 * How a convolution is cut for the panel kernels: a unit is one tile of up to {@link #TILE} output pixels of one phase, for up to
 * {@link #ROWS} output channels of one group. Its product runs over panels of up to {@link #DEPTH} (input channel, tap)
 * pairs, numbered {@code channel * taps + tap} and rounded up to a multiple of four.
 */
final class PanelPlan {
    static final int TILE = 64;
    static final int ROWS = 64;
    static final int DEPTH = 256;

    /** One unit of work, decoded. */
    record Unit(int phase, int firstPixel, int pixels, int group, int firstOut, int outs) {
    }

    final ConvShape shape;
    final List<ConvPhase> phases;
    final int inPerGroup;
    final int outPerGroup;
    private final int chunk;
    private final int chunksPerGroup;
    private final int[] unitEnds;

    PanelPlan(ConvShape shape) {
        this.shape = shape;
        phases = ConvPhase.of(shape);
        inPerGroup = shape.inC() / shape.groups();
        outPerGroup = shape.outC() / shape.groups();
        chunk = Math.min(ROWS, outPerGroup);
        chunksPerGroup = (outPerGroup + chunk - 1) / chunk;
        unitEnds = new int[phases.size()];
        int total = 0;
        for (int i = 0; i < unitEnds.length; i++) {
            int tiles = (phases.get(i).pixels() + TILE - 1) / TILE;
            total = Math.addExact(total, Math.multiplyExact(tiles, shape.groups() * chunksPerGroup));
            unitEnds[i] = total;
        }
    }

    int units() {
        return unitEnds[unitEnds.length - 1];
    }

    Unit unit(int index) {
        int phase = 0;
        while (index >= unitEnds[phase]) {
            phase++;
        }
        int local = phase == 0 ? index : index - unitEnds[phase - 1];
        int chunks = shape.groups() * chunksPerGroup;
        int first = local / chunks * TILE;
        int chunkIndex = local % chunks;
        int firstOut = chunkIndex % chunksPerGroup * chunk;
        return new Unit(phase, first, Math.min(TILE, phases.get(phase).pixels() - first), chunkIndex / chunksPerGroup, firstOut,
            Math.min(chunk, outPerGroup - firstOut));
    }

    /** Rows of a phase's panels: channels by taps, rounded up to a multiple of four. */
    int depth(int phase) {
        return (inPerGroup * phases.get(phase).taps().length + 3) & ~3;
    }
}
