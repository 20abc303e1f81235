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
    /** Rows and columns that take the kernel some hundred milliseconds. */
    private static final int ROWS = 1 << 20;

    private static final int COLUMNS = 1 << 13;
    /** How long the end of a call may take to be seen. */
    private static final int MILLIS = 20;

    private static NativeMemory operand(int floats, List<WeakReference<NativeMemory>> operands) {
        NativeMemory memory = new NativeMemory((long) Float.BYTES * floats);
        operands.add(new WeakReference<>(memory));
        return memory;
    }

    private static void run(NativeCall call, int rows, int columns, List<WeakReference<NativeMemory>> operands) {
        call.run(
                operand(rows, operands),
                operand(columns, operands),
                0,
                operand(rows, operands),
                0,
                operand(columns, operands),
                0,
                0,
                columns,
                rows,
                0,
                0,
                0,
                0,
                0);
    }

    /** Compiled code refers to what it still reads alone, and of memory only the address goes to C. */
    @Test
    void operandsLiveAsLongAsTheCall() throws InterruptedException {
        String kernels = Kernels.describe().get(0);
        assumeTrue(kernels.startsWith("float kernels: native"), kernels);
        NativeCall call = NativeCall.of("weighted_rows");
        NativeMemory few = new NativeMemory(64);
        for (int i = 0; i < CALLS_UNTIL_COMPILED; i++) {
            call.run(few, few, 0, few, 0, few, 0, 0, 1, 1, 0, 0, 0, 0, 0);
        }
        List<WeakReference<NativeMemory>> operands = new CopyOnWriteArrayList<>();
        AtomicBoolean done = new AtomicBoolean();
        Thread worker = new Thread(() -> {
            run(call, ROWS, COLUMNS, operands);
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
