package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Kernels;

class NativeCallTest {
    private static final int CALLS_UNTIL_COMPILED = 200_000;
    /** Pixels that take the kernel some hundred milliseconds. */
    private static final int PIXELS = 1 << 26;

    /** How long the end of a call may take to be seen. */
    private static final int MILLIS = 20;

    private static NativeMemory watched(NativeMemory memory, List<WeakReference<NativeMemory>> operands) {
        operands.add(new WeakReference<>(memory));
        return memory;
    }

    /** A convolution all of whose output pixels are one in memory, as are those that it reads. */
    private static NativeMemory plan() {
        int panel = NativeDense.PANEL;
        LimitsStruct limits = new LimitsStruct()
                .addend((short) 0)
                .least((byte) 0)
                .most((byte) 1)
                .flip((byte) 0)
                .needed(true);
        NativeMemory numbers = new NativeMemory(64L * panel);
        return new DenseStruct()
                .weights(numbers)
                .bias(numbers)
                .dy(numbers)
                .dx(numbers)
                .rule(new RequantizationStruct()
                        .scale(numbers)
                        .offset(numbers)
                        .limits(NativeStruct.memory(limits))
                        .rounding(numbers))
                .segments(1)
                .taps(1)
                .quads(1)
                .inChannels(4)
                .inH(1)
                .inW(1)
                .stepY(0)
                .stepX(0)
                .cols(PIXELS)
                .channels(panel)
                .outPixel(0)
                .outRow(0)
                .zeroPoint(0)
                .innerBegin(0)
                .innerEnd(0)
                .gathered(false)
                .memory();
    }

    private static void run(List<WeakReference<NativeMemory>> operands) {
        NativeMemory plan = plan();
        long scratch = DenseCalls.denseScratch(plan);
        DenseCalls.dense(
                watched(plan, operands),
                watched(new NativeMemory(64), operands),
                0,
                watched(new NativeMemory(scratch), operands),
                watched(new NativeMemory(NativeDense.PANEL), operands),
                0,
                0,
                PIXELS,
                0,
                1,
                1);
    }

    /** Compiled code refers to what it still reads alone, and of memory only the address goes to C. */
    @Test
    void operandsLiveAsLongAsTheCall() throws InterruptedException {
        String kernels = Kernels.describe().get(0);
        assumeTrue(kernels.startsWith("float kernels: native"), kernels);
        NativeMemory few = plan();
        NativeMemory scratch = new NativeMemory(DenseCalls.denseScratch(few));
        NativeMemory image = new NativeMemory(NativeDense.PANEL + 64);
        for (int i = 0; i < CALLS_UNTIL_COMPILED; i++) {
            DenseCalls.dense(few, image, 0, scratch, image, 0, 0, 1, 0, 1, 1);
        }
        List<WeakReference<NativeMemory>> operands = new CopyOnWriteArrayList<>();
        AtomicBoolean done = new AtomicBoolean();
        Thread worker = new Thread(() -> {
            run(operands);
            done.set(true);
        });
        worker.start();
        boolean lost = false;
        int collections = 0;
        while (!lost && worker.isAlive()) {
            System.gc();
            collections++;
            lost = operands.stream().anyMatch(operand -> operand.get() == null);
            if (lost) {
                worker.join(MILLIS);
                lost = !done.get();
            }
        }
        worker.join();
        assertTrue(done.get() && collections > 1, collections + " collections");
        assertFalse(lost, "memory that C was working on was given up");
    }
}
