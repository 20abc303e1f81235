package org.torchnnapi.benchmarks.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Genuine PyTorch, where it is installed: a Python process that runs one inference for each line it is sent. */
final class PyTorchPeer implements Contender {
    private static final String PROGRAM = """
            import os, sys, time, warnings
            warnings.filterwarnings("ignore")
            import numpy, torch
            path, source, threads = sys.argv[1:]
            torch.set_num_threads(int(threads))
            if path.endswith("-int8.pt"):
                torch.backends.quantized.engine = "qnnpack"
            model = torch.jit.load(path).eval()
            if not path.endswith("-int8.pt"):
                model = torch.jit.optimize_for_inference(model)
            x = torch.from_numpy(numpy.load(source)).contiguous()
            print(torch.__version__, flush=True)
            with torch.inference_mode():
                for line in sys.stdin:
                    if line == "output\\n":
                        print(*y.flatten().tolist(), flush=True)
                        continue
                    start = time.perf_counter_ns()
                    y = model(x)
                    print(time.perf_counter_ns() - start, flush=True)
            """;
    private final Path python;

    PyTorchPeer(Path python) {
        this.python = python;
    }

    @Override
    public String toString() {
        return "PyTorch";
    }

    @Override
    public boolean takes(BenchmarkModel model) {
        return Files.exists(model.file(".pt"));
    }

    @Override
    public Session open(BenchmarkModel model, int threads) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(python.toString(), "-c", PROGRAM, model.file(".pt").toString(),
                model.file("-input.npy").toString(), Integer.toString(threads)).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("OMP_WAIT_POLICY", "passive");
        builder.environment().put("OPENBLAS_NUM_THREADS", "1");
        Process process = builder.start();
        BufferedReader answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        if (answers.readLine() == null) {
            throw new IOException("PyTorch is not installed for " + python + ", or could not load " + model.name());
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
            public void close() {
                orders.close();
                process.destroy();
            }
        };
    }
}
