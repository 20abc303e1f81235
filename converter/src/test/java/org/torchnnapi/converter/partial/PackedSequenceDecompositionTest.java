package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/** Recurrent layers over sequences of several lengths, (batch 3, time 5, features 4) with states of 2. */
class PackedSequenceDecompositionTest {
    private static final Tensor X = random(3, 5, 4);
    private static final Tensor LENGTHS = Tensor.of(new long[] {5, 3, 1}, 3);
    private static final String PACK = "data, sizes = torch._pack_padded_sequence(x, CONSTANTS.c0, True)";
    private static final String UNPACK =
            "y, lengths = torch._pad_packed_sequence(data1, sizes, True, 0.5, torch.size(sizes, 0))";

    private static List<Tensor> constants(int gates, int directions) {
        Tensor[] made = new Tensor[2 + 4 * directions];
        made[0] = LENGTHS;
        made[1] = random(directions, 3, 2);
        for (int way = 0; way < directions; way++) {
            made[2 + 4 * way] = random(gates * 2, 4);
            made[3 + 4 * way] = random(gates * 2, 2);
            made[4 + 4 * way] = random(gates * 2);
            made[5 + 4 * way] = random(2, gates).contiguous().asStrided(new int[] {gates * 2}, new int[] {1}, 0);
        }
        return List.of(made);
    }

    private static String weights(int directions) {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < 4 * directions; i++) {
            text.append(i == 0 ? "" : ", ").append("CONSTANTS.c").append(2 + i);
        }
        return text.append(']').toString();
    }

    @Test
    void constantLengths() {
        for (int ways = 1; ways <= 2; ways++) {
            String both = ways == 2 ? "True" : "False";
            whole(
                    X,
                    constants(3, ways),
                    PACK,
                    "data1, h = torch.gru(data, sizes, CONSTANTS.c1, " + weights(ways) + ", True, 1, 0., False, " + both
                            + ")",
                    UNPACK,
                    "y");
            whole(
                    X,
                    constants(1, ways),
                    PACK,
                    "data1, h = torch.rnn_tanh(data, sizes, CONSTANTS.c1, " + weights(ways) + ", True, 1, 0., False, "
                            + both + ")",
                    "h");
            String lstm = "data1, h, c = torch.lstm(data, sizes, [CONSTANTS.c1, CONSTANTS.c1], " + weights(ways)
                    + ", True, 1, 0., False, " + both + ")";
            whole(X, constants(4, ways), PACK, lstm, UNPACK, "torch.add(y, torch.sum(h))");
            whole(X, constants(4, ways), PACK, lstm, "torch.cat([h, c])");
        }
    }

    @Test
    void aLengthThatIsGivenFillsUp() {
        whole(
                X,
                constants(3, 1),
                PACK,
                "data1, h = torch.gru(data, sizes, CONSTANTS.c1, " + weights(1) + ", True, 1, 0., False, False)",
                "y, lengths = torch._pad_packed_sequence(data1, sizes, False, -1., 8)",
                "torch.add(y, lengths[1])");
    }

    @Test
    void lengthsThatComeInLeaveStatesOfKnownShapes() {
        String lengths = "_0, order = torch.sort(torch.add(torch.argmax(torch.select(x, 2, 0), 1), 1), 0, True)";
        whole(
                X,
                constants(3, 2),
                lengths,
                PACK.replace("CONSTANTS.c0", "_0"),
                "data1, h = torch.gru(data, sizes, CONSTANTS.c1, " + weights(2) + ", True, 1, 0., False, True)",
                "h");
    }

    /** A length that is no less than any sequence can be is not too small, whatever the lengths are. */
    @Test
    void aGivenLengthIsCheckedAgainstComputedOnes() {
        String lengths = "_0, order = torch.sort(torch.add(torch.argmax(torch.select(x, 2, 0), 1), 1), 0, True)";
        whole(
                X,
                constants(3, 1),
                lengths,
                PACK.replace("CONSTANTS.c0", "_0"),
                "data1, h = torch.gru(data, sizes, CONSTANTS.c1, " + weights(1) + ", True, 1, 0., False, False)",
                "if torch.lt(5, torch.size(sizes, 0)):\n      ops.prim.RaiseException(\"too short\")\n    else:\n    "
                        + "  pass",
                "y, lengths = torch._pad_packed_sequence(data1, sizes, True, 0., 5)",
                "y");
    }

    @Test
    void whatElseReadsPackedElementsReadsThem() {
        ScriptModule module = FreeUnderTest.module(
                constants(3, 1),
                "Tensor",
                PACK,
                "data1, h = torch.gru(data, sizes, CONSTANTS.c1, " + weights(1) + ", True, 1, 0., False, False)",
                "torch.add(torch.sum(data1), h)");
        Conversion conversion = Converter.convert(
                module,
                ConversionOptions.defaults()
                        .withExample(List.of(X))
                        .withSelfCheck(false)
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(module, conversion, X);
    }
}
