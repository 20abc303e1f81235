package org.torchnnapi.benchmarks.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.MachinePeak;

/**
 * What several threads gain over one where only the machine holds them back, between the turns of the engines that ran
 * a model: medians of multiply-adds that need no memory. No engine can be expected to gain more.
 *
 * @param floats times as many float multiply-adds
 * @param bytes the same of bytes, with dot products
 */
record MachineSpeedUp(String model, int threads, double floats, double bytes) {
    /** One thread and several by turns. */
    static final class Meter implements AutoCloseable {
        private static final int REPEATS = 5;

        private final int threads;
        private final KernelPool one = new KernelPool(1);
        private final KernelPool several;
        private final List<Double> floats = new ArrayList<>();
        private final List<Double> bytes = new ArrayList<>();

        Meter(int threads) {
            this.threads = threads;
            several = new KernelPool(threads);
        }

        void measure() {
            for (int i = 0; threads > 1 && i < REPEATS; i++) {
                floats.add(MachinePeak.floatMultiplyAdds(several) / MachinePeak.floatMultiplyAdds(one));
                bytes.add(MachinePeak.byteMultiplyAdds(several) / MachinePeak.byteMultiplyAdds(one));
            }
        }

        /** Nothing of one thread. */
        Optional<MachineSpeedUp> result(String model) {
            return floats.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new MachineSpeedUp(model, threads, median(floats), median(bytes)));
        }

        private static double median(List<Double> values) {
            return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
        }

        @Override
        public void close() {
            several.close();
        }
    }
}
