package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.TraceEvent;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

class NnapiCompilationClassTest {
    private final List<TraceEvent> trace = new ArrayList<>();
    private final EngineOptions options =
            EngineOptions.defaults().withDevices(Devices.of()).withTrace(trace::add);
    private final NnapiCompilationClass type = new NnapiCompilationClass(options);

    /** {@code z = x + y}, then ReLU. */
    private static Tensor addModel(OperandDescriptor operand) {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(operand);
        int y = builder.addOperand(operand);
        int fuse = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        int z = builder.addOperand(operand);
        builder.setOperandValue(fuse, 1);
        builder.addOperation(OperationType.ADD, new int[] {x, y, fuse}, new int[] {z});
        builder.identifyInputsAndOutputs(new int[] {x, y}, new int[] {z});
        int[] words = SerializedModel.encode(builder.finish()).words();
        return Tensor.of(words, words.length);
    }

    private static ScriptList list(Tensor... tensors) {
        return new ScriptList(Type.Basic.TENSOR, List.of(tensors));
    }

    private Object compiled(Tensor words) {
        Object self = type.create();
        type.call(self, "__init__", new Object[0]);
        type.call(self, "init2", new Object[] {words, list(), 1L, false});
        return self;
    }

    private Tensor run(Object self, Tensor output, Tensor... inputs) {
        type.call(self, "run", new Object[] {list(inputs), list(output)});
        return output;
    }

