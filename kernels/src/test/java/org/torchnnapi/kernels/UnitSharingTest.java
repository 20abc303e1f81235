package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Machine.Cores;

/**
 * The rule by itself, and simulated machines that follow it over the layers of eight models: what the threads take, in
 * the time of a core of speed 1, beside the least that cores of these speeds could.
 */
class UnitSharingTest {
    private static final Machine LARGE_PHONE = machine(
            new Cores(1, 1, 64 << 10, 1 << 20),
            new Cores(3, 0.78, 32 << 10, 512 << 10),
            new Cores(4, 0.25, 32 << 10, 128 << 10));
    private static final Machine SMALL_PHONE =
            machine(new Cores(2, 1, 64 << 10, 256 << 10), new Cores(6, 0.3, 32 << 10, 128 << 10));
    private static final Machine EQUAL = machine(new Cores(8, 1, 32 << 10, 512 << 10));

    /** Multiply-adds of a unit that pays, with vectors of four floats. */
    private static final long UNIT_WORK = 4 << 14;

    private static Machine machine(Cores... cores) {
        return new Machine(List.of(cores), 4 << 20, 64);
    }

    /** Work, in multiply-adds, and the most units that a layer has: eight channels of eight pixels each. */
    private record Layer(long work, long mostUnits) {
        static Layer convolution(int in, int out, int side, int kernel) {
            return new Layer((long) in * out * side * side * kernel * kernel, units(out, side));
        }

        static Layer depthwise(int channels, int side, int kernel) {
            return new Layer((long) channels * side * side * kernel * kernel, units(channels, side));
        }

        private static long units(int channels, int side) {
            return (channels + 7L) / 8 * ((side * side + 7) / 8);
        }

        int units(Machine machine) {
            return (int) Math.min(mostUnits, machine.shares(work / UNIT_WORK));
        }
    }

    /** A convolution, then stages of blocks over images whose side each stage halves. */
    private static List<Layer> residual(int perStage, int kernel, int... channels) {
        List<Layer> layers = new ArrayList<>();
        layers.add(Layer.convolution(3, channels[0], 112, 7));
        int side = 56;
        int in = channels[0];
        for (int out : channels) {
            for (int i = 0; i < perStage; i++) {
                layers.add(Layer.convolution(in, out, side, kernel));
                in = out;
            }
            side /= 2;
        }
        return layers;
    }

    /** Inverted residual blocks: {channels, times, side}. */
    private static List<Layer> mobile(int expansion, int kernel, int[]... stages) {
        List<Layer> layers = new ArrayList<>();
        layers.add(Layer.convolution(3, 32, 112, 3));
        int in = 32;
        for (int[] stage : stages) {
            for (int i = 0; i < stage[1]; i++) {
                layers.add(Layer.convolution(in, in * expansion, stage[2], 1));
                layers.add(Layer.depthwise(in * expansion, stage[2], kernel));
                layers.add(Layer.convolution(in * expansion, stage[0], stage[2], 1));
                in = stage[0];
            }
        }
        layers.add(Layer.convolution(in, 1280, 7, 1));
        layers.add(Layer.convolution(1280, 1000, 1, 1));
        return layers;
    }

