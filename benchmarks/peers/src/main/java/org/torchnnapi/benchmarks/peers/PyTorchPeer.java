package org.torchnnapi.benchmarks.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Genuine PyTorch, where it is installed: a Python process that runs inferences as it is told. */
final class PyTorchPeer implements Contender {
    /** How the model is prepared. */
    enum Mode {
        /** {@code torch.jit.optimize_for_inference} for float models; quantized ones as they are, on QNNPACK. */
        INFERENCE("PyTorch"),
        /** {@code optimize_for_mobile}: XNNPACK; float models only. */
        MOBILE("PyTorch mobile");

        private final String title;

        Mode(String title) {
            this.title = title;
        }
    }

    private static final String PROGRAM = """
            import re, sys, time, warnings
            warnings.filterwarnings("ignore")
            import numpy, torch
            from torch.utils.mobile_optimizer import optimize_for_mobile
            mode, path, source, threads = sys.argv[1:]
            torch.set_num_threads(int(threads))
            quantized = "-int8" in path
            if quantized:
                torch.backends.quantized.engine = "qnnpack"
            model = torch.jit.load(path).eval()
            if mode == "MOBILE":
                model = optimize_for_mobile(model)
            elif not quantized:
                model = torch.jit.optimize_for_inference(model)
            x = torch.from_numpy(numpy.load(source)).contiguous()
            print(torch.__version__, flush=True)
            with torch.inference_mode():
                for line in sys.stdin:
                    if line == "output\\n":
                        print(*y.flatten().tolist(), flush=True)
                    elif line == "peak\\n":
                        status = open("/proc/self/status").read()
                        print(int(re.search("VmHWM:\\\\s*([0-9]+)", status).group(1)) * 1024, flush=True)
                    else:
                        start = time.perf_counter_ns()
                        y = model(x)
                        print(time.perf_counter_ns() - start, flush=True)
            """;
    private final Path python;
    private final Mode mode;

    PyTorchPeer(Path python, Mode mode) {
        this.python = python;
        this.mode = mode;
    }

    @Override
    public String toString() {
        return mode.title;
    }

    @Override
    public String refusal(BenchmarkModel model) {
        return mode == Mode.MOBILE && model.isInt8()
                ? "its preparation is for float models"
                : Files.exists(file(model)) ? null : "there is no " + file(model);
    }

    /**
     * Scripted where there is one: both preparations compute something else with traced models that hold hardtanh or
     * hardswish.
     */
    private static Path file(BenchmarkModel model) {
        return model.file(model.isInt8() ? ".pt" : "-scripted.pt");
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        python.toString(),
                        "-c",
                        PROGRAM,
                        mode.name(),
                        file(model).toString(),
                        model.file("-input.npy").toString(),
                        Integer.toString(threads))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("OMP_WAIT_POLICY", "passive");
        builder.environment().put("OPENBLAS_NUM_THREADS", "1");
        Process process = builder.start();
        BufferedReader answers =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        if (answers.readLine() == null) {
            throw new IOException("PyTorch is not installed for " + python + ", or could not prepare " + model.name());
        }
        return new Session() {
            private String ask(String order) throws IOException {
                orders.println(order);
                String answer = answers.readLine();
                if (answer == null) {
                    throw new IOException("PyTorch ended while running " + model.name());
                }
                return answer;
            }

            @Override
            public long time() throws IOException {
                return Long.parseLong(ask("run"));
            }

            @Override
            public float[] output() throws IOException {
                String[] words = ask("output").split(" ");
                float[] values = new float[words.length];
                for (int i = 0; i < words.length; i++) {
                    values[i] = Float.parseFloat(words[i]);
                }
                return values;
            }

            @Override
            public long peakBytes() throws IOException {
                return Long.parseLong(ask("peak"));
            }

            @Override
            public void close() {
                orders.close();
                process.destroy();
            }
        };
    }
}