    @Test
    void runsAModelAndSaysWhatItDid() {
        Object self = compiled(addModel(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2, 2)));
        Tensor out = run(
                self,
                Tensor.zeros(DType.FLOAT32, 2, 2),
                Tensor.of(new float[] {1, 2, 3, -9}, 2, 2),
                Tensor.of(new float[] {1, 1, 1, 1}, 2, 2));
        assertArrayEquals(new float[] {2, 3, 4, 0}, out.toFloatArray());
        assertTrue(trace.stream().anyMatch(e -> e.kind() == TraceEvent.Kind.PREPARE));
        assertTrue(trace.stream().anyMatch(e -> e.kind() == TraceEvent.Kind.EXECUTION));
        assertEquals(1, type.parts().size());
        assertEquals(
                1,
                type.parts()
                        .get(0)
                        .compilations()
                        .get(0)
                        .placement()
                        .operations()
                        .size());
    }

    @Test
    void outputsTakeNnapisShape() {
        Object self = compiled(addModel(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2, 2)));
        Tensor out = run(
                self,
                Tensor.zeros(DType.FLOAT32, 4, 1),
                Tensor.zeros(DType.FLOAT32, 2, 2),
                Tensor.zeros(DType.FLOAT32, 2, 2));
        assertArrayEquals(new int[] {2, 2}, out.sizes());
    }

    @Test
    void stridedInputsAreMadeDense() {
        Object self = compiled(addModel(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2, 2)));
        Tensor transposed = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2).permute(1, 0);
        Tensor out = run(self, Tensor.zeros(DType.FLOAT32, 2, 2), transposed, Tensor.zeros(DType.FLOAT32, 2, 2));
        assertArrayEquals(new float[] {1, 3, 2, 4}, out.toFloatArray());
    }

    @Test
    void quantizedTensorsKeepTheirParameters() {
        Object self = compiled(addModel(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 10, 2)));
        Quantization q = new Quantization.PerTensor(0.5, 10);
        Tensor x = Tensor.of(DType.QUINT8, new byte[] {12, 8}, 2).withQuantization(q);
        Tensor plain = Tensor.of(DType.UINT8, new byte[] {14, 10}, 2);
        Tensor out = run(self, Tensor.zeros(DType.QUINT8, 2).withQuantization(q), x, plain);
        assertEquals(q, out.quantization());
        assertArrayEquals(new long[] {16, 10}, out.toLongArray());
        assertTrue(assertThrows(
                        IllegalArgumentException.class,
                        () -> run(
                                self,
                                Tensor.zeros(DType.QUINT8, 2).withQuantization(new Quantization.PerTensor(0.25, 10)),
                                x,
                                plain))
                .getMessage()
                .contains("scale 0.25"));
    }

    /**
     * NNAPI is given bytes alone; PyTorch's test of average pooling converts with a scale of 1/16 and runs with one of
     * 0.03.
     */
    @Test
    void bytesOfAnotherScaleAreTakenAsTheModelSaysWithOneWarning() {
        Object self = compiled(addModel(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 10, 2)));
        Quantization q = new Quantization.PerTensor(0.5, 10);
        Tensor x = Tensor.of(DType.QUINT8, new byte[] {12, 8}, 2).withQuantization(new Quantization.PerTensor(0.25, 3));
        Tensor plain = Tensor.of(DType.UINT8, new byte[] {14, 10}, 2);
        List<String> warnings = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord message) {
                warnings.add(message.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(NnapiPart.class.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            for (int i = 0; i < 3; i++) {
                Tensor out = run(self, Tensor.zeros(DType.QUINT8, 2).withQuantization(q), x, plain);
                assertArrayEquals(new long[] {16, 10}, out.toLongArray());
            }
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        assertEquals(1, warnings.size());
        assertTrue(
                warnings.get(0)
                        .startsWith(
                                "input 0: scale 0.25, zero point 3 (expected: those of the converted model, 0.5 and "
                                        + "10)"),
                warnings.get(0));
    }

    @Test
    void openShapesAreCompiledOnceEach() {
        Object self = compiled(addModel(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0, 2)));
        for (int rows : new int[] {1, 3, 1, 3, 1}) {
            Tensor ones = Tensor.zeros(DType.FLOAT32, rows, 2);
            ones.storage().floatArray()[0] = 1;
            Tensor out = run(self, Tensor.zeros(DType.FLOAT32, 1, 2), ones, ones);
            assertArrayEquals(new int[] {rows, 2}, out.sizes());
            assertEquals(2, out.getDouble(0));
        }
        assertEquals(
                2,
                trace.stream().filter(e -> e.kind() == TraceEvent.Kind.PREPARE).count());
        for (int rows = 4; rows < 20; rows++) {
            Tensor zeros = Tensor.zeros(DType.FLOAT32, rows, 2);
            run(self, Tensor.zeros(DType.FLOAT32, 1, 2), zeros, zeros);
        }
        assertTrue(type.parts().get(0).compilations().size() <= 8);
    }

    @Test
    void wrongCallsAreOneTypedError() {
        Tensor words = addModel(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2));
        Object self = compiled(words);
        Tensor two = Tensor.zeros(DType.FLOAT32, 2);
        for (Runnable wrong : List.<Runnable>of(
                () -> run(self, two, two),
                () -> run(self, two, two, Tensor.zeros(DType.FLOAT32, 3)),
                () -> run(self, two, two, Tensor.zeros(DType.INT64, 2)),
                () -> run(self, Tensor.zeros(DType.INT32, 2), two, two),
                () -> run(type.create(), two, two, two),
                () -> type.call(self, "run", new Object[] {two, two}),
                () -> type.call(self, "run", new Object[0]),
                () -> type.call(self, "fly", new Object[0]),
                () -> type.call(self, "init2", new Object[] {words, list(), 1L, false}),
                () -> type.call(type.create(), "init2", new Object[] {two, list(), 1L, false}),
                () -> type.call(type.create(), "init2", new Object[] {words, list(), "fast", false}),
                () -> type.setState(null),
                () -> type.getState(self))) {
            String message =
                    assertThrows(IllegalArgumentException.class, wrong::run).getMessage();
            assertTrue(message.contains("expected"), message);
        }
        assertThrows(
                NnapiException.class, () -> type.call(type.create(), "init2", new Object[] {words, list(), 7L, false}));
        assertThrows(
                NnapiException.class,
                () -> type.call(type.create(), "init2", new Object[] {Tensor.of(new int[] {1, 2}, 2), list(), 1L, false
                }));
    }

    @Test
    void weightsAreReadInTheOrderOfMemory() {
        Tensor weight = new Tensor(
                Storage.of(DType.INT32, new int[] {9, 1, 2, 3, 4, 9}), 1, new int[] {2, 2}, new int[] {1, 2}, null);
        SerializedModel model = NnapiPart.serialized(Tensor.of(new int[6], 6), List.of(weight));
        assertEquals(1, model.buffers().get(0).order(ByteOrder.LITTLE_ENDIAN).getInt(0));
        assertEquals(2, model.buffers().get(0).order(ByteOrder.LITTLE_ENDIAN).getInt(4));
        assertEquals(16, model.buffers().get(0).remaining());
    }

    @Test
    void aClosedPartRefusesToRun() {
        Object self = compiled(addModel(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2)));
        type.parts().get(0).close();
        Tensor two = Tensor.zeros(DType.FLOAT32, 2);
        assertThrows(IllegalStateException.class, () -> run(self, two, two, two));
    }
}
