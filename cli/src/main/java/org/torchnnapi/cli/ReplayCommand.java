package org.torchnnapi.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.differ.LayerDifference;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.quantizer.QuantizationReport;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptTuple;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a model on the inputs of a recorded execution and tells what is different. */
@Command(
        name = "replay",
        header = "Runs a record again and compares.",
        mixinStandardHelpOptions = true,
        description = "Runs a model on recorded inputs and compares outputs, placement and time with the record.",
        footer = {"", "Example:", "  torch-nnapi replay run.pt net-nnapi.pt --device reference"})
final class ReplayCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "RECORD", description = "What the record command wrote.")
    private Path record;

    @Parameters(index = "1", paramLabel = "MODEL", description = "A .pt2, .pt or .ptl file.")
    private Path file;

    @Mixin
    private DeviceOptions deviceOptions;

    @Option(
            names = "--bound",
            paramLabel = "DB",
            defaultValue = "80",
            description = "Signal to noise of the outputs in decibels that is asked for. Default: ${DEFAULT-VALUE}.")
    private double bound;

    @Override
    public Integer call() throws IOException {
        ScriptModule recorded = ModelFile.read(record, Runtimes.standard());
        ByteBuffer description = recorded.source().extraFiles().get(RecordCommand.DESCRIPTION);
        if (description == null
                || recorded.object().type().slot("inputs") < 0
                || !(recorded.attribute("inputs") instanceof ScriptTuple inputs)) {
            throw new CommandFailure("record: " + record + " (expected: a file that torch-nnapi record wrote)");
        }
        byte[] bytes = new byte[description.remaining()];
        description.duplicate().get(bytes);
        JsonNode then = new ObjectMapper().readTree(bytes);
        try (LoadedModel model = ModelFile.load(file, deviceOptions.engine())) {
            RecordCommand.Execution execution = RecordCommand.Execution.run(model, inputs.items());
            boolean same = then.path("sha256").asText().equals(RecordCommand.checksum(file));
            System.out.println("model: "
                    + (same
                            ? "the recorded one"
                            : "another file than the recorded "
                                    + then.path("model").asText()));
            List<Tensor> expected = Structures.tensors(Collections.singleton(recorded.attribute("outputs")));
            List<Tensor> found = Structures.tensors(Collections.singleton(execution.result()));
            if (expected.size() != found.size()) {
                throw new CommandFailure(
                        "outputs: " + found.size() + " tensors (expected: " + expected.size() + ", as recorded)");
            }
            boolean agrees = true;
            for (int i = 0; i < found.size(); i++) {
                LayerDifference difference = LayerDifference.of(expected.get(i), found.get(i));
                agrees &= difference.decibels() >= bound;
                System.out.printf(
                        Locale.ROOT,
                        "output %d: signal to noise %s, largest difference %.3g%n",
                        i,
                        QuantizationReport.decibels(difference.decibels()),
                        difference.largest());
            }
            showPlacement(then, execution.devices());
            System.out.printf(
                    Locale.ROOT,
                    "time: %d us, recorded %d us%n",
                    execution.micros(),
                    then.path("micros").asLong());
            return agrees ? 0 : 1;
        }
    }

    private static void showPlacement(JsonNode then, List<String> now) {
        List<String> before = new ArrayList<>();
        then.path("placements")
                .forEach(placement -> placement
                        .path("operations")
                        .forEach(operation -> before.add(operation.path("type").asText() + " on "
                                + operation.path("device").asText())));
        int most = Math.max(before.size(), now.size());
        int moved = 0;
        Map<String, Integer> changes = new LinkedHashMap<>();
        for (int i = 0; i < most; i++) {
            String was = i < before.size() ? before.get(i) : "nothing";
            String is = i < now.size() ? now.get(i) : "nothing";
            if (!was.equals(is)) {
                moved++;
                changes.merge(is + ", recorded " + was, 1, Integer::sum);
            }
        }
        System.out.println("placement: "
                + (most == 0
                        ? "no NNAPI operations, as recorded"
                        : moved == 0
                                ? "as recorded, " + Strings.counted(most, "operation")
                                : moved + " of " + Strings.counted(most, "operation")
                                        + (moved == 1 ? " differs" : " differ")));
        changes.forEach((change, count) -> System.out.println("  " + count + " x " + change));
    }
}
