package org.torchnnapi.converter.lower;

import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class PoolsTest {
    private static final Tensor X = random(2, 3, 12, 9);

    @Test
    void dilatedWindows() {
        Tensor image = random(1, 3, 9, 8);
        whole(image, List.of(), "torch.max_pool2d(x, [3, 2], [2, 1], [1, 1], [2, 3])");
        whole(image, List.of(), "torch.max_pool2d(x, [3, 2], [2, 1], [1, 0], [2, 2], True)");
        whole(image, List.of(), "y, _0 = torch.max_pool2d_with_indices(x, [2, 2])", "y");
    }

    @Test
    void adaptiveSizesThatDivideAreOnePool() {
        whole("AVERAGE_POOL_2D", X, List.of(), "torch.adaptive_avg_pool2d(x, [4, 3])");
        whole("MUL", X, List.of(), "torch.mul(torch.adaptive_avg_pool2d(x, [12, 9]), 2)");
    }

    @Test
    void othersAreMeansOfBands() {
        whole(X, List.of(), "torch.adaptive_avg_pool2d(x, [5, 7])");
        whole(X, List.of(), "torch.adaptive_avg_pool2d(x, [1, 9])");
        whole(X, List.of(), "torch._adaptive_avg_pool2d(x, [5, 7])");
        whole(X, List.of(), "torch.adaptive_avg_pool2d(x, [13, 2])");
    }

    @Test
    void windowsOfAllForms() {
        for (String expression : new String[] {
            "torch.max_pool2d(x, [3, 2], [2, 2], [1, 1], [1, 1], True)",
            "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], True, False)",
            "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], False, True)",
            "torch.avg_pool2d(x, [2, 3], [2, 2], [0, 0], False, True, 5)"
        }) {
            whole(X, List.of(), "torch.mul(" + expression + ", 2)");
        }
    }

    /** Whether there is a last window is decided by the image and its padding before it, not by a padded image. */
    @Test
    void averagesWhoseLastWindowsArePartial() {
        for (int[] size : new int[][] {{7, 3}, {8, 5}, {10, 11}, {4, 6}}) {
            for (String window : new String[] {
                "[2], [2], [1], True, True",
                "[2], [2], [1], True, False",
                "[3], [2], [1], True, True, 5",
                "[3], [2], [0], True, False, 7",
                "[3, 2], [3, 2], [1, 0], True, True",
                "[4], [3], [2], True, True",
                "[4], [3], [2], True, True, 3"
            }) {
                whole(
                        FreeUnderTest.random(1, 4, size[0], size[1]),
                        List.of(),
                        "torch.mul(torch.avg_pool2d(x, " + window + "), 2)");
            }
        }
    }

    @Test
    void placesOfTheLargestValues() {
        // Steps of a half, so that equal ones are compared too.
        String steps = "y = torch.mul(torch.floor(torch.mul(x, 2)), 0.5)";
        for (String window : new String[] {
            "[2, 2]", "[3, 2], [2, 1], [1, 1]", "[3, 3], [2, 2], [1, 0], [1, 2], True", "[2, 3], [2, 3], [0, 0], [2, 1]"
        }) {
            whole(
                    X,
                    List.of(),
                    steps,
                    "values, places = torch.max_pool2d_with_indices(y, " + window + ")",
                    "torch.add(values, torch.to(places, 6))");
        }
        whole(
                X,
                List.of(),
                steps,
                "values, places = torch.adaptive_max_pool2d(y, [4, 3])",
                "torch.add(values, torch.to(places, 6))");
    }

    @Test
    void valuesGoBackWhereTheyStood() {
        whole(
                X,
                List.of(),
                "values, places = torch.max_pool2d_with_indices(x, [2, 2])",
                "torch.max_unpool2d(torch.sin(values), places, [12, 9])");
        whole(
                X,
                List.of(),
                "values, places = torch.max_pool2d_with_indices(x, [3, 2], [3, 2], [0, 0], [1, 1], True)",
                "torch.max_unpool2d(values, places, [12, 9])");
        // Windows that overlap, and a larger map, go by the places of each element.
        whole(
                random(1, 2, 6, 6),
                List.of(),
                "values, places = torch.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])",
                "torch.max_unpool2d(values, places, [6, 6])");
        whole(
                random(1, 2, 6, 6),
                List.of(),
                "values, places = torch.max_pool2d_with_indices(x, [2, 2])",
                "torch.max_unpool2d(values, places, [7, 8])");
    }

    @Test
    void placesOfWindowsOfSeveralSizes() {
        whole(
                X,
                List.of(),
                "y = torch.mul(torch.floor(torch.mul(x, 2)), 0.5)",
                "values, places = torch.adaptive_max_pool2d(y, [5, 7])",
                "torch.add(values, torch.to(places, 6))");
    }

    @Test
    void mapsWithoutABatch() {
        for (String expression : new String[] {
            "torch.max_pool2d(x, [2, 2])",
            "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1])",
            "torch.adaptive_avg_pool2d(x, [4, 3])",
            "torch.adaptive_avg_pool2d(x, [5, 7])",
            "(torch.adaptive_max_pool2d(x, [4, 3]))[0]"
        }) {
            whole(random(3, 12, 9), List.of(), "torch.mul(" + expression + ", 2)");
        }
    }
}
