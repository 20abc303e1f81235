package org.torchnnapi.kernels.internal;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import java.util.TreeSet;
import org.torchnnapi.kernels.CacheLines;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.Machine.Cores;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Platform;

/**
 * What Linux, and so Android, says of processors in {@code /sys/devices/system/cpu}: text files, each of which may be
 * missing, unreadable or nonsense, which then is as if it were missing. Some hundred of them are read in a millisecond.
 */
public final class LinuxProcessors {
    /** More processors are taken for equal: machines with cores of several speeds have fewer. */
    private static final int MOST_ASKED = 64;
    /** Speeds that differ by less than this part are one: so much do cores of one design. */
    private static final double SAME_SPEED = 0.1;

    private static final int MOST_INDEXES = 8;
    private static final int LONGEST = 1 << 16;

    /** What caches have where nobody tells. */
    private record Usual(int first, int second, int secondOfSlow, long third) {
        static Usual of(String system, String arch) {
            if (!arch.startsWith("aarch64") && !arch.startsWith("arm")) {
                return new Usual(32 << 10, 512 << 10, 512 << 10, 8L << 20);
            }
            return system.startsWith("Mac")
                    ? new Usual(64 << 10, 2 << 20, 2 << 20, 8L << 20)
                    : new Usual(32 << 10, 256 << 10, 128 << 10, 2L << 20);
        }
    }

    /** A cache as its files describe it; 0 for what they do not. */
    private record Cache(long first, long second, long third, long line) {}

    private final File folder;
    private final Usual usual;

    private LinuxProcessors(File folder, Usual usual) {
        this.folder = folder;
        this.usual = usual;
    }

    /** This machine, with so many processors for this process; what is not told is what is usual. */
    public static Machine measure(int processors) {
        return measure(Platform.ANDROID ? null : allowed(text(new File("/proc/self/status"))), processors);
    }

    /** The same with the given processors, such as {@code 0-3,6}. */
    public static Machine measure(String allowed, int processors) {
        return measure(
                new File("/sys/devices/system/cpu"),
                allowed,
                processors,
                System.getProperty("os.name", ""),
                System.getProperty("os.arch", ""));
    }

    /**
     * @param folder where Linux describes processors
     * @param allowed the processors that the process may use, such as {@code 0-3,6}; null for all that are there, as on
     *     Android, which shuts an app that nobody sees out of fast cores
     * @param processors how many of these it gets time of, the fastest
     */
    static Machine measure(File folder, String allowed, int processors, String system, String arch) {
        return new LinuxProcessors(folder, Usual.of(system, arch)).machine(allowed, processors);
    }

    private static String allowed(String status) {
        String label = "Cpus_allowed_list:";
        int at = status == null ? -1 : status.indexOf(label);
        return at < 0 ? null : status.substring(at + label.length(), lineEnd(status, at));
    }

    private static int lineEnd(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }

