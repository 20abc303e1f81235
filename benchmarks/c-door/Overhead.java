import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Burst;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Execution;

/**
 * What a model of one operation takes in Java: nanoseconds, the least of many rounds. overhead.c does the same through
 * the C interface.
 */
final class Overhead {
    private static final int ROUNDS = 200;
    private static final int CALLS = 2000;
    private static final ByteBuffer A = memory();
    private static final ByteBuffer B = memory();
    private static final ByteBuffer OUT = memory();

    private Overhead() {}

    private static ByteBuffer memory() {
        return ByteBuffer.allocateDirect(4 * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void bind(Execution execution) {
        execution.setInput(0, A);
        execution.setInput(1, B);
        execution.setOutput(0, OUT);
    }

    private static double least(Runnable call) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                call.run();
            }
            best = Math.min(best, (double) (System.nanoTime() - start) / CALLS);
        }
        return best;
    }

    public static void main(String[] args) {
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor vector = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 4);
        builder.addOperand(vector);
        builder.addOperand(vector);
        builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.addOperand(vector);
        builder.setOperandValue(2, 0);
        builder.addOperation(OperationType.ADD, new int[] {0, 1, 2}, new int[] {3});
        builder.identifyInputsAndOutputs(new int[] {0, 1}, new int[] {3});
        Model model = builder.finish();
        try (Compilation compilation = new CompilationBuilder(model).finish();
                Burst burst = new Burst(compilation)) {
            Execution kept = compilation.createExecution();
            kept.setReusable(true);
            bind(kept);
            double reused = least(() -> kept.burstCompute(burst));
            double whole = least(() -> {
                try (Execution execution = compilation.createExecution()) {
                    bind(execution);
                    execution.compute();
                }
            });
            System.out.printf("%.0f %.0f%n", reused, whole);
        }
    }
}
