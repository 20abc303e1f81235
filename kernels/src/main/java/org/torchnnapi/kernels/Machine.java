package org.torchnnapi.kernels;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.torchnnapi.kernels.internal.LinuxProcessors;
import org.torchnnapi.tensor.platform.Platform;

/**
 * What decides on this machine whether a way of computing pays: the caches and the speeds of its cores. Kernels and
 * passes ask it where they would otherwise know a cache's size or a number of threads by heart. Which vectors the
 * kernels compute with is {@link Kernels#vectorLanes} and {@link Kernels#vectorRegisters}.
 *
 * <p>It is measured once, when it is first asked for, from what Linux and Android say in {@code /sys}. What is not told
 * there, and everything elsewhere, is taken for what is common:
 *
 * <table>
 * <caption>Bytes of caches that nobody tells</caption>
 * <tr><th>processor</th><th>first</th><th>second, of a core</th><th>third</th></tr>
 * <tr><td>x86</td><td>32 KiB</td><td>512 KiB</td><td>8 MiB</td></tr>
 * <tr><td>Mac with Arm</td><td>64 KiB</td><td>2 MiB</td><td>8 MiB</td></tr>
 * <tr><td>other Arm</td><td>32 KiB</td><td>256 KiB; 128 KiB of a slow core</td><td>2 MiB</td></tr>
 * </table>
 *
 * <p>and every core for equally fast. Immutable; safe for use by several threads.
 *
 * @param cores the cores that this process may use, grouped by speed, the fastest first; at least one group
 * @param thirdCache bytes of the cache that cores share
 * @param line bytes of a line of the caches
 */
public record Machine(List<Cores> cores, long thirdCache, int line) {
    /** A piece of work is cut into no more shares. */
    private static final int MOST_SHARES = 64;
    /** Into so many even a small one is cut. */
    private static final int FEW_SHARES = 8;
    /** Slower cores take part only where work then lasts no longer than this part of what it lasts without them. */
    private static final double LEAST_GAIN = 0.8;

    /**
     * Cores of one speed.
     *
     * @param count how many there are
     * @param speed relative to that of the fastest, above 0 and at most 1
     * @param firstCache bytes of a core's own cache of data
     * @param secondCache bytes of the next cache: a core's part, where cores share it
     */
    public record Cores(int count, double speed, int firstCache, int secondCache) {
        /** @throws IllegalArgumentException if a number is out of its range */
        public Cores {
            Check.atLeast("count", count, 1);
            Check.atLeast("firstCache", firstCache, 1);
            Check.atLeast("secondCache", secondCache, 1);
            if (!(speed > 0 && speed <= 1)) {
                throw new IllegalArgumentException("speed: " + speed + " (expected: above 0 and at most 1)");
            }
        }
    }

    private static final class Measured {
        static final Machine MACHINE =
                LinuxProcessors.measure(Runtime.getRuntime().availableProcessors());
    }

    private static volatile Machine assumed;

    /** @throws IllegalArgumentException if there are no cores, or they are not in the order of their speeds */
    public Machine {
        if (cores.isEmpty()) {
            throw new IllegalArgumentException("cores: [] (expected: at least one group)");
        }
        for (int i = 1; i < cores.size(); i++) {
            if (cores.get(i).speed > cores.get(i - 1).speed) {
                throw new IllegalArgumentException("cores: " + cores + " (expected: the fastest first)");
            }
        }
        cores = Collections.unmodifiableList(new ArrayList<>(cores));
    }

    /** The machine that this process runs on. */
    public static Machine current() {
        Machine instead = assumed;
        return instead == null ? Measured.MACHINE : instead;
    }

    /**
     * Takes this process' machine for another one, to see in tests what would be done there: plans that are made from
     * then on are that machine's.
     *
     * @param machine null for the real one again
     */
    public static void assume(Machine machine) {
        assumed = machine;
    }

    /** All cores that this process may use. */
    public int processors() {
        int sum = 0;
        for (Cores group : cores) {
            sum += group.count;
        }
        return sum;
    }

    /**
     * Threads that compute unless somebody says otherwise: one for each core of the fastest group, and of a slower one
     * where work ends so much sooner with it that it is worth the power. Where nobody tells how fast a phone's many
     * cores are, the half of them are taken for slow, as PyTorch does.
     */
    public int threads() {
        if (Platform.ANDROID && cores.size() == 1 && processors() > 4) {
            return processors() / 2;
        }
        int sum = 0;
        for (Cores group : working()) {
            sum += group.count;
        }
        return sum;
    }

    /** Whether so many threads, on the fastest cores that there are, are not equally fast. */
    public boolean isUneven(int threads) {
        return threads > cores.get(0).count && cores.size() > 1;
    }

    /** Shares of a piece of work that keep {@link #threads} busy to the end; small pieces are cut into fewer. */
    public int shares() {
        int threads = threads();
        return isUneven(threads) ? MOST_SHARES : Math.max(threads, Math.min(4 * threads, MOST_SHARES));
    }

    /**
     * The same of a piece of which so many shares at most are large enough to pay for a call each: then a number that
     * equally fast threads divide, and a few of any piece.
     */
    public int shares(long paying) {
        int threads = threads();
        return (int) Math.min(shares(), Math.max(FEW_SHARES, paying / threads * threads));
    }

    /** Bytes that stay in the first cache of every core that computes. */
    public int firstCache() {
        int least = Integer.MAX_VALUE;
        for (Cores group : working()) {
            least = Math.min(least, group.firstCache);
        }
        return least;
    }

    /** Bytes that stay in the second cache of every core that computes, as its part of it. */
    public int secondCache() {
        int least = Integer.MAX_VALUE;
        for (Cores group : working()) {
            least = Math.min(least, group.secondCache);
        }
        return least;
    }

    /** The groups whose cores compute. */
    private List<Cores> working() {
        int groups = 1;
        for (int more = 2; more <= cores.size(); more++) {
            groups = time(more) < LEAST_GAIN * time(groups) ? more : groups;
        }
        return cores.subList(0, groups);
    }

    /**
     * How long the cores of so many groups take for a piece of work, the slowest with a share when it should be done.
     */
    private double time(int groups) {
        double speed = 0;
        for (Cores group : cores.subList(0, groups)) {
            speed += group.count * group.speed;
        }
        return 1 / speed + 1 / (MOST_SHARES * cores.get(groups - 1).speed);
    }

    /** A line for people, such as {@code 2 cores (caches of 32 KiB and 1 MiB), third cache of 32 MiB, lines of 64}. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        for (Cores group : cores) {
            text.append(text.length() == 0 ? "" : ", ")
                    .append(group.count)
                    .append(group.count == 1 ? " core" : " cores");
            if (cores.size() > 1) {
                text.append(String.format(Locale.ROOT, " of speed %.2f", group.speed));
            }
            text.append(" (caches of ")
                    .append(bytes(group.firstCache))
                    .append(" and ")
                    .append(bytes(group.secondCache))
                    .append(')');
        }
        return text + ", third cache of " + bytes(thirdCache) + ", lines of " + line + " bytes";
    }

    private static String bytes(long count) {
        return count % (1 << 20) == 0
                ? (count >> 20) + " MiB"
                : count % 1024 == 0 ? (count >> 10) + " KiB" : count + " bytes";
    }
}
