package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class GroupingTest {
    private static final OperandDescriptor FLOATS = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2);

    /** @param readers by operation which operation's result it takes the ABS of; -1 for the model's input */
    private static ModelSlice.Source model(int... readers) {
        ModelBuilder builder = new ModelBuilder();
        int input = builder.addOperand(FLOATS);
        int[] results = new int[readers.length];
        for (int i = 0; i < results.length; i++) {
            results[i] = builder.addOperand(FLOATS);
            builder.addOperation(
                    OperationType.ABS, new int[] {readers[i] < 0 ? input : results[readers[i]]}, new int[] {results[i]
                    });
        }
        builder.identifyInputsAndOutputs(new int[] {input}, new int[] {results[results.length - 1]});
        return new ModelSlice.Source(builder.finish(), new int[results.length + 1][]);
    }

    private static void assertMembers(List<int[]> actual, int[]... expected) {
        assertEquals(expected.length, actual.size());
        for (int i = 0; i < expected.length; i++) {
            assertArrayEquals(expected[i], actual.get(i));
        }
    }

    @Test
    void staysOnADeviceAsLongAsItHasAnyThatIsReady() {
        Grouping grouping = new Grouping(
                model(-1, -1, 0, 1, 2), List.of(PartRules.NONE, PartRules.NONE), new int[] {0, 1, 0, 1, 0});
        assertMembers(grouping.members(), new int[] {0, 2, 4}, new int[] {1, 3});
        assertEquals(List.of(0, 1), grouping.partDevices());
        assertArrayEquals(new int[] {0, 1, 0, 1, 0}, grouping.partOf());
    }

    @Test
    void chainsChangeDeviceWhereTheirOperationsDo() {
        Grouping grouping =
                new Grouping(model(-1, 0, 1, 2), List.of(PartRules.NONE, PartRules.NONE), new int[] {0, 1, 1, 0});
        assertMembers(grouping.members(), new int[] {0}, new int[] {1, 2}, new int[] {3});
        assertEquals(List.of(0, 1, 0), grouping.partDevices());
    }

    @Test
    void beginsWithTheDeviceThatHasMost() {
        Grouping grouping =
                new Grouping(model(-1, -1, -1), List.of(PartRules.NONE, PartRules.NONE), new int[] {0, 1, 1});
        assertMembers(grouping.members(), new int[] {1, 2}, new int[] {0});
    }
}
