package org.torchnnapi.torchscript.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentifiersTest {
    @ParameterizedTest
    @CsvSource({"a, a", "_a9, _a9", "9a, _9a", "a.b-c, a_b_c", "'', _", "é, _", "if, if"})
    void otherCharactersAreReplaced(String name, String plain) {
        assertEquals(plain, Identifiers.plain(name));
        assertEquals(name.equals(plain), Identifiers.isPlain(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"if", "None", "yield"})
    void pythonsWordsAreKeywords(String name) {
        assertTrue(Identifiers.isKeyword(name));
        assertFalse(Identifiers.isKeyword(name + "_"));
    }
}
