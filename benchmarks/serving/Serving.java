import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.PyTorchAndroid;
import org.pytorch.Tensor;

/**
 * Measures what serving takes, in a process of its own, a line of results each:
 *
 * <pre>
 *   shapes MODEL FIRST LAST STEP     resident memory after the largest size alone, and after all sizes
 *   callers MODEL SIZE COUNT SECONDS calls a second, and a second of processor time, of so many threads on one module
 *   modules MODEL SIZE COUNT         resident memory with so many modules of one file
 * </pre>
 *
 * A size is a length in tokens for encoder.pt, a batch of images for others. Kernels use one thread.
 */
public final class Serving {
    private Serving() {
    }

    public static void main(String[] args) throws Exception {
        PyTorchAndroid.setNumThreads(1);
        int[] numbers = new int[args.length - 2];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(args[i + 2]);
        }
        switch (args[0]) {
            case "shapes" -> shapes(args[1], numbers[0], numbers[1], numbers[2]);
            case "callers" -> callers(args[1], numbers[0], numbers[1], numbers[2]);
            case "modules" -> modules(args[1], numbers[0], numbers[1]);
            default -> throw new IllegalArgumentException(args[0] + " (expected: shapes, callers or modules)");
        }
    }

    private static IValue input(String model, int size) {
        Random random = new Random(size);
        if (model.endsWith("encoder.pt")) {
            return IValue.from(Tensor.fromBlob(random.longs(size, 0, 10_000).toArray(), new long[] {1, size}));
        }
        float[] pixels = new float[size * 3 * 224 * 224];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = random.nextFloat();
        }
        return IValue.from(Tensor.fromBlob(pixels, new long[] {size, 3, 224, 224}));
    }

    private static void shapes(String model, int first, int last, int step) throws Exception {
        Module module = Module.load(model);
        for (int i = 0; i < 2; i++) {
            module.forward(input(model, last)).toTensor();
        }
        long one = resident();
        int sizes = 0;
        for (int size = first; size <= last; size += step, sizes++) {
            module.forward(input(model, size)).toTensor();
        }
        long all = resident();
        System.out.printf("one size: %d MB, %d sizes: %d MB, ratio %.2f%n", one >> 10, sizes, all >> 10, (double) all / one);
    }

    private static void callers(String model, int size, int count, int seconds) throws Exception {
        Module module = Module.load(model);
        IValue warm = input(model, size);
        for (int i = 0; i < 3; i++) {
            module.forward(warm).toTensor();
        }
        AtomicLong calls = new AtomicLong();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            IValue own = input(model, size);
            threads.add(new Thread(() -> {
                while (System.nanoTime() < end) {
                    module.forward(own).toTensor();
                    calls.incrementAndGet();
                }
            }));
        }
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        long taken = System.nanoTime() - start;
        System.out.printf("%.2f %.2f%n", calls.get() * 1e9 / taken, calls.get() * 1e9 / (system.getProcessCpuTime() - cpu));
    }

    private static void modules(String model, int size, int count) throws Exception {
        List<Module> modules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            modules.add(Module.load(model));
            modules.get(i).forward(input(model, size)).toTensor();
        }
        System.out.printf("%d modules: %d MB%n", modules.size(), resident() >> 10);
    }

    /** In KB, of what no file holds: after a collection, as what waits for one is nobody's. */
    private static long resident() throws Exception {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        long sum = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                sum += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return sum;
    }
}
