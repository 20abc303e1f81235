package org.torchnnapi.kernels.internal.portable;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.ConvPhase;

/**
 * How a convolution is cut for the panel kernels: a unit is one tile of up to {@link #TILE} output pixels of one phase,
 * for up to {@link #ROWS} output channels of one group. Its product runs over panels of up to {@link #DEPTH} (input
 * channel, tap) pairs, numbered {@code channel * taps + tap} and rounded up to a multiple of four.
 */
final class PanelPlan {
    static final int TILE = 64;
    static final int ROWS = 64;
    static final int DEPTH = 256;

    /** One unit of work, decoded. Each thread has one and uses it again, so that a run allocates nothing. */
    static final class Unit {
        private int phase;
        private int firstPixel;
        private int pixels;
        private int group;
        private int firstOut;
        private int outs;

        int phase() {
            return phase;
        }

        int firstPixel() {
            return firstPixel;
        }

        int pixels() {
            return pixels;
        }

        int group() {
            return group;
        }

        int firstOut() {
            return firstOut;
        }

        int outs() {
            return outs;
        }
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

    void decode(int index, Unit unit) {
        unit.phase = 0;
        while (index >= unitEnds[unit.phase]) {
            unit.phase++;
        }
        int local = unit.phase == 0 ? index : index - unitEnds[unit.phase - 1];
        int chunks = shape.groups() * chunksPerGroup;
        unit.firstPixel = local / chunks * TILE;
        unit.pixels = Math.min(TILE, phases.get(unit.phase).pixels() - unit.firstPixel);
        int chunkIndex = local % chunks;
        unit.group = chunkIndex / chunksPerGroup;
        unit.firstOut = chunkIndex % chunksPerGroup * chunk;
        unit.outs = Math.min(chunk, outPerGroup - unit.firstOut);
    }

    /** Rows of a phase's panels: channels by taps, rounded up to a multiple of four. */
    int depth(int phase) {
        return (inPerGroup * phases.get(phase).taps().length + 3) & ~3;
    }
}
