package org.torchnnapi.nnapi.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class DeviceProfileTest {
    private static Model add(OperandDescriptor operand) {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(operand);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(operand);
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        return builder.finish();
    }

    private static String answer(String profile, OperandDescriptor operand) {
        List<DeviceRefusal> refusals = DeviceProfile.builtIn(profile).refusals(add(operand));
        return refusals.isEmpty() ? null : refusals.get(0).problem().toString();
    }

    @Test
    void everyProfileReadsAndNamesItsSource() {
        for (String name : DeviceProfile.builtIn()) {
            DeviceProfile profile = DeviceProfile.builtIn(name);
            assertEquals(name, profile.name());
            assertFalse(profile.sources().isEmpty(), name);
        }
    }

    @Test
    void answersByTypeLevelAndShape() {
        OperandDescriptor half = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 2);
        assertNull(answer("armnn-gpuacc", half));
        assertTrue(answer("armnn-cpuacc", half).startsWith("type: TENSOR_FLOAT16 (expected: one of ["));
        assertTrue(answer("nnapi-1.1", half).startsWith("feature level: NNAPI 1.2"));
        assertNull(answer("nnapi-1.2", half));
        assertNull(answer("quantized-npu", OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 1f, 0, 2)));
        assertTrue(answer("quantized-npu", OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 1f, 0, 0))
                .startsWith("shape: "));
    }

    @Test
    void demandsAreRefusals() {
        DeviceProfile profile = DeviceProfile.parse("name x\nsupports ADD *\nrequires ADD constant 1\n");
        assertEquals(
                List.of(DeviceRefusal.of(0, "input 1", Lifetime.SUBGRAPH_INPUT, "constant")),
                profile.refusals(add(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1))));
    }

    @Test
    void damagedFilesNameTheLine() {
        for (String text : new String[] {
            "",
            "version 1",
            "name x\nfoo",
            "name x\nfeature-level 26",
            "name x\nfeature-level a",
            "name x\nsupports NOPE *",
            "name x\nsupports ADD NOPE",
            "name x\nperformance * 1",
            "name x\nrequires ADD max-rank",
            "name x\ntype",
            "name x\nsupports ADD",
            "name x\nrequires ADD"
        }) {
            NnapiException e = assertThrows(NnapiException.class, () -> DeviceProfile.parse(text), text);
            assertTrue(e.getMessage().startsWith("device profile"), e.getMessage());
        }
    }
}
