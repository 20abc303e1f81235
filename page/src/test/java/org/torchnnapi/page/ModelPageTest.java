package org.torchnnapi.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionMode;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.differ.ModelDifference;
import org.torchnnapi.differ.RecordedRun;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.runtime.PlacementRules;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.SourceRange;

/** What pages say of the digits sample, and that nothing in them is taken for markup. */
class ModelPageTest {
    private static final Path DIGITS = Path.of("..", "samples", "digits");
    private static final String HOSTILE = "</script><script>alert(1)</script>\u2028<!--'\"&amp;";

    private static List<Object> image() {
        return List.of(Tensor.zeros(DType.FLOAT32, 1, 3, 32, 32));
    }

    private static String data(String html) {
        String open = "<script type=\"application/json\" id=\"data\">";
        int start = html.indexOf(open) + open.length();
        return html.substring(start, html.indexOf("</script>", start));
    }

    private static List<JsonNode> items(JsonNode item, List<JsonNode> found) {
        found.add(item);
        item.path("children").forEach(child -> items(child, found));
        return found;
    }

    private static List<JsonNode> items(String html) throws IOException {
        return items(new ObjectMapper().readTree(data(html)).get("root"), new ArrayList<>());
    }

    private static String fact(JsonNode item, String name) {
        return item.path("facts").path(name).path(0).asText("");
    }

    @Test
    void operatorsHaveModulesLinesShapesWeightsAndPlaces() throws IOException {
        try (LoadedModel model = LoadedModel.load(DIGITS.resolve("digits-none.pt"), EngineOptions.defaults())) {
            String html = ModelPage.of("digits", model, "forward", image()).html();
            List<JsonNode> convolutions = items(html).stream()
                    .filter(item -> item.get("label").asText().endsWith("conv2d")
                            || item.get("label").asText().equals("_convolution"))
                    .toList();
            assertEquals(17, convolutions.size(), "the network's convolutions");
            for (JsonNode item : convolutions) {
                assertTrue(fact(item, "Python").matches(".*\\.py:\\d+"), item::toString);
                assertTrue(fact(item, "Gives").matches("float32\\[1, \\d+, \\d+, \\d+]"), item::toString);
                assertTrue(fact(item, "Module").matches("(stem|blocks|head)\\..*"), item::toString);
                assertEquals("program", item.get("device").asText());
                assertTrue(item.get("millis").asDouble() > 0);
                JsonNode weight = item.get("weights").get(0);
                assertTrue(weight.get("type").asText().startsWith("float32["), weight::toString);
                int counted = 0;
                for (JsonNode bin : weight.get("histogram")) {
                    counted += bin.asInt();
                }
                String[] sizes =
                        weight.get("type").asText().replaceAll(".*\\[|].*", "").split(", ");
                int elements = 1;
                for (String size : sizes) {
                    elements *= Integer.parseInt(size);
                }
                assertEquals(elements, counted, "elements in the histogram");
            }
            assertTrue(html.length() < 3_000_000);
            assertFalse(html.matches("(?s).*(src|href)=\"?https?:.*"), "nothing is fetched");
        }
    }

