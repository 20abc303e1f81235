package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Examples of arguments, as structured as the program's. */
class SampleInputsTest {
    private static final ReadBudget BUDGET = ReadBudget.of(1000);
    private static final String LEAF = "{'type': null, 'context': null, 'children_spec': []}";

    private static String tree(String type, String context, String... children) {
        return "{'type': '" + type + "', 'context': '" + context + "', 'children_spec': [" + String.join(", ", children)
                + "]}";
    }

    /** A list of two and a dictionary of one, and a keyword argument. */
    private static Structure structure() {
        String positional = tree(
                "builtins.tuple",
                "null",
                tree("builtins.list", "null", LEAF, LEAF),
                tree("builtins.dict", "[1]", LEAF));
        String spec = "[1, " + tree("builtins.tuple", "null", positional, tree("builtins.dict", "[2]", LEAF)) + "]";
        Json quoted = Json.parse(
                "",
                ByteBuffer.wrap(("{\"s\": \"" + spec.replace("'", "\\\"") + "\"}").getBytes(StandardCharsets.UTF_8)),
                BUDGET);
        return Structure.parse(quoted.get("s"), quoted.get("none"));
    }

    private static List<Object> read(Object whole) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ArchiveWriter("archive", 3).data(whole).write(out);
        return new SampleInputs("sample.pt", ByteBuffer.wrap(out.toByteArray()), BUDGET)
                .arguments(
                        structure(),
                        List.of(Type.Basic.INT, Type.Basic.INT, Type.Basic.FLOAT, Type.Basic.STRING),
                        new TensorModules(Map.of(), new ClassNames()));
    }

    @Test
    void argumentsLieAsTheProgramTakesThem() throws IOException {
        PickledDict named = new PickledDict(null);
        named.put(1L, 2.5);
        PickledDict keywords = new PickledDict(null);
        keywords.put(2L, "text");
        List<Object> arguments =
                read(ScriptTuple.of(ScriptTuple.of(new PickledList(null, List.of(3L, 4L)), named), keywords));
        assertEquals(List.of(3L, 4L), ((ScriptList) arguments.get(0)).items());
        assertEquals(Type.Basic.INT, ((ScriptList) arguments.get(0)).elementType());
        assertEquals(Map.of(1L, 2.5), ((ScriptDict) arguments.get(1)).items());
        assertEquals("text", arguments.get(2));
    }

    @Test
    void anExampleOfOtherPartsIsNone() throws IOException {
        PickledDict keywords = new PickledDict(null);
        keywords.put(2L, "text");
        assertNull(read(ScriptTuple.of(ScriptTuple.of(), keywords)));
        assertNull(read(ScriptTuple.of(ScriptTuple.of(new PickledObject("__torch__.C"), 1L), keywords)));
        assertNull(read(5L));
        assertNull(new SampleInputs("sample.pt", ByteBuffer.wrap(new byte[] {1, 2}), BUDGET)
                .arguments(structure(), List.of(), new TensorModules(Map.of(), new ClassNames())));
        assertNull(new SampleInputs("sample.pt", ByteBuffer.allocate(0), BUDGET)
                .arguments(structure(), List.of(), new TensorModules(Map.of(), new ClassNames())));
    }
}
