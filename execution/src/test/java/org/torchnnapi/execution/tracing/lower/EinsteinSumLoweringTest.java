package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.tensor.Tensor;

class EinsteinSumLoweringTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "bij,bjk->bik; 2 3 4; 2 4 5",
                "bhid,bhjd->bhij; 2 3 4 5; 2 3 6 5",
                "bcn,nm->bmc; 2 3 4; 4 5",
                "i,j->ij; 3; 4",
                "bhwc,hkc->bhwk; 2 3 4 5; 3 6 5",
                "ijk,jki->; 2 3 4; 3 4 2",
                "bnhd,bmhd->hbnm; 2 3 4 5; 2 6 4 5"
            })
    void ofTwoTensors(String equation, String left, String right) {
        lowered(
                List.of("return torch.einsum(\"" + equation + "\", [x, y])"),
                new Object[0],
                ofSizes(left),
                ofSizes(right));
    }

    private static Tensor ofSizes(String text) {
        return floats(Arrays.stream(text.trim().split(" "))
                .mapToInt(Integer::parseInt)
                .toArray());
    }
}
