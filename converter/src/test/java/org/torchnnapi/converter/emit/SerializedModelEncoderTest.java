package org.torchnnapi.converter.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.compat.GraphUnderTest;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;

class SerializedModelEncoderTest {
    @Test
    void writesTheFormatWordByWord() {
        GraphUnderTest g = new GraphUnderTest();
        LoweredModel model = g.model(g.op("aten::relu", g.floats(2, 3)));
        assertArrayEquals(
                new int[] {
                    1, 4, 2, 1, 1, 1, 6, 0, 0, 0, 6, 0, 0, 0, 3, 2, 0, 0, 3, 2, 0, 0, 0, 0, 1, 1, 0, 1, 19, 1, 1, 2, 3,
                    2, 3, 0, 1, 2, 3, 2, 3
                },
                SerializedModelEncoder.encode(model).words());
    }

    @Test
    void storesFlexibleSizesInNnapisOrder() {
        GraphUnderTest g = new GraphUnderTest();
        LoweredModel model = g.model(g.op("aten::relu", g.nhwc(1, 2, 0, -1)));
        SerializedModelEncoder.Encoded encoded = SerializedModelEncoder.encode(model);
        int dimensions = 6 + 4 * 4 + 3 * 2 + 3;
        assertArrayEquals(
                new int[] {1, 0, 0, 2, 1, 0, 0, 2}, Arrays.copyOfRange(encoded.words(), dimensions, dimensions + 8));
        assertEquals(
                "ser_model[" + (dimensions + 1) + "] = s_2_2",
                PythonShapeText.lines(encoded.shapes()).get(2));
        assertEquals(
                encoded.shapes().steps(),
                SerializedModelEncoder.encode(model).shapes().steps());
    }
}
