package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators there are. */
class OperatorsCommandTest {
    @TempDir
    private Path folder;

    @Test
    void listsWhatOperatorsCan() {
        Run run = Run.of("operators", "aten::relu");
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out().lines().anyMatch(line -> line.matches("aten::relu +yes +yes +- +yes +NNAPI 1\\.0")),
                run.out());
        assertTrue(
                run.out().lines().anyMatch(line -> line.matches("aten::relu6 +yes +yes +yes +yes +NNAPI 1\\.0")),
                run.out());
        assertFalse(Run.of("operators", "--converts", "linalg").out().contains("linalg_qr"));
        assertEquals(1, Run.of("operators", "no such operator").code());
    }

    /** Who is told that the converter does not know an operator is told where those are listed that it knows. */
    @Test
    void refusalsNameTheListOfWhatConverts() throws IOException {
        Path model = folder.resolve("net.pt");
        TinyNet.write(model, "torch.digamma(x)");
        for (String input : new String[] {"float32[1,8]", "float32[0,8]"}) {
            Run refused = Run.of("convert", model, "--input", input, "--json", "-");
            assertEquals(1, refused.code());
            JsonNode refusal =
                    new ObjectMapper().readTree(refused.out()).get("refusals").get(0);
            assertEquals("aten::digamma", refusal.get("found").asText());
            assertEquals(
                    "one of those that torch-nnapi operators --converts lists",
                    refusal.get("expected").asText());
        }
        String listed = Run.of("operators", "--converts").out();
        assertTrue(listed.contains("aten::relu ") && !listed.contains("aten::digamma"), listed);
    }

    @Test
    void saysWhichOperatorsOfAListThereAreNot() throws IOException {
        Path list = Files.writeString(folder.resolve("model_ops.yaml"), """
            root_operators:
              aten::add.out: 20
              aten::fill_diagonal_: 3
              aten::index_put_.hacked_twin: 3
              prim::TupleIndex: 4
              quantized::embedding_4bit: 1
            """);
        Run run = Run.of("operators", "--missing", list);
        assertEquals(0, run.code(), run.err());
        assertEquals("5 operators, 0 missing", run.out().strip());
        Files.writeString(list, "- aten::relu\n- aten::relu.no_such\n- mine::thing\n- prim::NoSuchNode\n");
        Run lacking = Run.of("operators", "--missing", list);
        assertEquals(1, lacking.code());
        assertEquals(
                "aten::relu.no_such\nmine::thing\nprim::NoSuchNode\n4 operators, 3 missing",
                lacking.out().strip().replace("\r", ""));
        assertEquals(
                1,
                Run.of("operators", "--missing", Files.writeString(list, "nothing"))
                        .code());
        Run none = Run.of("operators", "--missing", folder.resolve("none"));
        assertTrue(none.code() != 0 && !none.err().contains("at org.torchnnapi"), none.err());
    }
}