    private static List<Layer> encoder(int tokens, int width) {
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            layers.add(new Layer(3L * tokens * width * width, 3L * width / 8 * (tokens / 8)));
            layers.add(new Layer(2L * tokens * tokens * width, (long) tokens / 8 * (width / 8)));
            layers.add(new Layer(8L * tokens * width * width, 4L * width / 8 * (tokens / 8)));
        }
        return layers;
    }

    private static Map<String, List<Layer>> models() {
        Map<String, List<Layer>> models = new TreeMap<>();
        models.put("18 layers", residual(4, 3, 64, 128, 256, 512));
        models.put("34 layers", residual(8, 3, 64, 128, 256, 512));
        models.put("narrow", residual(3, 3, 16, 32, 64, 128));
        models.put("five by five", residual(2, 5, 32, 64, 96));
        models.put(
                "inverted",
                mobile(6, 3, new int[] {24, 2, 56}, new int[] {32, 3, 28}, new int[] {96, 7, 14}, new int[] {160, 3, 7
                }));
        models.put(
                "inverted, wide kernels",
                mobile(4, 5, new int[] {40, 3, 28}, new int[] {112, 4, 14}, new int[] {192, 4, 7}));
        models.put("encoder", encoder(128, 256));
        models.put("long encoder", encoder(512, 384));
        return models;
    }

    /** When the threads, one on each core, are done with units of that work each. */
    private static double time(int units, double work, double[] speeds, UnitSharing sharing) {
        int threads = speeds.length;
        int[] begin = new int[threads];
        int[] end = new int[threads];
        boolean[] begun = new boolean[threads];
        double[] free = new double[threads];
        PriorityQueue<Integer> next =
                new PriorityQueue<>((a, b) -> free[a] == free[b] ? a - b : Double.compare(free[a], free[b]));
        for (int i = 0; i < threads; i++) {
            begin[i] = sharing.firstOf(i, units);
            end[i] = sharing.firstOf(i + 1, units);
            next.add(i);
        }
        double last = 0;
        while (!next.isEmpty()) {
            int own = next.remove();
            for (int others = 0; others < threads; others++) {
                int from = sharing.next(own, others);
                int taken = sharing.portion(end[from] - begin[from], others > 0, begun[from], false);
                if (taken > 0) {
                    if (others == 0) {
                        begin[from] += taken;
                        begun[from] = true;
                    } else {
                        end[from] -= taken;
                    }
                    free[own] += taken * work / speeds[own];
                    last = Math.max(last, free[own]);
                    next.add(own);
                    break;
                }
            }
        }
        return last;
    }

    private static double[] speeds(Machine machine, int threads, boolean slowFirst) {
        double[] speeds = new double[threads];
        int at = 0;
        for (Cores group : machine.cores()) {
            for (int i = 0; i < group.count() && at < threads; i++, at++) {
                speeds[slowFirst ? threads - 1 - at : at] = group.speed();
            }
        }
        return speeds;
    }

    private static void check(Machine machine) {
        int threads = machine.threads();
        UnitSharing sharing = new UnitSharing(threads, machine.isUneven(threads));
        models().forEach((name, layers) -> {
            for (boolean slowFirst : new boolean[] {false, true}) {
                double[] speeds = speeds(machine, threads, slowFirst);
                double sum = 0;
                double ideal = 0;
                double speed = 0;
                for (double each : speeds) {
                    speed += each;
                }
                for (Layer layer : layers) {
                    int units = layer.units(machine);
                    sum += time(units, (double) layer.work() / units, speeds, sharing);
                    ideal += layer.work() / speed;
                }
                assertTrue(
                        sum <= 1.1 * ideal,
                        name + " on " + machine.describe() + ": " + sum / ideal + " of the ideal time");
            }
        });
    }

    @Test
    void aLargePhoneIsBusyToTheEnd() {
        check(LARGE_PHONE);
    }

    @Test
    void aSmallPhoneIsBusyToTheEnd() {
        check(SMALL_PHONE);
    }

    @Test
    void equalCoresAreBusyToTheEnd() {
        check(EQUAL);
    }

    @Test
    void slowCoresTakeLessAtOnce() {
        assertEquals(16, new UnitSharing(2, false).portion(32, false, false, false));
        assertEquals(8, new UnitSharing(2, true).portion(32, false, false, false));
        assertEquals(8, new UnitSharing(2, false).portion(32, true, true, false));
    }

    @Test
    void fewAdjoiningUnitsStayTogether() {
        UnitSharing sharing = new UnitSharing(2, true);
        assertEquals(7, sharing.portion(7, false, false, true));
        assertEquals(7, sharing.portion(7, true, false, true), "of a thread that has not come yet");
        assertEquals(0, sharing.portion(7, true, true, true));
        assertEquals(4, sharing.portion(8, true, true, true));
        assertEquals(0, sharing.portion(0, false, false, true));
    }

    @Test
    void sharesAreAllUnits() {
        for (int threads = 1; threads < 9; threads++) {
            UnitSharing sharing = new UnitSharing(threads, false);
            for (int units = 1; units < 70; units++) {
                assertEquals(0, sharing.firstOf(0, units));
                assertEquals(units, sharing.firstOf(threads, units));
            }
            assertEquals(Integer.MAX_VALUE, sharing.firstOf(threads, Integer.MAX_VALUE));
        }
    }
}
