package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "v, i = torch.topk(x, 3)",
                "v, i = torch.topk(x, 1, 2)",
                "v, i = torch.topk(x, 6, -1, True, True)"
            })
    void greatest(String call) {
        lowered(List.of(call, "return [torch.relu(v), torch.add(i, 1)]"), new Object[0], floats(4, 5, 6));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "2", "-2"})
    void atPlaces(String dim) {
        lowered(
                "torch.gather(x, " + dim + ", y)",
                floats(4, 5, 6),
                longs(
                        4,
                        dim.equals("0") ? 9 : 4,
                        dim.equals("1") || dim.equals("-2") ? 3 : 5,
                        dim.equals("2") ? 7 : 6));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "-1"})
    void ofEachDimension(String dim) {
        for (String name : new String[] {"max", "min"}) {
            for (String keep : new String[] {"False", "True"}) {
                lowered("torch.arg" + name + "(x, " + dim + ", " + keep + ")", floats(4, 5, 6));
                lowered(
                        List.of(
                                "v, i = torch." + name + "(x, " + dim + ", " + keep + ")",
                                "return [torch.relu(v), torch.add(i, 1)]"),
                        new Object[0],
                        floats(4, 5, 6));
            }
        }
    }
}
