package org.torchnnapi.tflite;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.tensorflow.lite.schema.Buffer;
import org.tensorflow.lite.schema.Model;
import org.tensorflow.lite.schema.Operator;
import org.tensorflow.lite.schema.OperatorCode;
import org.tensorflow.lite.schema.QuantizationParameters;
import org.tensorflow.lite.schema.SignatureDef;
import org.tensorflow.lite.schema.SubGraph;
import org.tensorflow.lite.schema.Tensor;
import org.tensorflow.lite.schema.TensorMap;
import org.tensorflow.lite.schema.TensorType;

/** A TensorFlow Lite model of one graph under construction. */
final class FlatGraph {
    private static final int SCHEMA_VERSION = 3;
    private static final int ALIGNMENT = 16;
    private static final int INITIAL_BYTES = 1 << 16;
    /** Codes from here on are in the newer field alone; the older one, a byte, has this in their place. */
    private static final int PLACEHOLDER_FOR_GREATER = 127;
    /** What readers of models look the graph up by. */
    private static final String SIGNATURE = "serving_default";

    /**
     * A tensor of the graph.
     *
     * @param index its number
     * @param type a number of the schema's TensorType
     * @param scale 0 unless it is quantized
     */
    record TensorRef(int index, int[] shape, byte type, float scale, int zeroPoint) {
        boolean isQuantized() {
            return scale != 0;
        }
    }

    /** A builtin operator of some version. */
    private record Code(int builtin, int version) {}

    private final FlatBufferBuilder out = new FlatBufferBuilder(INITIAL_BYTES);
    private final List<Integer> buffers = new ArrayList<>();
    private final List<Integer> tensors = new ArrayList<>();
    private final List<Integer> operators = new ArrayList<>();
    private final Map<Code, Integer> codes = new LinkedHashMap<>();

    FlatGraph() {
        // Buffer 0 is that of tensors without data.
        Buffer.startBuffer(out);
        buffers.add(Buffer.endBuffer(out));
    }

    /** @param data of a constant, little-endian; null for a tensor that is computed */
    TensorRef tensor(String name, int[] shape, byte type, float scale, int zeroPoint, ByteBuffer data) {
        int shapeVector = Tensor.createShapeVector(out, shape);
        int nameText = out.createString(name == null ? "t" + tensors.size() : name);
        int quantization = scale == 0 ? 0 : quantization(scale, zeroPoint);
        int buffer = data == null ? 0 : buffer(data);
        Tensor.startTensor(out);
        Tensor.addShape(out, shapeVector);
        Tensor.addType(out, type);
        Tensor.addBuffer(out, buffer);
        Tensor.addName(out, nameText);
        if (quantization != 0) {
            Tensor.addQuantization(out, quantization);
        }
        Tensor.addHasRank(out, true);
        tensors.add(Tensor.endTensor(out));
        return new TensorRef(tensors.size() - 1, shape.clone(), type, scale, zeroPoint);
    }

