package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OperandNamesTest {
    @Test
    void severalOperandsOfOneNameStandNextToEachOther() {
        OperandNames names = OperandNames.of("input", "weights[4]", "state");
        assertEquals(1, names.at("weights"));
        assertEquals(3, names.at("weights[2]"));
        assertEquals(5, names.at("state"));
        assertEquals(-1, names.at("state", 5));
        assertEquals(4, names.count("weights", 6));
        assertEquals("weights[3]", names.name(4, 6));
        assertEquals("state", names.name(5, 6));
        assertTrue(names.covers(6) && names.covers(2) && !names.covers(7));
    }

    @Test
    void anyNumberOfOperandsMovesWhatFollows() {
        OperandNames names = OperandNames.of("tensors[]", "axis");
        assertEquals(0, names.at("tensors"));
        assertEquals(3, names.at("axis", 4));
        assertEquals(3, names.count("tensors", 4));
        assertEquals("tensors[2]", names.name(2, 4));
        assertEquals("axis", names.name(3, 4));
        String problem = assertThrows(IllegalArgumentException.class, () -> names.at("axis"))
                .getMessage();
        assertEquals("operand: axis (expected: one of [tensors, axis] before tensors)", problem);
    }

    @Test
    void anUnknownNameIsToldWithTheKnownOnes() {
        OperandNames names = OperandNames.of("input", "axis");
        assertEquals(-1, names.at("axes", 2));
        assertEquals(
                "operand: axes (expected: one of [input, axis])",
                assertThrows(IllegalArgumentException.class, () -> names.at("axes"))
                        .getMessage());
    }
}
