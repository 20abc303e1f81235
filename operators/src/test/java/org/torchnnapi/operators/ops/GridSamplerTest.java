package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Sampling at points. Expected values are genuine PyTorch's. */
class GridSamplerTest {
    private static final Tensor P = floats(
            sizes(1, 1, 4, 5),
            -0.875,
            1.75,
            -0,
            1,
            0.375,
            0.625,
            -1.375,
            -0.625,
            0.625,
            0.125,
            -1.5,
            -0.5,
            0.5,
            -0.875,
            -1,
            0.5,
            -0.25,
            0.875,
            -0.75,
            0.25);
    private static final Tensor GRID = floats(sizes(1, 2, 2, 2), -0.5, -0.5, 0.25, 1.20000005, 0, 0, -1, 0.899999976);

    @Test
    void interpolates() {
        expect(
                tensor("grid_sampler", P, GRID, 0L, 0L, false),
                sizes(1, 1, 2, 2),
                0.109375,
                -0.0140624866,
                -0.0625,
                0.175000012);
        expect(
                tensor("grid_sampler", P, GRID, 0L, 1L, true),
                sizes(1, 1, 2, 2),
                -0.59375,
                0.0625,
                -0.0625,
                0.199999809);
        expect(tensor("grid_sampler", P, GRID, 0L, 2L, false), sizes(1, 1, 2, 2), 0.109375, -0.140625, -0.0625, 0.5);
        expect(tensor("grid_sampler", P, GRID, 1L, 0L, false), sizes(1, 1, 2, 2), 1.75, 0, 0.5, 0.5);
        expect(
                tensor("grid_sampler", P, GRID, 2L, 0L, false),
                sizes(1, 1, 2, 2),
                0.278930664,
                -0.0157377645,
                -0.15625,
                0.35928303);
    }

    @Test
    void volumes() {
        Tensor volume = counted(1, 1, 2, 2, 2);
        Tensor grid = floats(sizes(1, 1, 1, 2, 3), 0, 0, 0, 0.5, -0.25, 1);
        expect(tensor("grid_sampler", volume, grid, 0L, 0L, false), sizes(1, 1, 1, 1, 2), 3.5, 2.75);
        Tensor near = floats(sizes(1, 1, 1, 2, 3), 0.1, 0.1, 0.1, 0.6, -0.15, 1.1);
        expect(tensor("grid_sampler_3d", volume, near, 1L, 1L, true), sizes(1, 1, 1, 1, 2), 7, 5);
        assertThrows(IllegalArgumentException.class, () -> tensor("grid_sampler", volume, grid, 2L, 0L, false));
    }
}