    @Test
    void convertedModelsShowTheirOperationsWithDevicesAndBoundaries() throws IOException {
        ScriptRuntime runtime = Runtimes.standard();
        Conversion conversion = Converter.convert(
                ScriptModule.load(DIGITS.resolve("digits-core.pt"), runtime).eval(),
                ConversionOptions.defaults().withMode(ConversionMode.CORE).withLines(true),
                runtime);
        try (LoadedModel model = LoadedModel.of(
                TorchScriptArchive.of(conversion.toBytes()),
                EngineOptions.defaults().withRules(PlacementRules.NONE.deny("cpu", "FULLY_CONNECTED")))) {
            ModelPage page = ModelPage.of("core", model, "forward", image())
                    .profile(List.of(new ProfiledStep("cpu", "a step", 3_000_000)), 2);
            String html = page.html();
            List<JsonNode> segments = items(html).stream()
                    .filter(item -> item.get("kind").asText().equals("nnapi"))
                    .toList();
            assertEquals(1, segments.size());
            List<JsonNode> operations = items(segments.get(0), new ArrayList<>()).stream()
                    .filter(item -> item.get("kind").asText().equals("operation"))
                    .toList();
            assertEquals(23, operations.size());
            for (JsonNode operation : operations) {
                boolean denied = operation.get("label").asText().equals("FULLY_CONNECTED");
                assertTrue(
                        List.of(denied ? "reference" : "cpu", "reference")
                                .contains(operation.get("device").asText()),
                        operation::toString);
                assertTrue(fact(operation, "Python").matches(".*\\.py:\\d+"), operation::toString);
                String other = operation.get("device").asText().equals("cpu") ? "\"reference: " : "\"cpu: ";
                assertTrue(
                        operation
                                .get("facts")
                                .get("Why not elsewhere")
                                .toString()
                                .contains(other),
                        operation::toString);
            }
            assertTrue(
                    operations.stream()
                            .anyMatch(operation -> fact(operation, "Boundary").contains("cpu to reference, 96 bytes")),
                    "the cost of handing over");
            JsonNode step = new ObjectMapper().readTree(data(html)).get("steps").get(0);
            assertEquals(1.5, step.get("millis").asDouble());
        }
    }

    /** The items of steps of a profile, each of which some step computes, by their labels. */
    private static List<String> computed(String html) throws IOException {
        Map<Integer, String> labels = new HashMap<>();
        items(html)
                .forEach(item ->
                        labels.put(item.get("id").asInt(), item.get("label").asText()));
        List<String> found = new ArrayList<>();
        for (JsonNode step : new ObjectMapper().readTree(data(html)).get("steps")) {
            for (JsonNode item : step.get("items")) {
                found.add(labels.get(item.asInt()));
            }
        }
        return found;
    }

    private static String profiled(LoadedModel model) {
        Object[] inputs = image().toArray();
        model.call("forward", inputs);
        model.profile();
        model.call("forward", inputs);
        List<ProfiledStep> steps = model.stepTimes();
        return ModelPage.of("profile", model, "forward", image())
                .profile(steps, 1)
                .html();
    }

    @Test
    void stepsOfProgramsTellWhichOperatorsTheyCompute() throws IOException {
        try (LoadedModel model = LoadedModel.load(DIGITS.resolve("digits-none.pt"), EngineOptions.defaults())) {
            List<String> computed = computed(profiled(model));
            assertEquals(
                    17,
                    computed.stream()
                            .filter(label -> label.endsWith("conv2d") || label.equals("_convolution"))
                            .count(),
                    computed::toString);
            assertEquals(1, computed.stream().filter("linear"::equals).count(), computed::toString);
        }
    }

    @Test
    void stepsOfDevicesTellWhichOperationsTheyCompute() throws IOException {
        ScriptRuntime runtime = Runtimes.standard();
        Conversion conversion = Converter.convert(
                ScriptModule.load(DIGITS.resolve("digits-core.pt"), runtime).eval(),
                ConversionOptions.defaults().withMode(ConversionMode.CORE),
                runtime);
        // Three parts, so that the operations of each are counted from its own first.
        try (LoadedModel model = LoadedModel.of(
                TorchScriptArchive.of(conversion.toBytes()),
                EngineOptions.defaults().withRules(PlacementRules.NONE.deny("cpu", "AVERAGE_POOL_2D")))) {
            String html = profiled(model);
            List<String> computed = computed(html);
            assertEquals(12, computed.stream().filter("CONV_2D"::equals).count(), computed::toString);
            assertEquals(
                    5, computed.stream().filter("DEPTHWISE_CONV_2D"::equals).count(), computed::toString);
            assertEquals(1, computed.stream().filter("FULLY_CONNECTED"::equals).count(), computed::toString);
            assertEquals(1, computed.stream().filter("AVERAGE_POOL_2D"::equals).count(), computed::toString);
            JsonNode depthwise = items(html).stream()
                    .filter(item -> item.get("label").asText().equals("DEPTHWISE_CONV_2D"))
                    .findFirst()
                    .orElseThrow();
            assertTrue(
                    depthwise.get("facts").get("Constants").toString().contains("strideWidth = "), depthwise::toString);
        }
    }