    private Machine machine(String allowed, int processors) {
        List<Integer> numbers = numbers(allowed == null ? text(new File(folder, "present")) : allowed);
        if (numbers.isEmpty() || numbers.size() > MOST_ASKED) {
            int first = numbers.isEmpty() ? 0 : numbers.get(0);
            Cache cache = cache(first);
            return machine(List.of(cores(cache, processors, 1)), cache);
        }
        long[] speeds = new long[numbers.size()];
        long greatest = 0;
        for (String file : new String[] {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
            for (int i = 0; i < speeds.length && (i == 0 || greatest > 0); i++) {
                speeds[i] = number(new File(processor(numbers.get(i)), file));
                greatest = Math.max(greatest, speeds[i]);
            }
            if (greatest > 0) {
                break;
            }
        }
        for (int i = 0; i < speeds.length; i++) {
            // A core that does not tell is as fast as any.
            speeds[i] = speeds[i] <= 0 ? Math.max(greatest, 1) : speeds[i];
        }
        List<Integer> order = fastestFirst(speeds).subList(0, Math.max(1, Math.min(processors, speeds.length)));
        double fastest = speeds[order.get(0)];
        List<Cores> groups = new ArrayList<>();
        Cache shared = null;
        for (int begin = 0; begin < order.size(); ) {
            double speed = speeds[order.get(begin)];
            int end = begin;
            while (end < order.size() && speeds[order.get(end)] >= (1 - SAME_SPEED) * speed) {
                end++;
            }
            Cache cache = cache(numbers.get(order.get(begin)));
            shared = shared == null ? cache : shared;
            groups.add(cores(cache, end - begin, speed / fastest));
            begin = end;
        }
        return machine(groups, shared);
    }

    /** Indexes; sorted by hand, as this runs when a process starts, where a first lambda takes milliseconds. */
    private static List<Integer> fastestFirst(long[] speeds) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < speeds.length; i++) {
            int at = i;
            while (at > 0 && speeds[order.get(at - 1)] < speeds[i]) {
                at--;
            }
            order.add(at, i);
        }
        return order;
    }

    private Machine machine(List<Cores> groups, Cache cache) {
        return new Machine(groups, within(cache.third, 256 << 10, 1L << 32, usual.third), (int)
                within(cache.line, 16, 1024, CacheLines.BYTES));
    }

    private Cores cores(Cache cache, int count, double speed) {
        int second = speed < 0.5 ? usual.secondOfSlow : usual.second;
        return new Cores(Math.max(1, count), speed, (int) within(cache.first, 4 << 10, 1 << 20, usual.first), (int)
                within(cache.second, 16 << 10, 64 << 20, second));
    }

    private static long within(long value, long least, long most, long otherwise) {
        return value < least || value > most ? otherwise : value;
    }

    private File processor(int number) {
        return new File(folder, "cpu" + number);
    }

    private Cache cache(int processor) {
        long[] sizes = new long[4];
        long line = 0;
        for (int index = 0; index < MOST_INDEXES; index++) {
            File cache = new File(processor(processor), "cache/index" + index);
            long level = number(new File(cache, "level"));
            if (level <= 0) {
                break;
            }
            if (level >= sizes.length || level == 1 && !holdsData(cache)) {
                continue;
            }
            long size = number(new File(cache, "size"));
            if (level == 2) {
                size /= coresSharing(cache, processor);
            }
            sizes[(int) level] = size;
            line = level == 1 ? number(new File(cache, "coherency_line_size")) : line;
        }
        return new Cache(sizes[1], sizes[2], sizes[3], line);
    }

    private static boolean holdsData(File cache) {
        String type = text(new File(cache, "type"));
        return type != null && !type.startsWith("Instruction");
    }

    /** Threads of one core share its cache without halving what each has of it. */
    private long coresSharing(File cache, int processor) {
        int sharing = numbers(text(new File(cache, "shared_cpu_list"))).size();
        if (sharing <= 1) {
            return 1;
        }
        String siblings = text(new File(processor(processor), "topology/thread_siblings_list"));
        return Math.max(1, sharing / Math.max(1, numbers(siblings).size()));
    }

    /** The numbers of a list such as {@code 0-3,6}, each once, in order; none where it is no such list. */
    public static List<Integer> numbers(String list) {
        if (list == null) {
            return List.of();
        }
        TreeSet<Integer> numbers = new TreeSet<>();
        try {
            for (StringTokenizer ranges = new StringTokenizer(list.trim(), ","); ranges.hasMoreTokens(); ) {
                String range = ranges.nextToken();
                int dash = range.indexOf('-');
                int last = Integer.parseInt(range.substring(dash + 1));
                int first = dash < 0 ? last : Integer.parseInt(range.substring(0, dash));
                for (int i = first; i <= last && numbers.size() < LONGEST; i++) {
                    numbers.add(i);
                }
            }
            return new ArrayList<>(numbers);
        } catch (NumberFormatException e) {
            return List.of();
        }
    }

    /** A file's number, of which K and M make bytes; 0 where there is none. */
    private static long number(File file) {
        String text = text(file);
        String digits = text == null ? "" : text.trim();
        int unit = digits.endsWith("K") ? 10 : digits.endsWith("M") ? 20 : 0;
        try {
            long number = Long.parseLong(unit == 0 ? digits : digits.substring(0, digits.length() - 1));
            return number > 0 && number < Long.MAX_VALUE >> 20 ? number << unit : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** What a short file says; null where it cannot be read. */
    private static String text(File file) {
        try (InputStream in = new FileInputStream(file)) {
            return new String(InputStreams.read(in, 4096), StandardCharsets.ISO_8859_1);
        } catch (IOException | SecurityException e) {
            return null;
        }
    }
}
