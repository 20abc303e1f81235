package org.torchnnapi.converter.lower;

import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ElementGatherTest {
    @Test
    void elementsComeFromWhereThePlainImplementationTakesThem() {
        for (String expression : new String[] {
            "torch.diagonal(x, 1, 0, 2)",
            "torch.diagonal(x, -1, 2, 1)",
            "torch.diag_embed(x, 1, 0, 2)",
            "torch.diag_embed(x, -2, -1, -2)",
            "torch.im2col(x, [2, 2], [1, 1], [1, 0], [1, 2])",
            "torch.unfold(x, 0, 2, 1)",
            "torch.repeat_interleave(x, 2)",
            "torch.flip(x, [-1, 0])"
        }) {
            whole(random(3, 4, 5), List.of(), "torch.mul(" + expression + ", 2)");
        }
    }

    @Test
    void whatIsWrittenTakesTheTypeOfWhatItIsWrittenTo() {
        whole(
                random(3, 4, 5),
                List.of(),
                "torch.slice_scatter(x, torch.to(torch.gt(torch.slice(x, 1, 0, 2), 0.), 6), 1, 0, 4, 2)");
        whole(
                random(2, 3, 4, 5),
                List.of(Tensor.of(new long[] {2, 0}, 2)),
                "torch.index_copy(x, 2, CONSTANTS.c0, torch.mul(torch.slice(x, 2, 1, 3), 2.))");
    }
}
