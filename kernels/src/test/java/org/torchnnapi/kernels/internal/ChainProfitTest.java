package org.torchnnapi.kernels.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.Machine.Cores;

class ChainProfitTest {
    private static final ChainProfit FLOATS = new ChainProfit(4, 28, 128 << 10);
    private static final ChainProfit BYTES = new ChainProfit(1, 3.5, 0);

    private static Machine machine(int cores, int secondCache) {
        return new Machine(List.of(new Cores(cores, 1, 32 << 10, secondCache)), 8 << 20, 64);
    }

    private static ConvShape depthwise(int channels, int side, int kernel) {
        return ConvShape.of(channels, side, side, channels, kernel, kernel)
                .padding(kernel / 2, kernel / 2)
                .groups(channels);
    }

    private static void check(boolean expected, ChainProfit profit, Machine machine, ConvShape shape) {
        assertEquals(expected, profit.pays(machine, shape, 0), shape + " on " + machine.describe());
    }

    @Test
    void anImageThatLeavesTheSecondCachePays() {
        ConvShape shape = depthwise(576, 20, 3);
        check(true, FLOATS, machine(2, 1 << 20), shape);
        check(false, FLOATS, machine(2, 2 << 20), shape);
        check(true, FLOATS, machine(1, 1 << 20), shape);
    }

    @Test
    void weightsThatLeaveTheSecondCacheComeForEveryRow() {
        ConvShape shape = depthwise(816, 19, 3);
        check(true, FLOATS, machine(1, 512 << 10), shape);
        assertTrue(FLOATS.pays(machine(1, 512 << 10), shape, 64 * 816));
        assertFalse(FLOATS.pays(machine(1, 512 << 10), shape, 136 * 816));
        assertTrue(FLOATS.pays(machine(1, 1 << 20), shape, 136 * 816));
    }

    @Test
    void anImageThatStaysPaysWhereFewRowsAreMadeTwice() {
        Machine two = machine(2, 1 << 20);
        check(true, FLOATS, two, depthwise(120, 28, 3));
        check(true, FLOATS, two, depthwise(120, 28, 5));
        check(false, FLOATS, two, depthwise(480, 14, 3));
        check(true, BYTES, two, depthwise(384, 14, 3));
        check(false, BYTES, two, depthwise(960, 7, 3));
        check(false, BYTES, machine(4, 1 << 20), depthwise(384, 14, 3));
        check(true, BYTES, machine(4, 1 << 20), depthwise(144, 56, 3));
    }

    @Test
    void aKernelOfOneRowMakesNoneTwice() {
        check(true, BYTES, machine(2, 1 << 20), depthwise(960, 7, 1));
    }

    @Test
    void beginningRowsMustPay() {
        check(false, FLOATS, machine(2, 1 << 20), depthwise(64, 30, 3));
        check(true, new ChainProfit(4, 28, 0), machine(2, 1 << 20), depthwise(64, 30, 3));
    }

    @Test
    void oneCoreGetsNothingFromOthers() {
        check(false, BYTES, machine(1, 1 << 20), depthwise(384, 14, 3));
    }
}
