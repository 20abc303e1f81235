package org.torchnnapi.torchscript.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ReadBudgetTest {
    @Test
    void whatAFileUnpacksToIsBoundedByItsSize() {
        ReadBudget budget = ReadBudget.of(1000);
        long limit = (32L << 20) + 100 * 1000;
        budget.charge("a.py", "tokens", limit / ReadBudget.TOKEN_BYTES - 1, ReadBudget.TOKEN_BYTES);
        ArchiveException e =
                assertThrows(ArchiveException.class, () -> budget.charge("a.py", "tokens", 3, ReadBudget.TOKEN_BYTES));
        assertEquals(
                "a.py: tokens: 3 of 96 bytes, " + (limit - (limit / 96 - 1) * 96) + " bytes left (expected: a file of "
                        + "1000 bytes unpacks to at most " + limit + " bytes, 32 MiB and 100 for each byte)",
                e.getMessage());
        budget.charge("a.py", "tokens", 1, ReadBudget.TOKEN_BYTES);
    }

    @Test
    void countsBeyond63BitsAreRefused() {
        assertThrows(ArchiveException.class, () -> ReadBudget.of(1).charge("x", "values", Long.MAX_VALUE, 32));
    }
}