    /** A constant of int32 numbers. */
    TensorRef numbers(int[] shape, int... values) {
        ByteBuffer data = ByteBuffer.allocate(Integer.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
        data.asIntBuffer().put(values);
        return tensor(null, shape, TensorType.INT32, 0, 0, data);
    }

    TensorRef vector(int... values) {
        return numbers(new int[] {values.length}, values);
    }

    /** A constant of real numbers. */
    TensorRef reals(int[] shape, float... values) {
        ByteBuffer data = ByteBuffer.allocate(Float.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
        data.asFloatBuffer().put(values);
        return tensor(null, shape, TensorType.FLOAT32, 0, 0, data);
    }

    private int quantization(float scale, int zeroPoint) {
        int scales = QuantizationParameters.createScaleVector(out, new float[] {scale});
        int zeroPoints = QuantizationParameters.createZeroPointVector(out, new long[] {zeroPoint});
        QuantizationParameters.startQuantizationParameters(out);
        QuantizationParameters.addScale(out, scales);
        QuantizationParameters.addZeroPoint(out, zeroPoints);
        return QuantizationParameters.endQuantizationParameters(out);
    }

    private int buffer(ByteBuffer data) {
        ByteBuffer to;
        try {
            to = out.createUnintializedVector(1, data.remaining(), ALIGNMENT);
        } catch (AssertionError | OutOfMemoryError | IllegalArgumentException tooLarge) {
            throw new UnsupportedByTflite("more than 2 GB of weights (expected: a flat buffer's size)");
        }
        to.put(data.duplicate());
        int vector = out.endVector();
        Buffer.startBuffer(out);
        Buffer.addData(out, vector);
        buffers.add(Buffer.endBuffer(out));
        return buffers.size() - 1;
    }

    /**
     * Adds an operator.
     *
     * @param builtin a number of the schema's BuiltinOperator
     * @param optionsType a number of the schema's BuiltinOptions, 0 for none
     * @param options writes the table of options
     */
    void operator(
            int builtin,
            int version,
            byte optionsType,
            ToIntFunction<FlatBufferBuilder> options,
            int[] inputs,
            int... outputs) {
        int code = codes.computeIfAbsent(new Code(builtin, version), c -> codes.size());
        int table = optionsType == 0 ? 0 : options.applyAsInt(out);
        int in = Operator.createInputsVector(out, inputs);
        int made = Operator.createOutputsVector(out, outputs);
        Operator.startOperator(out);
        Operator.addOpcodeIndex(out, code);
        Operator.addInputs(out, in);
        Operator.addOutputs(out, made);
        if (optionsType != 0) {
            Operator.addBuiltinOptionsType(out, optionsType);
            Operator.addBuiltinOptions(out, table);
        }
        operators.add(Operator.endOperator(out));
    }

    /** Ends the model; nothing can be added afterwards. */
    byte[] finish(
            String description,
            List<TensorRef> inputs,
            List<String> inputNames,
            List<TensorRef> outputs,
            List<String> outputNames) {
        int[] codeTables = codes.keySet().stream().mapToInt(this::code).toArray();
        int graph = graph(inputs, outputs);
        int signature = signature(inputs, inputNames, outputs, outputNames);
        int codeVector = Model.createOperatorCodesVector(out, codeTables);
        int graphVector = Model.createSubgraphsVector(out, new int[] {graph});
        int text = out.createString(description);
        int bufferVector = Model.createBuffersVector(out, array(buffers));
        int signatures = Model.createSignatureDefsVector(out, new int[] {signature});
        Model.startModel(out);
        Model.addVersion(out, SCHEMA_VERSION);
        Model.addOperatorCodes(out, codeVector);
        Model.addSubgraphs(out, graphVector);
        Model.addDescription(out, text);
        Model.addBuffers(out, bufferVector);
        Model.addSignatureDefs(out, signatures);
        Model.finishModelBuffer(out, Model.endModel(out));
        return out.sizedByteArray();
    }

    private int code(Code code) {
        OperatorCode.startOperatorCode(out);
        OperatorCode.addDeprecatedBuiltinCode(out, (byte) Math.min(code.builtin, PLACEHOLDER_FOR_GREATER));
        OperatorCode.addVersion(out, code.version);
        OperatorCode.addBuiltinCode(out, code.builtin);
        return OperatorCode.endOperatorCode(out);
    }

    private int graph(List<TensorRef> inputs, List<TensorRef> outputs) {
        int tensorVector = SubGraph.createTensorsVector(out, array(tensors));
        int in = SubGraph.createInputsVector(out, indexes(inputs));
        int made = SubGraph.createOutputsVector(out, indexes(outputs));
        int operatorVector = SubGraph.createOperatorsVector(out, array(operators));
        int name = out.createString("main");
        SubGraph.startSubGraph(out);
        SubGraph.addTensors(out, tensorVector);
        SubGraph.addInputs(out, in);
        SubGraph.addOutputs(out, made);
        SubGraph.addOperators(out, operatorVector);
        SubGraph.addName(out, name);
        return SubGraph.endSubGraph(out);
    }

    private int signature(
            List<TensorRef> inputs, List<String> inputNames, List<TensorRef> outputs, List<String> outputNames) {
        int in = SignatureDef.createInputsVector(out, names(inputs, inputNames));
        int made = SignatureDef.createOutputsVector(out, names(outputs, outputNames));
        int key = out.createString(SIGNATURE);
        SignatureDef.startSignatureDef(out);
        SignatureDef.addInputs(out, in);
        SignatureDef.addOutputs(out, made);
        SignatureDef.addSignatureKey(out, key);
        SignatureDef.addSubgraphIndex(out, 0);
        return SignatureDef.endSignatureDef(out);
    }

    private int[] names(List<TensorRef> refs, List<String> names) {
        int[] maps = new int[refs.size()];
        for (int i = 0; i < maps.length; i++) {
            int name = out.createString(names.get(i));
            TensorMap.startTensorMap(out);
            TensorMap.addName(out, name);
            TensorMap.addTensorIndex(out, refs.get(i).index());
            maps[i] = TensorMap.endTensorMap(out);
        }
        return maps;
    }

    private static int[] indexes(List<TensorRef> refs) {
        return refs.stream().mapToInt(TensorRef::index).toArray();
    }

    private static int[] array(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }
}
