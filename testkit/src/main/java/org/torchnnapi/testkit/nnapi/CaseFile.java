package org.torchnnapi.testkit.nnapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.testkit.nnapi.TestCase.TestModel;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperation;

/** Reads the gzip'ed JSON documents of the conformance tests. */
public final class CaseFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<ByteBuffer> buffers = new ArrayList<>();

    private CaseFile() {}

    /** All tests of one file. */
    public static List<TestCase> read(Path file) throws IOException {
        JsonNode document;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            document = JSON.readTree(in);
        }
        CaseFile reader = new CaseFile();
        for (JsonNode buffer : document.path("buffers")) {
            byte[] bytes = Base64.getDecoder().decode(buffer.asText());
            reader.buffers.add(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        }
        List<TestCase> tests = new ArrayList<>();
        for (JsonNode test : document.path("tests")) {
            tests.add(reader.test(test));
        }
        return tests;
    }

    private TestCase test(JsonNode node) {
        List<TestModel> referenced = new ArrayList<>();
        for (JsonNode model : node.path("referenced")) {
            referenced.add(model(model));
        }
        return new TestCase(
                node.path("name").asText(),
                node.path("minSupportedVersion").asText(),
                node.path("isRelaxed").asBoolean(false),
                node.path("expectFailure").asBoolean(false),
                node.path("expectedMultinomialDistributionTolerance").asDouble(0),
                model(node.path("main")),
                referenced);
    }

    private TestModel model(JsonNode node) {
        List<TestOperand> operands = new ArrayList<>();
        for (JsonNode operand : node.path("operands")) {
            operands.add(operand(operand));
        }
        List<TestOperation> operations = new ArrayList<>();
        for (JsonNode operation : node.path("operations")) {
            operations.add(new TestOperation(
                    OperationType.valueOf(operation.path("type").asText()),
                    ints(operation.path("inputs")),
                    ints(operation.path("outputs"))));
        }
        return new TestModel(operands, operations, ints(node.path("inputs")), ints(node.path("outputs")));
    }

    private TestOperand operand(JsonNode node) {
        ChannelQuantization channels = null;
        JsonNode quantization = node.path("channelQuant");
        if (quantization.isObject()) {
            JsonNode list = quantization.path("scales");
            float[] scales = new float[list.size()];
            for (int i = 0; i < scales.length; i++) {
                scales[i] = (float) list.get(i).asDouble();
            }
            channels = new ChannelQuantization(quantization.path("channelDim").asInt(), scales);
        }
        OperandDescriptor descriptor = new OperandDescriptor(
                OperandType.valueOf(node.path("type").asText()),
                ints(node.path("dimensions")),
                (float) node.path("scale").asDouble(0),
                node.path("zeroPoint").asInt(0),
                channels);
        return new TestOperand(
                descriptor,
                Lifetime.valueOf(node.path("lifetime").asText()),
                node.path("isIgnored").asBoolean(false),
                node.has("data") ? buffers.get(node.path("data").asInt()) : null);
    }

    private static int[] ints(JsonNode list) {
        int[] values = new int[list.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = list.get(i).asInt();
        }
        return values;
    }
}
