package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.model.OperationType;

class OperationTableTest {
    @ParameterizedTest
    @EnumSource(
            value = OperationType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OEM_OPERATION", "EXTENSION"})
    void everyOperationHasADefinitionWithSignatures(OperationType type) {
        OperationDefinition definition = OperationTable.get(type);
        assertNotNull(definition);
        assertEquals(type, definition.type());
        assertFalse(definition.signatures().all().isEmpty());
        assertTrue(
                definition.signatures().all().stream().anyMatch(s -> s.since().compareTo(type.since()) <= 0),
                "a signature as old as the operation");
    }
}
