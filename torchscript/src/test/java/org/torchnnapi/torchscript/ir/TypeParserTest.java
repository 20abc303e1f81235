package org.torchnnapi.torchscript.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypeParserTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Tensor",
                "int",
                "Dict[str, List[Tensor]]",
                "Optional[Tuple[int, float, bool]]",
                "Tuple[()]",
                "Union[int, str, NoneType]",
                "Future[Tensor]",
                "List[List[complex]]",
                "Any",
                "Device"
            })
    void textSurvivesParsing(String text) {
        assertEquals(text, TypeParser.parse(text, name -> null).text());
    }

    @Test
    void classNamesGoToTheResolver() {
        ClassType type = new ClassType("__torch__.net.Net", ClassType.Kind.MODULE);
        Type parsed =
                TypeParser.parse("List[__torch__.net.Net]", name -> name.equals("__torch__.net.Net") ? type : null);
        assertSame(type, ((Type.ListType) parsed).element());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "List[",
                "List[int",
                "List[int]]",
                "List[int, int]",
                "Dict[str]",
                "Foo[int]",
                "List[]",
                "3+4",
                "__torch__.Unknown",
                "Tuple[(int)]",
                "int int"
            })
    void malformedTextIsOneTypedError(String text) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> TypeParser.parse(text, name -> null));
        assertTrue(e.getMessage().contains("expected"), e.getMessage());
    }

    @Test
    void deepNestingIsRefusedWithoutOverflow() {
        String text = "List[".repeat(100_000) + "int" + "]".repeat(100_000);
        assertThrows(IllegalArgumentException.class, () -> TypeParser.parse(text, name -> null));
    }
}
