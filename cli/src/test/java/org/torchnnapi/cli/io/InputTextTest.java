package org.torchnnapi.cli.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;

class InputTextTest {
    @Test
    void readsTypeSizesQuantizationAndLayout() {
        InputSpec quantized = InputText.parse("quint8[1, 3, 0, -1]@0.5,128:nhwc");
        assertEquals(DType.QUINT8, quantized.dtype());
        assertArrayEquals(new int[] {1, 3, 0, -1}, quantized.shape());
        assertEquals(0.5, quantized.scale());
        assertEquals(128, quantized.zeroPoint());
        assertTrue(quantized.channelsLast());
        assertEquals(DType.FLOAT32, InputText.parse("1,8").dtype());
        assertEquals(-128, InputText.parse("qint8[4]@0.1,-128").zeroPoint());
        assertArrayEquals(
                new int[] {-1, 3, 0, -1}, InputText.parse("float32[?,3,0,?]").shape());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "float32[1,3",
                "float32 1,3]",
                "float32[1,,3]",
                "float32[99999999999]",
                "quint8[1]",
                "quint8[1]@0,0",
                "quint8[1]@nan,0",
                "quint8[1]@0.1,256",
                "quint8[1]@0.1,-1",
                "qint8[1]@0.1,128"
            })
    void refusesAndNamesTheText(String text) {
        CommandFailure refused = assertThrows(CommandFailure.class, () -> InputText.parse(text));
        assertTrue(refused.getMessage().startsWith("input: " + text + " (expected: "), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"float32[1,3]", "1,3,224", "[1,3]", "quint8[1]@0.5,3:nhwc", "flaot[1,"})
    void descriptionsOfOneTensorAreToldFromOtherValues(String text) {
        assertTrue(InputText.isPlain(text));
        assertFalse(InputText.isPlain("[float32[1,3]]"));
        assertFalse(InputText.isPlain("{\"left\": float32[1,3]}"));
        assertFalse(InputText.isPlain("None"));
        assertFalse(InputText.isPlain("2"));
        assertFalse(InputText.isPlain("[]"));
        assertTrue(InputText.isPlain("1,3"));
        assertEquals(DType.FLOAT32, InputText.parse("float[2]").dtype());
        assertFalse(InputText.isPlain("dir/x.npy"));
    }
}
