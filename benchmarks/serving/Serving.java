import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
 *   modules MODEL SIZE COUNT         resident memory with so many modules of one file, and the heap's part of it
 *   plans MODEL FIRST LAST STEP      processor time of a size's first call beyond the next, sizes in a random order
 *   operators MODEL ROUNDS OPERATORS processor time of an operator of a method that runs so many in each of its rounds
 * </pre>
 *
 * A size is a length in tokens for the encoder, a batch of images for others, or with plans the side of one image.
 * Kernels use one thread. Files that end in .onnx run in ONNX Runtime, whose idle threads sleep.
 */
public final class Serving {
    private Serving() {}

    public static void main(String[] args) throws Exception {
        if (!args[1].endsWith(".onnx")) {
            PyTorchAndroid.setNumThreads(1);
        }
        int[] numbers = new int[args.length - 2];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(args[i + 2]);
        }
        switch (args[0]) {
            case "shapes" -> shapes(args[1], numbers[0], numbers[1], numbers[2]);
            case "callers" -> callers(args[1], numbers[0], numbers[1], numbers[2]);
            case "modules" -> modules(args[1], numbers[0], numbers[1]);
            case "operators" -> operators(args[1], numbers[0], numbers[1]);
            case "plans" -> plans(args[1], numbers[0], numbers[1], numbers[2]);
            default ->
                throw new IllegalArgumentException(
                        args[0] + " (expected: shapes, callers, modules, operators or plans)");
        }
    }

    /** A loaded model. */
    private interface Served {
        /** Prepares an input: so many tokens, or so many images of a side. Each run of what it gives is one answer. */
        Answer prepare(int size, int side) throws Exception;

        /** The same of images as models are trained on. */
        default Answer prepare(int size) throws Exception {
            return prepare(size, 224);
        }

        static Served load(String model) throws Exception {
            boolean tokens = Path.of(model).getFileName().toString().startsWith("encoder");
            return model.endsWith(".onnx") ? new Onnx(model, tokens) : new Ours(Module.load(model), tokens);
        }
    }

    private interface Answer extends AutoCloseable {
        void run() throws Exception;

        /** Lets the input go. */
        @Override
        default void close() {}
    }

    private static long[] tokens(int size) {
        return new Random(size).longs(size, 0, 10_000).toArray();
    }

    private static float[] pixels(int size, int side) {
        Random random = new Random(size);
        float[] pixels = new float[size * 3 * side * side];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = random.nextFloat();
        }
        return pixels;
    }

    private record Ours(Module module, boolean ofTokens) implements Served {
        @Override
        public Answer prepare(int size, int side) {
            IValue input = IValue.from(
                    ofTokens
                            ? Tensor.fromBlob(tokens(size), new long[] {1, size})
                            : Tensor.fromBlob(pixels(size, side), new long[] {size, 3, side, side}));
            return () -> module.forward(input).toTensor();
        }
    }

    private static final class Onnx implements Served {
        private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
        private final OrtSession session;
        private final boolean ofTokens;

        Onnx(String model, boolean ofTokens) throws Exception {
            OrtSession.SessionOptions options = new OrtSession.SessionOptions();
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            options.addConfigEntry("session.intra_op.allow_spinning", "0");
            session = environment.createSession(model, options);
            this.ofTokens = ofTokens;
        }

        @Override
        public Answer prepare(int size, int side) throws Exception {
            OnnxTensor input = ofTokens
                    ? OnnxTensor.createTensor(environment, LongBuffer.wrap(tokens(size)), new long[] {1, size})
                    : OnnxTensor.createTensor(
                            environment, FloatBuffer.wrap(pixels(size, side)), new long[] {size, 3, side, side});
            Map<String, OnnxTensor> inputs = Map.of("input", input);
            // The answer as an array, as the other engine gives it.
            return new Answer() {
                @Override
                public void run() throws Exception {
                    try (OrtSession.Result result = session.run(inputs)) {
                        FloatBuffer values = ((OnnxTensor) result.get(0)).getFloatBuffer();
                        values.get(new float[values.remaining()]);
                    }
                }

                @Override
                public void close() {
                    input.close();
                }
            };
        }
    }

    private static void answer(Served module, int size) throws Exception {
        try (Answer answer = module.prepare(size)) {
            answer.run();
        }
    }

    private static void shapes(String model, int first, int last, int step) throws Exception {
        Served module = Served.load(model);
        for (int i = 0; i < 2; i++) {
            answer(module, last);
        }
        long one = resident();
        int sizes = 0;
        for (int size = first; size <= last; size += step, sizes++) {
            answer(module, size);
        }
        long all = resident();
        System.out.printf(
                "one size: %d MB, %d sizes: %d MB, ratio %.2f%n", one >> 10, sizes, all >> 10, (double) all / one);
    }

    private static void plans(String model, int first, int last, int step) throws Exception {
        Served module = Served.load(model);
        boolean tokens = Path.of(model).getFileName().toString().startsWith("encoder");
        List<Integer> sizes = new ArrayList<>();
        for (int size = first; size <= last; size += step) {
            sizes.add(size);
        }
        Collections.shuffle(sizes, new Random(1));
        List<Long> beyond = new ArrayList<>();
        List<Long> runs = new ArrayList<>();
        for (int size : sizes) {
            try (Answer answer = tokens ? module.prepare(size) : module.prepare(1, size)) {
                long planned = processorTime(answer);
                long run = Long.MAX_VALUE;
                for (int i = 0; i < 4; i++) {
                    run = Math.min(run, processorTime(answer));
                }
                beyond.add(planned - run);
                runs.add(run);
            }
        }
        // The first half is spent on compiling what compiles.
        System.out.printf(
                "%d sizes, the later half: a new size takes %.2f ms of processor beyond a run of %.2f ms (medians)%n",
                sizes.size(), median(beyond) / 1e6, median(runs) / 1e6);
    }

    private static void operators(String model, int rounds, int each) throws Exception {
        Module module = Module.load(model);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            best = Math.min(best, processorTime(() -> module.forward(IValue.from(rounds))));
        }
        System.out.printf("%.3f microseconds of processor an operator%n", best / 1e3 / rounds / each);
    }

    /** Of the calling thread, in ns. */
    private static long processorTime(Answer answer) throws Exception {
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        answer.run();
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
    }

    /** Of the later half. */
    private static long median(List<Long> values) {
        List<Long> later = new ArrayList<>(values.subList(values.size() / 2, values.size()));
        Collections.sort(later);
        return later.get(later.size() / 2);
    }

    private static void callers(String model, int size, int count, int seconds) throws Exception {
        Served module = Served.load(model);
        Answer warm = module.prepare(size);
        for (int i = 0; i < 3; i++) {
            warm.run();
        }
        AtomicLong calls = new AtomicLong();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Answer own = module.prepare(size);
            threads.add(new Thread(() -> {
                try {
                    while (System.nanoTime() < end) {
                        own.run();
                        calls.incrementAndGet();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
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
        System.out.printf(
                "%.2f %.2f%n", calls.get() * 1e9 / taken, calls.get() * 1e9 / (system.getProcessCpuTime() - cpu));
    }

    private static void modules(String model, int size, int count) throws Exception {
        List<Served> modules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            modules.add(Served.load(model));
            answer(modules.get(i), size);
        }
        long resident = resident();
        Runtime heap = Runtime.getRuntime();
        System.out.printf(
                "%d modules: %d MB, of it %d MB of heap with %d MB in use%n",
                modules.size(), resident >> 10, heap.totalMemory() >> 20, heap.totalMemory() - heap.freeMemory() >> 20);
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
