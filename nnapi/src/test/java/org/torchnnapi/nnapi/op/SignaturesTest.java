package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class SignaturesTest {
    private static Signatures of(OperationType type) {
        return OperationTable.get(type).signatures();
    }

    /** Ten inputs are padding in elements, or a padding code with layout and dilations: only the types tell. */
    @Test
    void namesFollowTheTypesWhereTheCountIsTheSame() {
        List<OperandType> implicit =
                List.of(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32, INT32, INT32, INT32, INT32, BOOL, INT32, INT32);
        List<OperandType> explicit = List.of(
                TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32, INT32, INT32, INT32, INT32, INT32, INT32, INT32);
        OperandNames code = of(OperationType.CONV_2D).names(implicit.size(), implicit::get);
        OperandNames elements = of(OperationType.CONV_2D).names(explicit.size(), explicit::get);
        assertEquals(9, code.at("dilationHeight", implicit.size()));
        assertEquals(-1, code.at("paddingLeft", implicit.size()));
        assertEquals(9, elements.at("activation", explicit.size()));
        assertEquals(-1, elements.at("dilationHeight", explicit.size()));
    }

    @ParameterizedTest
    @CsvSource({
        "CONV_2D,filter,V1_0",
        "CONV_2D,dilationWidth,V1_2",
        "SOFTMAX,axis,V1_2",
        "SOFTMAX,rank,V1_2",
        "PAD,paddings,V1_1",
        "PAD,zeroPoint,V1_2",
        "CONCATENATION,scales,V1_2",
        "RESIZE_BILINEAR,halfPixelCenters,V1_3",
        "LSTM,normalizationWeights,V1_2"
    })
    void tellsSinceWhenAnOperationHasAnInputOrUse(OperationType type, String name, FeatureLevel since) {
        assertEquals(since, of(type).since(name));
    }

    @Test
    void aNameThatIsNoneIsRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> of(OperationType.SOFTMAX).since("alpha"));
        assertThrows(
                IllegalArgumentException.class, () -> of(OperationType.SOFTMAX).input("alpha"));
        assertThrows(
                IllegalArgumentException.class, () -> of(OperationType.CONV_2D).input("strideWidth"), "two positions");
    }

    @ParameterizedTest
    @EnumSource(
            value = OperationType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OEM_OPERATION", "EXTENSION"})
    void everyOperandOfEverySignatureHasAName(OperationType type) {
        for (Signatures.Signature signature : of(type).all()) {
            int count = signature.inputs().size();
            for (int i = 0; i < count; i++) {
                String name = signature.names().name(i, count);
                assertTrue(signature.names().at(name.replaceAll("\\[.*", ""), count) <= i, name);
            }
            for (int i = 0; i < signature.outputs().size(); i++) {
                of(type).outputs().name(i, signature.outputs().size());
            }
        }
    }

    /** What is declared holds where the model says it, and where only an execution does. */
    @Test
    void aRankThatTheModelLeavesOpenIsCheckedWhenItRuns() {
        ModelBuilder builder = new ModelBuilder();
        int input = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32));
        int block = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 2));
        builder.setOperandValue(block, 1, 1);
        int output = builder.addOperand(OperandDescriptor.tensor(TENSOR_FLOAT32));
        builder.addOperation(OperationType.BATCH_TO_SPACE_ND, new int[] {input, block}, new int[] {output});
        builder.identifyInputsAndOutputs(new int[] {input}, new int[] {output});
        Model model = builder.finish();
        OperandValue[] values = new OperandValue[3];
        for (int i = 0; i < values.length; i++) {
            values[i] = new OperandValue(model.operand(i).descriptor());
        }
        values[0].resize(new int[] {2, 3, 4});
        OperationContext operation = new OperationContext(
                OperationType.BATCH_TO_SPACE_ND,
                new OperandValue[] {values[0], values[1]},
                new OperandValue[] {values[2]});
        NnapiException refused = assertThrows(
                NnapiException.class,
                () -> OperationTable.get(OperationType.BATCH_TO_SPACE_ND).prepare(operation));
        assertTrue(refused.getMessage().contains("rank of input 0 (input): 3 (expected: 4)"), refused.getMessage());
    }
}
