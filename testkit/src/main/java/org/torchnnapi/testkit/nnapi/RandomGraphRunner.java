package org.torchnnapi.testkit.nnapi;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Event;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.Memory;
import org.torchnnapi.nnapi.runtime.MemoryDescription;

/**
 * Runs random graphs on devices and compares with the reference device of this process: bytes must be equal, floats
 * within rounding. Each graph is computed plainly, in a burst, behind an event or with memories of the device's own,
 * and compiled for one of the devices or for all of them together. Not thread-safe.
 */
public final class RandomGraphRunner {
    private static final double TOLERANCE = 1e-4;
    private static final byte[] WAYS = {0, 1, 2, 3};

    private final Devices devices;
    private final List<Device> tested;
    private final PrintStream out;
    private int wrong;

    /**
     * @param tested some of {@code devices}
     * @param out receives a line for each graph that goes wrong, with its seed
     */
    public RandomGraphRunner(Devices devices, List<Device> tested, PrintStream out) {
        this.devices = devices;
        this.tested = List.copyOf(tested);
        this.out = out;
    }

    /** Runs the graphs of that many seeds, beginning with the given one; how many went wrong. */
    public int run(long seed, int count) {
        wrong = 0;
        for (int i = 0; i < count; i++) {
            run(seed + i);
        }
        return wrong;
    }

    private void run(long seed) {
        RandomGraph graph = new RandomGraph(seed);
        Random random = new Random(seed);
        int choice = random.nextInt(tested.size() + 1);
        List<Device> chosen = choice == tested.size() ? tested : List.of(tested.get(choice));
        byte way = WAYS[random.nextInt(WAYS.length)];
        try {
            ByteBuffer[] expected = compute(graph, List.of(devices.reference()), (byte) 0);
            ByteBuffer[] found = compute(graph, chosen, way);
            for (int i = 0; i < expected.length; i++) {
                String difference = difference(graph.model(), i, expected[i], found[i]);
                if (difference != null) {
                    fail(seed, chosen, way, graph, difference);
                    return;
                }
            }
        } catch (NnapiException e) {
            fail(seed, chosen, way, graph, e.toString());
        }
    }

    private void fail(long seed, List<Device> chosen, byte way, RandomGraph graph, String what) {
        wrong++;
        out.println("WRONG seed " + seed + " on " + chosen + ", way " + way + ": " + what + "; " + graph.operations());
    }

    private ByteBuffer[] compute(RandomGraph graph, List<Device> chosen, byte way) {
        Model model = graph.model();
        ByteBuffer[] results = new ByteBuffer[model.outputCount()];
        try (Compilation compilation = new CompilationBuilder(model)
                .setAvailable(devices)
                .setDevices(chosen)
                .finish()) {
            Execution execution = compilation.createExecution();
            Memory[] memories = new Memory[results.length];
            for (int i = 0; i < model.inputCount(); i++) {
                ByteBuffer data = graph.inputs()[i].duplicate().order(ByteOrder.LITTLE_ENDIAN);
                if (way == 3) {
                    Memory memory = new MemoryDescription()
                            .addInputRole(compilation, i, 1f)
                            .createMemory();
                    Memory.copy(Memory.ofBuffer(data), memory);
                    execution.setInputFromMemory(i, memory, 0, 0);
                } else {
                    execution.setInput(i, data);
                }
            }
            for (int i = 0; i < results.length; i++) {
                results[i] = ByteBuffer.allocateDirect(
                                (int) model.output(i).descriptor().byteCount())
                        .order(ByteOrder.LITTLE_ENDIAN);
                if (way == 3) {
                    memories[i] = new MemoryDescription()
                            .addOutputRole(compilation, i, 1f)
                            .createMemory();
                    execution.setOutputFromMemory(i, memories[i], 0, 0);
                } else {
                    execution.setOutput(i, results[i]);
                }
            }
            compute(compilation, execution, way);
            for (int i = 0; way == 3 && i < results.length; i++) {
                Memory.copy(memories[i], Memory.ofBuffer(results[i].duplicate().clear()));
            }
        }
        return results;
    }

    private static void compute(Compilation compilation, Execution execution, byte way) {
        if (way == 1) {
            try (Burst burst = new Burst(compilation)) {
                execution.burstCompute(burst);
            }
        } else if (way == 2) {
            Event end = execution.startCompute();
            end.await();
        } else {
            execution.compute();
        }
    }

    /** What differs first, or null. */
    private static String difference(Model model, int output, ByteBuffer expected, ByteBuffer found) {
        boolean floats = model.output(output).type().isFloat();
        for (int i = 0; i < expected.capacity() / (floats ? Float.BYTES : 1); i++) {
            double e = floats ? expected.getFloat(i * Float.BYTES) : expected.get(i);
            double f = floats ? found.getFloat(i * Float.BYTES) : found.get(i);
            if (!(Math.abs(e - f) <= (floats ? TOLERANCE * (1 + Math.abs(e)) : 0))) {
                return "element " + i + " of output " + output + ": " + f + " (expected: " + e + ")";
            }
        }
        return null;
    }

    /** {@code COUNT SEED DEVICE...}; exits with 1 if any graph went wrong. */
    public static void main(String[] args) {
        Devices devices = Devices.installed();
        List<Device> tested = List.of(args).subList(2, args.length).stream()
                .map(devices::find)
                .toList();
        int count = Integer.parseInt(args[0]);
        int wrong = new RandomGraphRunner(devices, tested, System.out).run(Long.parseLong(args[1]), count);
        System.out.println(count + " random graphs on " + tested + ": " + wrong + " wrong");
        System.exit(wrong > 0 ? 1 : 0);
    }
}
