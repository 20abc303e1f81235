package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.exported.Pt2File.tensor;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.archive.ZipReader;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.GraphVerifier;

/** Programs whose texts were changed by chance: an error of one kind, or a sound graph. */
class DamagedProgramsTest {
    private static final String S = "Symbol('s0', positive=True, integer=True)";
    private static final String[] PIECES = {
        "null",
        "[]",
        "{}",
        "\"\"",
        "\"x\"",
        "-1",
        "3",
        "true",
        "{\"as_none\": true}",
        "{\"as_int\": 7}",
        "{\"as_tensor\": {\"name\": \"x\"}}",
        "\"builtins.tuple\"",
        "\"torch.ops.higher_order.scan\"",
        "\"torch.ops.higher_order.while_loop\"",
        "\"torch.ops.higher_order.map_impl\"",
        "\"_operator.add\"",
        "\"torch.ops.aten.cat.default\"",
        "9223372036854775807"
    };

    private static Pt2File whole() {
        String graph = "{'as_graph': {'name': 'g', 'graph': {'inputs': [" + tensor("v") + "], 'outputs': ["
                + tensor("r")
                + "], 'nodes': [" + Pt2File.nodeText("torch.ops.aten.neg.default", tensor("r"), "self", tensor("v"))
                + "], 'tensor_values': {}}}}";
        return new Pt2File()
                .weight("parameter", "a.bias", new int[] {2}, 10, 20)
                .weight("buffer", "count", new int[] {2}, 1, 2)
                .argument("x", S, 2)
                .node("torch.ops.aten.add.Tensor", tensor("y"), "self", tensor("x"), "other", tensor("w_a_bias"))
                .node(
                        "torch.ops.aten.sym_size.int",
                        "{'as_sym_int': {'as_name': 'n'}}",
                        "self",
                        tensor("x"),
                        "dim",
                        "{'as_int': 0}")
                .node(
                        "torch.ops.aten.view.default",
                        tensor("z"),
                        "self",
                        tensor("y"),
                        "size",
                        "{'as_sym_ints': [{'as_name': 'n'}, {'as_int': 2}]}")
                .node(
                        "torch.ops.higher_order.cond",
                        tensor("c"),
                        "",
                        "{'as_bool': true}",
                        "",
                        graph,
                        "",
                        graph,
                        "",
                        "{'as_tensors': [{'name': 'z'}]}")
                .result("c")
                .range("'s0': {'min_val': 2, 'max_val': 3}")
                .guard("(L['x'].size()[0] % 2) == 0");
    }

    @Test
    void eachIsRefusedOrSound() {
        String text = StandardCharsets.UTF_8
                .decode(ZipReader.of(ByteBuffer.wrap(whole().bytes())).read("net/models/model.json"))
                .toString();
        Random random = new Random(38);
        List<String> problems = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 1500; i++) {
            String damaged = damaged(text, random);
            try {
                GraphVerifier.verify(whole().entry("models/model.json", damaged)
                        .load()
                        .method("forward")
                        .graph());
            } catch (ArchiveException expected) {
                refused++;
            } catch (RuntimeException | StackOverflowError e) {
                problems.add(e + " at " + (e.getStackTrace().length == 0 ? "" : e.getStackTrace()[0]));
            }
        }
        assertEquals(List.of(), problems.stream().distinct().toList());
        assertTrue(refused > 200, "refused: " + refused);
    }

    /** Another value in the place of one, or some characters gone. */
    private static String damaged(String text, Random random) {
        int start = random.nextInt(text.length());
        if (random.nextInt(4) == 0) {
            int end = Math.min(text.length(), start + 1 + random.nextInt(4));
            return text.substring(0, start) + text.substring(end);
        }
        int colon = text.indexOf(": ", start);
        if (colon < 0) {
            return text.substring(0, start);
        }
        int end = colon + 2;
        int depth = 0;
        boolean inside = false;
        for (; end < text.length(); end++) {
            char c = text.charAt(end);
            if (c == '\\') {
                end++;
            } else if (c == '"') {
                inside = !inside;
            } else if (!inside) {
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
                if (depth < 0 || depth == 0 && c == ',') {
                    break;
                }
            }
        }
        return text.substring(0, colon + 2)
                + PIECES[random.nextInt(PIECES.length)]
                + text.substring(Math.min(end, text.length()));
    }
}
