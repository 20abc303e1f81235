package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

class BurstTest {
    private final ScriptedDriver npu = new ScriptedDriver("npu", o -> o.type() == OperationType.ADD).keepsBursts();

    private Compilation compile(int length) {
        return new CompilationBuilder(length == 0 ? Models.doubled(2) : Models.chain(length, 2))
                .setAvailable(Devices.of(npu))
                .setPlacementRules(PlacementRules.NONE.deny("reference", "ADD"))
                .finish();
    }

    private static Execution execution(Compilation compilation, float[] out, int... dimensions) {
        Execution execution = compilation.createExecution();
        execution.setReusable(true);
        execution.setInput(0, FloatBuffer.wrap(new float[] {1, 3}), dimensions);
        execution.setOutput(0, FloatBuffer.wrap(out));
        return execution;
    }

    @Test
    void devicesKeepTheirStateFromOneExecutionToTheNext() {
        for (int length : new int[] {0, 2}) {
            int steps = Math.max(1, length);
            npu.executedInBursts.set(0);
            float[] plain = new float[2];
            float[] out = new float[2];
            Compilation compilation = compile(length);
            execution(compilation, plain).compute();
            assertEquals(0, npu.executedInBursts.get());
            Burst burst = new Burst(compilation);
            assertEquals(steps, npu.burstsOpen.get());
            Execution execution = execution(compilation, out);
            for (int round = 1; round <= 3; round++) {
                out[1] = -1;
                execution.burstCompute(burst);
                assertEquals(plain[1], out[1]);
                assertEquals(round * steps, npu.executedInBursts.get());
            }
            int closed = npu.closed.get();
            compilation.close();
            assertEquals(closed, npu.closed.get(), "the burst still uses it");
            burst.close();
            burst.close();
            assertEquals(0, npu.burstsOpen.get());
            assertEquals(closed + steps, npu.closed.get());
            NnapiException e = assertThrows(NnapiException.class, () -> execution.burstCompute(burst));
            assertEquals(ResultCode.BAD_STATE, e.resultCode());
        }
    }

    @Test
    void burstOfAnotherCompilationIsRefused() {
        try (Compilation one = compile(0);
                Compilation other = compile(0);
                Burst burst = new Burst(other)) {
            NnapiException e = assertThrows(
                    NnapiException.class, () -> execution(one, new float[2]).burstCompute(burst));
            assertEquals(ResultCode.BAD_DATA, e.resultCode());
        }
    }
}