    @Test
    void whatIsNotRunIsDrawnToo() throws IOException {
        String html = ModelPage.of(
                        "digits", ScriptModule.load(DIGITS.resolve("digits-full.pt"), Runtimes.standard()), "forward")
                .html();
        List<JsonNode> items = items(html);
        assertTrue(items.stream().anyMatch(item -> fact(item, "Operator").startsWith("quantized::conv2d")));
        assertTrue(items.stream()
                .anyMatch(item ->
                        item.path("weights").path(0).path("type").asText("").contains("scale")));
        assertThrows(
                IllegalArgumentException.class,
                () -> ModelPage.of(
                        "digits",
                        ScriptModule.load(DIGITS.resolve("digits-full.pt"), Runtimes.standard()),
                        "backward"));
    }

    @Test
    void modelsOfConvertedFilesAreDrawnWithoutARun() throws IOException {
        ScriptRuntime runtime = Runtimes.standard();
        Conversion conversion = Converter.convert(
                ScriptModule.load(DIGITS.resolve("digits-core.pt"), runtime).eval(),
                ConversionOptions.defaults().withMode(ConversionMode.CORE).withLines(true),
                runtime);
        String html = ModelPage.of(
                        "core",
                        ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), Runtimes.standard()),
                        "forward")
                .html();
        List<JsonNode> segments = items(html).stream()
                .filter(item -> item.get("kind").asText().equals("nnapi"))
                .toList();
        assertEquals(1, segments.size());
        List<JsonNode> operations = items(segments.get(0), new ArrayList<>()).stream()
                .filter(item -> item.get("kind").asText().equals("operation"))
                .toList();
        assertEquals(23, operations.size());
        JsonNode convolution = operations.stream()
                .filter(item -> item.get("label").asText().equals("CONV_2D"))
                .findFirst()
                .orElseThrow();
        assertTrue(fact(convolution, "Python").matches(".*\\.py:\\d+"), convolution::toString);
        assertEquals(
                List.of("TENSOR_QUANT8_ASYMM", "TENSOR_INT32"),
                convolution.get("weights").findValuesAsText("type").stream()
                        .map(type -> type.replaceFirst("\\W.*", ""))
                        .toList());
        assertTrue(operations.stream().noneMatch(item -> item.has("device")), "nothing was placed");
        List<JsonNode> modules = items(segments.get(0), new ArrayList<>()).stream()
                .filter(item -> item.get("kind").asText().equals("group"))
                .toList();
        assertTrue(
                modules.stream().anyMatch(module -> module.get("label").asText().equals("1.blocks")),
                () -> modules.stream()
                        .map(module -> module.get("label").asText())
                        .toList()
                        .toString());
        for (JsonNode module : modules) {
            String path = fact(module, "Module");
            List<JsonNode> within = items(module, new ArrayList<>()).stream()
                    .filter(item -> item.get("kind").asText().equals("operation"))
                    .toList();
            assertTrue(within.stream().allMatch(item -> (fact(item, "Module") + ".").startsWith(path + ".")), path);
            assertEquals(
                    operations.stream()
                            .filter(item -> (fact(item, "Module") + ".").startsWith(path + "."))
                            .count(),
                    within.size(),
                    path);
            assertTrue(within.size() > 1 && within.size() < operations.size(), path);
        }
    }

    @Test
    void refusalsStandAtTheirOperators() throws IOException {
        ScriptModule module = ScriptModule.load(DIGITS.resolve("digits-none.pt"), Runtimes.standard());
        SourceRange place = module.method("forward").graph().block().nodes().stream()
                .filter(node -> node.is("aten::flatten"))
                .findFirst()
                .orElseThrow()
                .range();
        List<Refusal> refusals = List.of(
                new Refusal("aten::flatten", place, List.of(), "the rule", "this", "that", "do so"),
                new Refusal("model", SourceRange.NONE, List.of(), "another rule", "this", "that", ""));
        List<JsonNode> items = items(ModelPage.of("digits", module, "forward")
                .refusals(refusals, true)
                .html());
        List<JsonNode> refused = items.stream()
                .filter(item -> !fact(item, "Why not NNAPI").isEmpty())
                .toList();
        assertEquals(
                List.of("digits", "flatten"),
                refused.stream().map(item -> item.get("label").asText()).toList());
        assertEquals("the rule: this (expected: that); do so", fact(refused.get(1), "Why not NNAPI"));
    }

    @Test
    void differencesStandAtTheirLayers() throws IOException {
        RecordedRun floats = new RecordedRun();
        RecordedRun quantized = new RecordedRun();
        try (LoadedModel a = LoadedModel.load(
                        DIGITS.resolve("digits-none.pt"),
                        EngineOptions.defaults().withObserver(floats).withSpecialise(false));
                LoadedModel b = LoadedModel.load(
                        DIGITS.resolve("digits-core.pt"),
                        EngineOptions.defaults().withObserver(quantized).withSpecialise(false))) {
            ModelDifference difference = ModelDifference.of(floats.run(a, image()), quantized.run(b, image()));
            List<JsonNode> items = items(ModelPage.of("digits", a, "forward", image())
                    .differences(difference.layers())
                    .html());
            List<JsonNode> compared =
                    items.stream().filter(item -> item.has("decibels")).toList();
            assertEquals(difference.layers().size(), compared.size(), "every layer has its item");
            for (int i = 0; i < compared.size(); i++) {
                assertEquals(
                        Math.min(200, difference.layers().get(i).decibels()),
                        compared.get(i).get("decibels").asDouble(),
                        1e-3);
                assertTrue(fact(compared.get(i), "Difference").startsWith("with quantized::")
                        || fact(compared.get(i), "Difference").startsWith("with aten::"));
            }
        }
    }

    @Test
    void namesAreTextWhateverTheyAre() throws IOException {
        ModelPage page = ModelPage.of(
                        HOSTILE, ScriptModule.load(DIGITS.resolve("digits-cpu.pt"), Runtimes.standard()), "forward")
                .note(HOSTILE, HOSTILE);
        String html = page.html();
        assertFalse(html.contains("alert(1)</script>"), "a name that ends the script");
        assertFalse(data(html).contains("<") || data(html).contains("\u2028"));
        JsonNode data = new ObjectMapper().readTree(data(html));
        assertEquals(HOSTILE, data.get("title").asText());
        assertEquals(HOSTILE, data.get("notes").get(HOSTILE).asText());
        String bench = new BenchPage(HOSTILE).add(HOSTILE, new double[] {1, 2}).html();
        assertFalse(bench.contains("alert(1)</script>"));
    }

    /** A browser runs the page's own scripts, which it knows by their hashes, and nothing that a name smuggles in. */
    @Test
    void scriptsAndStylesAreThoseOfThePage() throws IOException, NoSuchAlgorithmException {
        String html = ModelPage.of(
                        HOSTILE, ScriptModule.load(DIGITS.resolve("digits-cpu.pt"), Runtimes.standard()), "forward")
                .html();
        Matcher policy = Pattern.compile("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                        + "script-src ([^;]*); style-src ([^;]*); img-src data:\">")
                .matcher(html);
        assertTrue(policy.find());
        assertEquals(hashes(html, "<script>([^\\x00]*?)</script>"), policy.group(1));
        assertEquals(hashes(html, "<style>([^\\x00]*?)</style>"), policy.group(2));
    }

    private static String hashes(String html, String element) throws NoSuchAlgorithmException {
        List<String> hashes = new ArrayList<>();
        for (Matcher found = Pattern.compile(element).matcher(html); found.find(); ) {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(found.group(1).getBytes(StandardCharsets.UTF_8));
            hashes.add("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
        }
        assertFalse(hashes.isEmpty());
        return String.join(" ", hashes);
    }
}
