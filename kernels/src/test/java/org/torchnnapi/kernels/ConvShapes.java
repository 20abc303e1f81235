package org.torchnnapi.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Awkward convolutions: extents around the tiles of every kernel, all kinds, and some at random. */
final class ConvShapes {
    private ConvShapes() {}

    static List<ConvShape> all() {
        List<ConvShape> shapes = new ArrayList<>(List.of(
                ConvShape.of(1, 1, 1, 1, 1, 1),
                ConvShape.of(3, 5, 7, 2, 1, 1),
                ConvShape.of(16, 7, 7, 32, 1, 1),
                ConvShape.of(33, 6, 11, 17, 1, 1),
                ConvShape.of(64, 14, 14, 48, 1, 1),
                ConvShape.of(300, 3, 3, 70, 1, 1),
                ConvShape.of(1280, 1, 1, 10, 1, 1),
                ConvShape.of(20, 1, 2, 35, 1, 1),
                ConvShape.of(24, 8, 9, 40, 1, 1).stride(2, 2),
                ConvShape.of(3, 33, 31, 32, 3, 3).stride(2, 2).padding(1, 1),
                ConvShape.of(3, 20, 20, 16, 7, 7).stride(2, 2).padding(3, 3),
                ConvShape.of(16, 9, 13, 24, 3, 3).padding(1, 1),
                ConvShape.of(32, 14, 14, 32, 3, 3).padding(1, 1),
                // Rows that do not stay in a cache.
                ConvShape.of(48, 9, 1000, 18, 7, 1).stride(2, 1).padding(3, 0),
                ConvShape.of(40, 5, 1100, 9, 5, 3).stride(1, 2).padding(2, 1),
                ConvShape.of(18, 10, 4, 5, 3, 5).padding(2, 1).stride(1, 3),
                ConvShape.of(8, 12, 15, 16, 3, 3).dilation(2, 3).padding(2, 3),
                ConvShape.of(5, 6, 6, 7, 4, 2).padding(0, 3, 2, 1),
                ConvShape.of(4, 3, 3, 4, 3, 3).padding(4, 4),
                ConvShape.of(12, 7, 9, 18, 3, 3).groups(3).padding(1, 1),
                ConvShape.of(64, 5, 5, 64, 3, 3).groups(2).padding(1, 1),
                ConvShape.of(16, 14, 14, 16, 3, 3).groups(16).padding(1, 1),
                ConvShape.of(37, 9, 10, 37, 3, 3).groups(37).padding(1, 1).stride(2, 2),
                ConvShape.of(32, 7, 7, 32, 5, 5).groups(32).padding(2, 2),
                ConvShape.of(40, 11, 8, 40, 5, 5).groups(40).padding(2, 2).stride(2, 2),
                ConvShape.of(32, 7, 9, 32, 3, 3).groups(32).padding(1, 1),
                ConvShape.of(64, 8, 5, 64, 3, 3).groups(64).padding(1, 1).stride(2, 2),
                ConvShape.of(96, 5, 6, 96, 3, 3).groups(96),
                ConvShape.of(32, 6, 7, 32, 3, 3).groups(32).padding(0, 1, 0, 1).stride(2, 2),
                ConvShape.of(160, 6, 4, 160, 3, 3).groups(160).padding(1, 2, 1, 1),
                ConvShape.of(6, 13, 13, 6, 3, 3).groups(6).dilation(3, 2).padding(3, 2),
                ConvShape.of(8, 6, 6, 24, 3, 3).groups(8).padding(1, 1),
                ConvShape.of(17, 4, 4, 17, 2, 7).groups(17).padding(1, 3),
                ConvShape.of(48, 112, 3, 48, 3, 3).groups(48).padding(1, 1),
                ConvShape.of(4, 5, 5, 6, 3, 3).stride(2, 2).padding(1, 1).transposed(1, 1),
                ConvShape.of(16, 4, 7, 16, 2, 2).stride(2, 2).transposed(0, 0),
                ConvShape.of(6, 5, 4, 9, 3, 4)
                        .stride(3, 2)
                        .dilation(2, 1)
                        .groups(3)
                        .padding(2, 1)
                        .transposed(1, 0),
                ConvShape.of(3, 4, 4, 5, 1, 1).stride(3, 3).transposed(2, 1),
                ConvShape.of(32, 3, 3, 32, 4, 4)
                        .stride(2, 2)
                        .padding(1, 1)
                        .groups(32)
                        .transposed(0, 0),
                ConvShape.of(30, 2, 1, 16, 1, 1),
                ConvShape.of(144, 5, 21, 40, 1, 1),
                ConvShape.of(160, 1, 3, 33, 1, 1),
                ConvShape.of(36, 7, 7, 80, 3, 3).padding(1, 1),
                ConvShape.of(40, 9, 35, 20, 3, 3).stride(2, 2).padding(1, 1),
                ConvShape.of(31, 3, 39, 17, 2, 4).stride(1, 3).dilation(1, 2).padding(0, 5),
                ConvShape.of(48, 4, 4, 64, 3, 3).padding(2, 2).dilation(2, 2),
                ConvShape.of(40, 6, 7, 256, 3, 3).padding(1, 1),
                ConvShape.of(36, 28, 5, 128, 3, 3).padding(1, 1),
                ConvShape.of(34, 3, 18, 50, 2, 2).stride(2, 2).transposed(0, 0)));
        Random random = new Random(7);
        while (shapes.size() < 78) {
            int groups = 1 + random.nextInt(3);
            try {
                ConvShape shape = ConvShape.of(
                                groups * (1 + random.nextInt(20)),
                                1 + random.nextInt(16),
                                1 + random.nextInt(16),
                                groups * (1 + random.nextInt(40)),
                                1 + random.nextInt(4),
                                1 + random.nextInt(4))
                        .stride(1 + random.nextInt(3), 1 + random.nextInt(3))
                        .dilation(1 + random.nextInt(2), 1 + random.nextInt(2))
                        .padding(random.nextInt(3), random.nextInt(3), random.nextInt(3), random.nextInt(3))
                        .groups(groups);
                shape = random.nextInt(4) == 0 ? shape.transposed(0, 0) : shape;
                shape.requireOutput();
                shapes.add(shape);
            } catch (IllegalArgumentException windowBeyondTheImage) {
                continue;
            }
        }
        return shapes;
    }
}
