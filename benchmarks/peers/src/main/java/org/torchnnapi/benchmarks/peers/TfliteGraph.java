package org.torchnnapi.benchmarks.peers;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A TensorFlow Lite model with one graph, written as a flat buffer of schema version 3
 * (tensorflow/lite/schema/schema.fbs). Tables are addressed by their field numbers in that schema.
 */
final class TfliteGraph {
    /** By their numbers in the schema's enum TensorType. */
    enum ElementType {
        FLOAT32(0),
        INT32(2),
        BOOL(6),
        INT8(9);

        private final int code;

        ElementType(int code) {
            this.code = code;
        }
    }

    private static final int SCHEMA_VERSION = 3;
    private static final int ALIGNMENT = 16;

    private final FlatBufferBuilder out = new FlatBufferBuilder(1 << 20);
    private final List<Integer> buffers = new ArrayList<>();
    private final List<Integer> tensors = new ArrayList<>();
    private final List<Integer> operators = new ArrayList<>();
    private final List<TfliteOperator> codes = new ArrayList<>();

    TfliteGraph() {
        buffers.add(new FlatTable(out).end());
    }

    /**
     * Adds a tensor and returns its index.
     *
     * @param scale 0 where it is not quantized
     * @param data the values of a constant, else null
     */
    int tensor(int[] shape, ElementType type, float scale, int zeroPoint, byte[] data) {
        int shapeOffset = ints(shape);
        int name = out.createString("t" + tensors.size());
        FlatTable table = new FlatTable(out)
                .offset(0, shapeOffset)
                .int8(1, type.code)
                .int32(2, data == null ? 0 : buffer(data))
                .offset(3, name);
        if (scale != 0) {
            table.offset(4, quantization(scale, zeroPoint));
        }
        tensors.add(table.end());
        return tensors.size() - 1;
    }

    /** Adds a constant of int32 numbers and returns its index. */
    int constant(int[] shape, int... values) {
        ByteBuffer data = ByteBuffer.allocate(Integer.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
        data.asIntBuffer().put(values);
        return tensor(shape, ElementType.INT32, 0, 0, data.array());
    }

    /** Starts a table of options, which {@link #operator} takes. */
    FlatTable options() {
        return new FlatTable(out);
    }

    /** @param options where the operator has any, else null */
    void operator(TfliteOperator operator, FlatTable options, int[] inputs, int... outputs) {
        if (!codes.contains(operator)) {
            codes.add(operator);
        }
        int optionsOffset = options == null ? 0 : options.end();
        int inputOffset = ints(inputs);
        int outputOffset = ints(outputs);
        FlatTable table = new FlatTable(out)
                .int32(0, codes.indexOf(operator))
                .offset(1, inputOffset)
                .offset(2, outputOffset);
        if (options != null) {
            table.int8(3, operator.optionsType()).offset(4, optionsOffset);
        }
        operators.add(table.end());
    }

    /** Ends the model; nothing can be added afterwards. */
    byte[] finish(int[] inputs, int[] outputs) {
        List<Integer> codeTables = codes.stream()
                .map(operator -> new FlatTable(out)
                        .int8(0, operator.code())
                        .int32(2, 1)
                        .int32(3, operator.code())
                        .end())
                .toList();
        int tensorVector = tables(tensors);
        int inputVector = ints(inputs);
        int outputVector = ints(outputs);
        int operatorVector = tables(operators);
        int graph = new FlatTable(out)
                .offset(0, tensorVector)
                .offset(1, inputVector)
                .offset(2, outputVector)
                .offset(3, operatorVector)
                .end();
        int graphVector = tables(List.of(graph));
        int codeVector = tables(codeTables);
        int bufferVector = tables(buffers);
        int root = new FlatTable(out)
                .int32(0, SCHEMA_VERSION)
                .offset(1, codeVector)
                .offset(2, graphVector)
                .offset(4, bufferVector)
                .end();
        out.finish(root, "TFL3");
        return out.sizedByteArray();
    }

    int ints(int... values) {
        out.startVector(Integer.BYTES, values.length, Integer.BYTES);
        for (int i = values.length - 1; i >= 0; i--) {
            out.addInt(values[i]);
        }
        return out.endVector();
    }

    private int quantization(float scale, int zeroPoint) {
        out.startVector(Float.BYTES, 1, Float.BYTES);
        out.addFloat(scale);
        int scales = out.endVector();
        out.startVector(Long.BYTES, 1, Long.BYTES);
        out.addLong(zeroPoint);
        int zeroPoints = out.endVector();
        return new FlatTable(out).offset(2, scales).offset(3, zeroPoints).end();
    }

    private int buffer(byte[] data) {
        out.startVector(1, data.length, ALIGNMENT);
        for (int i = data.length - 1; i >= 0; i--) {
            out.addByte(data[i]);
        }
        int vector = out.endVector();
        buffers.add(new FlatTable(out).offset(0, vector).end());
        return buffers.size() - 1;
    }

    private int tables(List<Integer> offsets) {
        return out.createVectorOfTables(
                offsets.stream().mapToInt(Integer::intValue).toArray());
    }
}
