package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.nnapi.driver.CacheFiles;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;

/** The device keeps no cache data, and takes none. */
class CacheDataTest {
    private static Model model() {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 3));
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 3));
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        return builder.finish();
    }

    @Test
    void dataThatAreHandedToItAreToldAndTheModelIsCompiledAnew() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {
                // Nothing is held back.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        Logger log = Logger.getLogger(CpuDriver.class.getName());
        log.addHandler(handler);
        log.setUseParentHandlers(false);
        try {
            Driver cpu = new CpuDriver();
            byte[] whole = CacheFiles.pack(Map.of("a", new byte[9]));
            for (byte[] data : List.of(new byte[0], new byte[] {1, 2, 3}, whole)) {
                lines.clear();
                PrepareOptions options = new PrepareOptions(
                        Preference.FAST_SINGLE_ANSWER, Priority.MEDIUM, new ExecutionControl(), data);
                try (PreparedModel prepared = cpu.prepare(model(), options)) {
                    assertFalse(prepared.isFromCache());
                    assertNull(prepared.cacheData());
                }
                assertEquals(
                        List.of("device cpu: cache data of " + data.length
                                + " bytes (expected: none, it keeps none); the model is compiled anew"),
                        lines);
            }
            lines.clear();
            cpu.prepare(model(), PrepareOptions.DEFAULT).close();
            assertEquals(List.of(), lines);
        } finally {
            log.removeHandler(handler);
            log.setUseParentHandlers(true);
        }
    }

    @Test
    void compilationsWithACacheWriteNoFile(@TempDir Path folder) throws Exception {
        CompilationBuilder builder = new CompilationBuilder(model()).setAvailable(Devices.of(new CpuDriver()));
        try (Compilation compilation = builder.setCaching(folder, new byte[CompilationBuilder.TOKEN_BYTES])
                        .finish();
                Stream<Path> files = Files.list(folder)) {
            float[] sums = new float[3];
            ((FloatBuffer) compilation
                            .run(List.of(FloatBuffer.wrap(new float[] {1, -2, 3})), null)
                            .get(0)
                            .data())
                    .get(0, sums);
            assertArrayEquals(new float[] {2, -4, 6}, sums);
            assertEquals(0, files.count());
        }
    }
}
