package org.torchnnapi.converter.deployed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/**
 * A model of src/test/python/deployed with its inputs and what genuine PyTorch answers, which are extra files of the
 * archive.
 */
public record DeployedCase(String name, ScriptModule module, List<Tensor> inputs, List<Tensor> outputs) {
    private static final ScriptRuntime RUNTIME = Runtimes.standard();

    /**
     * What came of a conversion.
     *
     * @param problem null if there is a converted model whose answers agree
     * @param golden what must stay as it is, a row of docs/deployed.csv
     * @param share part of the multiply-adds, or of the operators where there are none of those, that NNAPI computes
     */
    record Outcome(String problem, DeployedGolden golden, double share, List<Refusal> refusals) {
        boolean isRight() {
            return problem == null;
        }
    }

    public static DeployedCase read(Path file) throws IOException {
        TorchScriptArchive archive = TorchScriptArchive.open(file);
        Map<String, Tensor> inputs = new TreeMap<>();
        Map<String, Tensor> outputs = new TreeMap<>();
        archive.extraFiles().forEach((entry, bytes) -> {
            String[] parts = entry.split("\\.");
            (parts[0].equals("input") ? inputs : outputs)
                    .put(
                            "%3s".formatted(parts[1]),
                            tensor(parts[2], parts[3], bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN)));
        });
        String name = file.getFileName().toString();
        return new DeployedCase(
                name.substring(0, name.lastIndexOf('.')),
                ScriptModule.of(archive, RUNTIME),
                List.copyOf(inputs.values()),
                List.copyOf(outputs.values()));
    }

    private static Tensor tensor(String dtype, String sizes, ByteBuffer bytes) {
        int[] shape = sizes.equals("scalar")
                ? new int[0]
                : Arrays.stream(sizes.split("x")).mapToInt(Integer::parseInt).toArray();
        int count = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        Tensor made = Tensor.zeros(
                switch (dtype) {
                    case "float16", "float32" -> DType.FLOAT32;
                    case "float64" -> DType.FLOAT64;
                    case "int64" -> DType.INT64;
                    case "int32" -> DType.INT32;
                    case "int16" -> DType.INT16;
                    case "uint8" -> DType.UINT8;
                    case "bool" -> DType.BOOL;
                    default ->
                        throw new IllegalArgumentException(
                                dtype + " (expected: float16, float32, float64, int64, int32, int16, uint8 or bool)");
                },
                shape);
        for (int i = 0; i < count; i++) {
            switch (dtype) {
                case "float16" -> made.storage().floatArray()[i] = Half.toFloat(bytes.getShort());
                case "float32" -> made.storage().floatArray()[i] = bytes.getFloat();
                case "float64" -> made.storage().doubleArray()[i] = bytes.getDouble();
                case "int64" -> made.storage().longArray()[i] = bytes.getLong();
                case "int32" -> made.storage().intArray()[i] = bytes.getInt();
                case "int16" -> made.storage().shortArray()[i] = bytes.getShort();
                default -> made.storage().byteArray()[i] = bytes.get();
            }
        }
        return made;
    }

    /** Converts the model, and compares what the file that would be written answers with what PyTorch did. */
    Outcome convert() {
        Conversion conversion =
                Converter.convert(module, ConversionOptions.defaults().withExample(inputs), RUNTIME);
        if (!conversion.succeeded()) {
            return new Outcome("refused", null, 0, conversion.refusals());
        }
        var coverage = conversion.report().coverage();
        double share = coverage.allMultiplyAdds() > 0
                ? (double) coverage.multiplyAdds() / coverage.allMultiplyAdds()
                : coverage.allOperators() > 0 ? (double) coverage.operators() / coverage.allOperators() : 1;
        byte[] bytes = conversion.toBytes();
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(bytes), RUNTIME);
        boolean quantized = name.contains("_static_") || name.contains("_dynamic_") || name.contains("_cells_");
        SelfCheck.Result result = SelfCheck.compare(
                outputs,
                SelfCheck.run(converted, "forward", inputs),
                quantized ? SelfCheck.Bound.QUANTIZED : SelfCheck.Bound.REAL);
        Map<String, Integer> operations = conversion.report().operations();
        DeployedGolden golden = new DeployedGolden(
                name,
                coverage.segments(),
                coverage.operators(),
                coverage.allOperators(),
                operations.values().stream().mapToInt(Integer::intValue).sum(),
                operations.getOrDefault(OperationType.TRANSPOSE.name(), 0),
                bytes.length,
                conversion.refusals().stream()
                        .map(Refusal::node)
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(" ")));
        return new Outcome(result.agrees() ? null : "wrong: " + result.text(), golden, share, conversion.refusals());
    }
}
