package org.torchnnapi.converter.deployed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.assertNull;

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
 * Models of the kinds that people deploy, small ones, which src/test/python/deployed/make.py makes: each converts, and answers as
 * genuine PyTorch did. With {@code -Ddeployed.table=FILE} the outcomes are written as docs/DEPLOYED.md has them.
 */
class DeployedModelsTest {
    /** The least part of the multiply-adds on NNAPI, in hundredths, of models that do not go there wholly. */
    private static final Map<String, Integer> SHARES = Map.ofEntries(Map.entry("greedy_decoder_scripted", 99), Map.entry("optional_mask_scripted", 99),
        Map.entry("confident_exit_scripted", 72), Map.entry("confident_exit_static_scripted", 72), Map.entry("packed_tagger_traced", 99), Map.entry("packed_tagger_scripted", 99), Map.entry("pooled_regions_traced", 99), Map.entry("pooled_regions_scripted", 99),
        Map.entry("stochastic_encoder_traced", 99), Map.entry("stochastic_encoder_scripted", 99));
    private static final int LEAST_KINDS = 172;
    private static final Map<String, DeployedCase.Outcome> OUTCOMES = new TreeMap<>();

    private static List<Path> files() throws IOException, URISyntaxException {
        URI folder = DeployedModelsTest.class.getResource("/deployed").toURI();
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.filter(file -> file.toString().endsWith(".pt")).sorted().toList();
        }
    }

    @TestFactory
    List<DynamicTest> everyModelConvertsAndAnswersAsPyTorchDid() throws IOException, URISyntaxException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path file : files()) {
            tests.add(DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
                DeployedCase model = DeployedCase.read(file);
                DeployedCase.Outcome outcome = model.convert();
                OUTCOMES.put(model.name(), outcome);
                assertNull(outcome.problem(), () -> outcome.problem() + " " + outcome.refusals());
                int least = SHARES.getOrDefault(model.name(), 100);
                assertTrue(outcome.share() >= least / 100.0, () -> outcome.share() + " of the multiply-adds (expected: at least " + least + "%)");
            }));
        }
        return tests;
    }

    @Test
    void tracedAndScriptedFormsAreThere() throws IOException, URISyntaxException {
        Map<String, Integer> kinds = new TreeMap<>();
        for (Path file : files()) {
            String name = file.getFileName().toString().replaceAll("(_static|_dynamic|_mobile|_cells|_tables|_nibbles)?_(traced|scripted)\\.pt$", "");
            kinds.merge(name, 1, Integer::sum);
        }
        assertTrue(kinds.size() >= LEAST_KINDS, kinds.size() + " kinds");
        List<String> single = kinds.entrySet().stream().filter(entry -> entry.getValue() < 2).map(Map.Entry::getKey).toList();
        assertEquals(List.of("ball_query", "causal_net", "greedy_decoder", "local_convolutions"), single, "kinds of which PyTorch has one form only");
    }

    @AfterAll
    static void writeTable() throws IOException {
        String target = System.getProperty("deployed.table");
        if (target == null) {
            return;
        }
        long whole = OUTCOMES.values().stream().filter(outcome -> outcome.isRight() && outcome.operators() == outcome.allOperators()).count();
        StringBuilder text = new StringBuilder("# Deployed kinds of models on NNAPI\n\nSmall models of the kinds that people deploy, with random weights; "
            + "`converter/src/test/python/deployed/make.py` makes them with genuine PyTorch 1.13\nand its answers, `DeployedModelsTest` converts them, runs what comes of it on "
            + "the CPU device and compares. This page is written by\n`ci/deployed`. *Right* is within 2e-4 of the largest value, "
            + "where layers are quantized within 5% on average.\n\n");
        text.append(OUTCOMES.values().stream().filter(DeployedCase.Outcome::isRight).count()).append(" of ").append(OUTCOMES.size()).append(" files are right, ")
            .append(whole).append(" of them wholly on NNAPI.\n\n| model | outcome | segments | operators on NNAPI | multiply-adds on NNAPI | transposes | what stays TorchScript |\n"
                + "|---|---|---|---|---|---|---|\n");
        OUTCOMES.forEach((name, outcome) -> {
            String rest = String.join(", ", outcome.refusals().stream().map(refusal -> refusal.node()).distinct().sorted().toList());
            text.append(String.format(Locale.ROOT, "| %s | %s | %d | %s | %.0f%% | %d | %s |%n", name, outcome.isRight() ? "right" : outcome.problem(), outcome.segments(),
                outcome.allOperators() == 0 ? "all" : outcome.operators() + " of " + outcome.allOperators(), 100 * outcome.share(), outcome.transposes(), rest));
        });
        Files.writeString(Path.of(target), text);
    }
}
