package org.torchnnapi.kernels.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.Machine.Cores;

class LinuxProcessorsTest {
    @TempDir
    Path folder;

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    private void cache(int cpu, int index, int level, String type, String size, String shared) throws IOException {
        String at = "cpu" + cpu + "/cache/index" + index + "/";
        write(at + "level", Integer.toString(level));
        write(at + "type", type);
        write(at + "size", size);
        write(at + "shared_cpu_list", shared);
        write(at + "coherency_line_size", "64");
    }

    private Machine arm(String allowed, int processors) {
        return LinuxProcessors.measure(folder.toFile(), allowed, processors, "Linux", "aarch64");
    }

    /** Four little cores that share second caches in pairs, three larger ones and a large one. */
    private void phone() throws IOException {
        write("present", "0-7");
        for (int cpu = 0; cpu < 8; cpu++) {
            write("cpu" + cpu + "/cpu_capacity", cpu < 4 ? "250" : cpu < 7 ? "800" : "1024");
            write("cpu" + cpu + "/topology/thread_siblings_list", Integer.toString(cpu));
            cache(cpu, 0, 1, "Data", cpu < 7 ? "32K" : "64K", Integer.toString(cpu));
            cache(cpu, 1, 1, "Instruction", "128K", Integer.toString(cpu));
            String pair = cpu / 2 * 2 + "-" + (cpu / 2 * 2 + 1);
            cache(cpu, 2, 2, "Unified", cpu < 4 ? "256K" : cpu < 7 ? "512K" : "1M", cpu < 4 ? pair : "" + cpu);
            cache(cpu, 3, 3, "Unified", "4096K", "0-7");
        }
    }

    @Test
    void coresAreGroupedBySpeed() throws IOException {
        phone();
        assertEquals(
                new Machine(
                        List.of(
                                new Cores(1, 1, 64 << 10, 1 << 20),
                                new Cores(3, 800 / 1024., 32 << 10, 512 << 10),
                                new Cores(4, 250 / 1024., 32 << 10, 128 << 10)),
                        4 << 20,
                        64),
                arm(null, 8));
    }

    @Test
    void onlyTheCoresOfTheProcessCount() throws IOException {
        phone();
        assertEquals(
                List.of(new Cores(1, 1, 32 << 10, 512 << 10), new Cores(2, 250. / 800, 32 << 10, 128 << 10)),
                arm("0-1,4", 8).cores());
        assertEquals(
                List.of(new Cores(1, 1, 64 << 10, 1 << 20), new Cores(1, 800 / 1024., 32 << 10, 512 << 10)),
                arm(null, 2).cores(),
                "time of two processors");
    }

    @Test
    void frequenciesStandInForCapacities() throws IOException {
        write("present", "0-3");
        for (int cpu = 0; cpu < 4; cpu++) {
            write("cpu" + cpu + "/cpufreq/cpuinfo_max_freq", cpu < 2 ? "1800000" : cpu == 2 ? "2400000" : "2500000");
        }
        assertEquals(
                List.of(new Cores(2, 1, 32 << 10, 256 << 10), new Cores(2, 0.72, 32 << 10, 256 << 10)),
                arm(null, 4).cores());
    }

    @Test
    void threadsOfACoreShareNoCache() throws IOException {
        write("present", "0-3");
        write("cpu0/topology/thread_siblings_list", "0,2");
        cache(0, 0, 1, "Data", "48K", "0,2");
        cache(0, 1, 2, "Unified", "2048K", "0,2");
        Machine machine = LinuxProcessors.measure(folder.toFile(), "0-3", 4, "Linux", "amd64");
        assertEquals(List.of(new Cores(4, 1, 48 << 10, 2 << 20)), machine.cores());
        assertEquals(8 << 20, machine.thirdCache());
    }

    @Test
    void nothingToldIsWhatIsUsual() {
        assertEquals(new Machine(List.of(new Cores(6, 1, 32 << 10, 256 << 10)), 2 << 20, 64), arm(null, 6));
        assertEquals(
                new Machine(List.of(new Cores(4, 1, 32 << 10, 512 << 10)), 8 << 20, 64),
                LinuxProcessors.measure(folder.toFile(), null, 4, "Windows 11", "amd64"));
        assertEquals(
                new Machine(List.of(new Cores(8, 1, 64 << 10, 2 << 20)), 8 << 20, 64),
                LinuxProcessors.measure(folder.toFile(), null, 8, "Mac OS X", "aarch64"));
    }

    @Test
    void nonsenseIsAsIfItWereNotThere() throws IOException {
        phone();
        write("cpu7/cpu_capacity", "-1");
        write("cpu6/cpu_capacity", "many");
        write("cpu5/cpu_capacity", "99999999999999999999");
        write("cpu4/cpu_capacity", "");
        write("cpu0/cache/index0/size", "0K");
        write("cpu0/cache/index2/size", "900G");
        write("cpu0/cache/index2/shared_cpu_list", "all");
        write("cpu0/cache/index3/size", "9223372036854775807M");
        write("cpu0/cache/index0/coherency_line_size", "7");
        write("cpu0/cache/index3/level", "99");
        assertEquals(
                new Machine(List.of(new Cores(8, 1, 32 << 10, 256 << 10)), 2 << 20, 64),
                arm("0-7", 8),
                "the little ones' capacity is the greatest that is told");
        for (String list : new String[] {"x", "5-", "-", "3-1", ""}) {
            assertEquals(1, arm(list, 1).processors(), list);
        }
    }

    @Test
    void aServersManyCoresAreOneGroup() throws IOException {
        write("present", "0-255");
        write("cpu9/cpu_capacity", "1");
        cache(0, 0, 1, "Data", "32K", "0");
        assertEquals(
                List.of(new Cores(200, 1, 32 << 10, 256 << 10)), arm(null, 200).cores());
    }
}
