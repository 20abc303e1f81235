package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class InputValuesTest {
    private final List<String> words = new ArrayList<>();

    private Object parse(String text) throws IOException {
        return InputValues.parse(text, word -> {
            words.add(word);
            return Tensor.of(new float[] {words.size()}, 1);
        });
    }

    @Test
    void scalarsArePythons() throws IOException {
        assertEquals(3L, parse(" 3 "));
        assertEquals(-0.5, parse("-.5"));
        assertEquals(1e-3, parse("1e-3"));
        assertEquals(true, parse("True"));
        assertNull(parse("None"));
        assertEquals("a, b]", parse("\"a, b]\""));
        assertEquals(List.of(), words);
    }

    @Test
    void wordsAreTensors() throws IOException {
        assertTrue(parse("dir/x.npy") instanceof Tensor);
        assertEquals(
                "List[Tensor]",
                RuntimeTypes.of(parse("[a.npy, float32[1,3], ]")).text());
        assertEquals(2, ((ScriptList) parse("[quint8[1]@0.5,-3, quint8[2,2]@0.5,3:nhwc]")).size());
        ScriptTuple tuple = (ScriptTuple) parse("(x.npy, 3, [1, 2], ())");
        assertEquals(4, tuple.size());
        assertEquals(List.of(1L, 2L), ((ScriptList) tuple.get(2)).items());
        assertEquals(
                List.of("dir/x.npy", "a.npy", "float32[1,3]", "quint8[1]@0.5,-3", "quint8[2,2]@0.5,3:nhwc", "x.npy"),
                words);
    }

    @Test
    void sizesAloneAreThoseOfFloats() throws IOException {
        assertTrue(parse("1,3,8,8") instanceof Tensor);
        assertEquals(List.of("float32[1,3,8,8]"), words);
    }

    @Test
    void dictionariesHaveTypes() throws IOException {
        ScriptDict dict = (ScriptDict) parse("{\"left\": a.npy, \"right\": b.npy}");
        assertEquals("Dict[str, Tensor]", RuntimeTypes.of(dict).text());
        assertEquals(List.of("left", "right"), List.copyOf(dict.items().keySet()));
        assertEquals(
                "Dict[int, List[float]]", RuntimeTypes.of(parse("{1: [0.5]}")).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[",
                "[1",
                "(1))",
                "{1}",
                "{x.npy: 1}",
                "\"a",
                "[,]",
                "[1, 0.5]",
                "99999999999999999999",
                "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"
            })
    void otherTextIsRefused(String text) {
        CommandFailure e = assertThrows(CommandFailure.class, () -> parse(text));
        assertTrue(e.getMessage().matches("input: .*\\(expected: .+\\)"), e.getMessage());
    }
}
