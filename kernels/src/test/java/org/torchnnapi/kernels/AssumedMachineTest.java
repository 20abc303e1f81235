package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.torchnnapi.kernels.Machine.Cores;

/** What is planned for another machine, here. */
@Isolated
class AssumedMachineTest {
    private static final Machine PHONE = new Machine(
            List.of(
                    new Cores(1, 1, 64 << 10, 1 << 20),
                    new Cores(3, 0.78, 32 << 10, 256 << 10),
                    new Cores(4, 0.25, 32 << 10, 128 << 10)),
            4 << 20,
            64);
    private static final Machine PAIR = new Machine(List.of(new Cores(2, 1, 32 << 10, 1 << 20)), 8 << 20, 64);

    @AfterEach
    void restore() {
        Machine.assume(null);
    }

    @Test
    void isCurrentUntilItIsNot() {
        Machine real = Machine.current();
        Machine.assume(PHONE);
        assertSame(PHONE, Machine.current());
        Machine.assume(null);
        assertSame(real, Machine.current());
    }

    private static float[] run(ConvShape shape, ImageLayout layout, Machine machine, int[] units) {
        Machine.assume(machine);
        Random random = new Random(5);
        float[] in = Twins.randomFloats(random, layout.size(shape.inC(), shape.inH(), shape.inW()));
        float[] weights = Twins.randomFloats(random, (int) shape.weightCount());
        float[] out = new float[layout.size(shape.outC(), shape.outH(), shape.outW())];
        FloatConv conv = FloatConv.plan(shape, layout, layout, weights, null, Clamp.NONE);
        units[0] = conv.units();
        conv.run(in, 0, out, 0, 0, conv.units());
        return out;
    }

    @Test
    void workIsCutFinerForUnevenCoresAndGivesTheSame() {
        for (ImageLayout layout : new ImageLayout[] {ImageLayout.NCHW, Kernels.preferredFloatLayout()}) {
            ConvShape shape = ConvShape.of(64, 56, 56, 192, 1, 1);
            int[] phone = new int[1];
            int[] pair = new int[1];
            float[] expected = run(shape, layout, PAIR, pair);
            assertArrayEquals(expected, run(shape, layout, PHONE, phone));
            boolean byMachine = !Kernels.describe().get(0).startsWith("float kernels: portable");
            assertTrue(!byMachine || phone[0] >= 2 * pair[0], phone[0] + " and " + pair[0] + " units");
        }
    }

    @Test
    void aPoolHasItsThreads() {
        Machine.assume(PHONE);
        try (KernelPool pool = new KernelPool(Machine.current().threads())) {
            assertEquals(4, pool.numThreads());
            int[] done = new int[100];
            pool.run(done.length, (begin, end) -> {
                for (int i = begin; i < end; i++) {
                    done[i]++;
                }
            });
            for (int times : done) {
                assertEquals(1, times);
            }
        }
    }
}
