package org.torchnnapi.converter.deployed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Models of the kinds that people deploy, small ones, which src/test/python/deployed/make.py makes: each converts, and
 * answers as genuine PyTorch did, and into what docs/deployed.csv records. With {@code -Ddeployed.table=FILE} the
 * records are written anew, and the summary, docs/DEPLOYED.md.
 */
class DeployedModelsTest {
    /** The least part of the multiply-adds on NNAPI, in hundredths, of models that do not go there wholly. */
    private static final Map<String, Integer> SHARES = Map.ofEntries(
            Map.entry("greedy_decoder_scripted", 99),
            Map.entry("optional_mask_scripted", 99),
            Map.entry("confident_exit_scripted", 72),
            Map.entry("confident_exit_static_scripted", 72),
            Map.entry("packed_tagger_traced", 99),
            Map.entry("packed_tagger_scripted", 99),
            Map.entry("pooled_regions_traced", 99),
            Map.entry("pooled_regions_scripted", 99),
            Map.entry("stochastic_encoder_traced", 99),
            Map.entry("stochastic_encoder_scripted", 99));

    private static final int LEAST_KINDS = 172;
    private static final Map<String, DeployedCase.Outcome> OUTCOMES = new TreeMap<>();

    private static List<Path> files() throws IOException, URISyntaxException {
        URI folder = DeployedModelsTest.class.getResource("/deployed").toURI();
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.filter(file -> file.toString().endsWith(".pt"))
                    .sorted()
                    .toList();
        }
    }

    @TestFactory
    List<DynamicTest> everyModelConvertsAndAnswersAsPyTorchDid() throws IOException, URISyntaxException {
        List<DynamicTest> tests = new ArrayList<>();
        Map<String, DeployedGolden> goldens = DeployedGolden.read(DeployedGolden.FILE);
        for (Path file : files()) {
            tests.add(DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
                DeployedCase model = DeployedCase.read(file);
                DeployedCase.Outcome outcome = model.convert();
                OUTCOMES.put(model.name(), outcome);
                assertNull(outcome.problem(), () -> outcome.problem() + " " + outcome.refusals());
                int least = SHARES.getOrDefault(model.name(), 100);
                assertTrue(
                        outcome.share() >= least / 100.0,
                        () -> outcome.share() + " of the multiply-adds (expected: at least " + least + "%)");
                if (System.getProperty("deployed.table") == null) {
                    assertEquals(goldens.get(model.name()), outcome.golden(), "ci/deployed records it anew");
                }
            }));
        }
        return tests;
    }

    @Test
    void tracedAndScriptedFormsAreThere() throws IOException, URISyntaxException {
        Map<String, Integer> kinds = new TreeMap<>();
        for (Path file : files()) {
            String name = file.getFileName()
                    .toString()
                    .replaceAll("(_static|_dynamic|_mobile|_cells|_tables|_nibbles)?_(traced|scripted)\\.pt$", "");
            kinds.merge(name, 1, Integer::sum);
        }
        assertTrue(kinds.size() >= LEAST_KINDS, kinds.size() + " kinds");
        List<String> single = kinds.entrySet().stream()
                .filter(entry -> entry.getValue() < 2)
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(
                List.of("ball_query", "causal_net", "greedy_decoder", "local_convolutions"),
                single,
                "kinds of which PyTorch has one form only");
    }

    @AfterAll
    static void writeTable() throws IOException {
        String target = System.getProperty("deployed.table");
        if (target == null) {
            return;
        }
        List<DeployedGolden> goldens =
                OUTCOMES.values().stream().map(DeployedCase.Outcome::golden).toList();
        DeployedGolden.write(DeployedGolden.FILE, goldens);
        long whole = goldens.stream()
                .filter(golden -> golden.operators() == golden.allOperators())
                .count();
        StringBuilder text = new StringBuilder("""
                # Deployed kinds of models on NNAPI

                Small models of the kinds that people deploy, with random weights. `make.py` in
                `converter/src/test/python/deployed` makes them with genuine PyTorch 1.13, and PyTorch's answers. A test
                converts each, runs what comes of it on the CPU device, and compares: right is within 2e-4 of the
                largest value, where layers are quantized within 5% on average.

                """);
        text.append(String.format(
                Locale.ROOT,
                "%d of %d files are right, %d of them wholly on NNAPI: %d operators became %d NNAPI operations, of "
                        + "which"
                        + " %d only transpose.%n[deployed.csv](deployed.csv) has a row for each model, to which the"
                        + " test holds every change; `ci/deployed` writes both files anew.%n%nIn part on NNAPI:%n%n"
                        + "| model | segments | operators on NNAPI | multiply-adds on NNAPI | what stays TorchScript "
                        + "|%n"
                        + "|---|---|---|---|---|%n",
                OUTCOMES.values().stream().filter(DeployedCase.Outcome::isRight).count(),
                OUTCOMES.size(),
                whole,
                goldens.stream().mapToInt(DeployedGolden::operators).sum(),
                goldens.stream().mapToInt(DeployedGolden::operations).sum(),
                goldens.stream().mapToInt(DeployedGolden::transposes).sum()));
        OUTCOMES.forEach((name, outcome) -> {
            DeployedGolden golden = outcome.golden();
            if (golden.operators() != golden.allOperators()) {
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | %d | %d of %d | %.0f%% | %s |%n",
                        name,
                        golden.segments(),
                        golden.operators(),
                        golden.allOperators(),
                        100 * outcome.share(),
                        golden.rest().replace(" ", ", ")));
            }
        });
        Files.writeString(Path.of(target), text);
    }
}
