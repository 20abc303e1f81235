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
 *   modules MODEL SIZE COUNT         resident memory with so many modules of one file
 * </pre>
 *
 * A size is a length in tokens for the encoder, a batch of images for others. Kernels use one thread. Files that end in .onnx run in ONNX Runtime, whose
 * idle threads sleep.
 */
public final class Serving {
    private Serving() {
    }

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
            default -> throw new IllegalArgumentException(args[0] + " (expected: shapes, callers or modules)");
        }
    }

    /** A loaded model. */
    private interface Served {
        /** Prepares an input of a size; each run of what it gives is one answer. */
        Answer prepare(int size) throws Exception;

        static Served load(String model) throws Exception {
            boolean tokens = Path.of(model).getFileName().toString().startsWith("encoder");
            return model.endsWith(".onnx") ? new Onnx(model, tokens) : new Ours(Module.load(model), tokens);
        }
    }

    private interface Answer extends AutoCloseable {
        void run() throws Exception;

        /** Lets the input go. */
        @Override
        default void close() {
        }
    }

    private static long[] tokens(int size) {
        return new Random(size).longs(size, 0, 10_000).toArray();
    }

    private static float[] pixels(int size) {
        Random random = new Random(size);
        float[] pixels = new float[size * 3 * 224 * 224];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = random.nextFloat();
        }
        return pixels;
    }

    private record Ours(Module module, boolean ofTokens) implements Served {
        @Override
        public Answer prepare(int size) {
            IValue input = IValue.from(ofTokens ? Tensor.fromBlob(tokens(size), new long[] {1, size})
                : Tensor.fromBlob(pixels(size), new long[] {size, 3, 224, 224}));
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
        public Answer prepare(int size) throws Exception {
            OnnxTensor input = ofTokens ? OnnxTensor.createTensor(environment, LongBuffer.wrap(tokens(size)), new long[] {1, size})
                : OnnxTensor.createTensor(environment, FloatBuffer.wrap(pixels(size)), new long[] {size, 3, 224, 224});
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
        System.out.printf("one size: %d MB, %d sizes: %d MB, ratio %.2f%n", one >> 10, sizes, all >> 10, (double) all / one);
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
        System.out.printf("%.2f %.2f%n", calls.get() * 1e9 / taken, calls.get() * 1e9 / (system.getProcessCpuTime() - cpu));
    }

    private static void modules(String model, int size, int count) throws Exception {
        List<Served> modules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            modules.add(Served.load(model));
            answer(modules.get(i), size);
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
