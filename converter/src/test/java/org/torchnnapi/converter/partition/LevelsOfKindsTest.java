package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

/**
 * The kinds of classifiers that torchvision has, small and with random weights: NNAPI of each level computes them whole
 * and rightly.
 */
class LevelsOfKindsTest {
    private static final Tensor IMAGE = random(1, 3, 16, 16);

    /** What the body of a network is written with. */
    private static final class Net {
        final List<Tensor> constants = new ArrayList<>();
        final List<String> lines = new ArrayList<>();

        String constant(int... shape) {
            Tensor values = random(shape);
            float[] array = values.storage().floatArray();
            int fan = shape.length == 1 ? 4 : array.length / shape[0];
            for (int i = 0; i < array.length; i++) {
                array[i] /= (float) Math.sqrt(fan);
            }
            constants.add(values);
            return "CONSTANTS.c" + (constants.size() - 1);
        }

        Net then(String line) {
            lines.add("x" + (lines.size() + 1) + " = " + line.replace("$", last()));
            return this;
        }

        String last() {
            return lines.isEmpty() ? "x" : "x" + lines.size();
        }

        Net conv(int in, int out, int kernel, int stride, int groups) {
            int pad = kernel / 2;
            return then("torch.conv2d($, " + constant(out, in / groups, kernel, kernel) + ", " + constant(out) + ", ["
                    + stride + ", " + stride + "], [" + pad + ", " + pad + "], [1, 1], " + groups + ")");
        }

        Net norm(int channels) {
            String scale = constant(channels);
            String shift = constant(channels);
            return then("torch.batch_norm($, " + scale + ", " + shift + ", " + constant(channels)
                    + ", torch.add(torch.abs(" + shift + "), 1), False, 0.1, 1.0e-05, True)");
        }

        Net pool() {
            return then("torch.max_pool2d($, [3, 3], [2, 2], [1, 1], [1, 1])");
        }

        Net linear(int in, int out) {
            return then("torch.linear($, " + constant(out, in) + ", " + constant(out) + ")");
        }

        Net head(int channels) {
            return then("torch.adaptive_avg_pool2d($, [1, 1])")
                    .then("torch.flatten($, 1, -1)")
                    .linear(channels, 10);
        }

        /** Squeezes and excites by two products of means. */
        Net attention(int channels, String gate) {
            String image = last();
            then("torch.adaptive_avg_pool2d($, [1, 1])")
                    .conv(channels, 4, 1, 1, 1)
                    .then("torch.relu($)")
                    .conv(4, channels, 1, 1, 1)
                    .then("torch." + gate + "($)");
            return then("torch.mul($, " + image + ")");
        }

        String[] body() {
            return lines.toArray(String[]::new);
        }
    }

    enum Kind {
        ALEXNET {
            @Override
            Net net() {
                return new Net()
                        .conv(3, 8, 5, 2, 1)
                        .then("torch.relu($)")
                        .pool()
                        .conv(8, 8, 3, 1, 1)
                        .then("torch.relu($)")
                        .then("torch.adaptive_avg_pool2d($, [2, 2])")
                        .then("torch.flatten($, 1, -1)")
                        .then("torch.dropout($, 0.5, False)")
                        .linear(32, 16)
                        .then("torch.relu($)")
                        .linear(16, 10);
            }
        },
        VGG {
            @Override
            Net net() {
                return new Net()
                        .conv(3, 8, 3, 1, 1)
                        .norm(8)
                        .then("torch.relu($)")
                        .pool()
                        .conv(8, 8, 3, 1, 1)
                        .norm(8)
                        .then("torch.relu($)")
                        .then("torch.adaptive_avg_pool2d($, [4, 4])")
                        .then("torch.flatten($, 1, -1)")
                        .linear(128, 10);
            }
        },
        RESNET {
            @Override
            Net net() {
                Net net = new Net()
                        .conv(3, 8, 7, 2, 1)
                        .norm(8)
                        .then("torch.relu($)")
                        .pool();
                String in = net.last();
                net.conv(8, 8, 3, 1, 1)
                        .norm(8)
                        .then("torch.relu($)")
                        .conv(8, 8, 3, 1, 1)
                        .norm(8);
                return net.then("torch.relu(torch.add($, " + in + "))").head(8);
            }
        },
        SQUEEZENET {
            @Override
            Net net() {
                Net net = new Net()
                        .conv(3, 8, 3, 2, 1)
                        .then("torch.relu($)")
                        .then("torch.max_pool2d($, [3, 3], [2, 2], [0, 0], [1, 1], True)");
                net.conv(8, 4, 1, 1, 1).then("torch.relu($)");
                String squeezed = net.last();
                net.conv(4, 6, 1, 1, 1).then("torch.relu($)");
                String left = net.last();
                net.then(squeezed).conv(4, 6, 3, 1, 1).then("torch.relu($)");
                return net.then("torch.cat([" + left + ", $], 1)")
                        .conv(12, 10, 1, 1, 1)
                        .then("torch.relu($)")
                        .then("torch.adaptive_avg_pool2d($, [1, 1])")
                        .then("torch.flatten($, 1, -1)");
            }
        },
        DENSENET {
            @Override
            Net net() {
                Net net = new Net().conv(3, 8, 3, 2, 1);
                String first = net.last();
                net.norm(8).then("torch.relu($)").conv(8, 4, 3, 1, 1);
                return net.then("torch.cat([" + first + ", $], 1)")
                        .norm(12)
                        .then("torch.relu($)")
                        .conv(12, 6, 1, 1, 1)
                        .then("torch.avg_pool2d($, [2, 2], [2, 2])")
                        .norm(6)
                        .then("torch.relu($)")
                        .head(6);
            }
        },
        INCEPTION {
            @Override
            Net net() {
                Net net = new Net().conv(3, 8, 3, 2, 1).then("torch.relu($)");
                String in = net.last();
                net.then("torch.avg_pool2d($, [3, 3], [1, 1], [1, 1], False, True)")
                        .conv(8, 4, 1, 1, 1);
                String pooled = net.last();
                net.then("torch.conv2d(" + in + ", " + net.constant(4, 8, 1, 7) + ", None, [1, 1], [0, 3], [1, 1], 1)");
                return net.then("torch.cat([" + pooled + ", $], 1)")
                        .then("torch.relu($)")
                        .head(8);
            }
        },
        MOBILENET_V2 {
            @Override
            Net net() {
                Net net = new Net().conv(3, 8, 3, 2, 1).norm(8).then("torch.hardtanh($, 0., 6.)");
                String in = net.last();
                net.conv(8, 16, 1, 1, 1)
                        .norm(16)
                        .then("torch.hardtanh($, 0., 6.)")
                        .conv(16, 16, 3, 1, 16)
                        .norm(16)
                        .then("torch.hardtanh($, 0., 6.)")
                        .conv(16, 8, 1, 1, 1)
                        .norm(8);
                return net.then("torch.add(" + in + ", $)").head(8);
            }
        },
        MOBILENET_V3 {
            @Override
            Net net() {
                return new Net()
                        .conv(3, 8, 3, 2, 1)
                        .norm(8)
                        .then("torch.hardswish($)")
                        .conv(8, 8, 5, 1, 8)
                        .norm(8)
                        .then("torch.hardswish($)")
                        .attention(8, "hardsigmoid")
                        .conv(8, 8, 1, 1, 1)
                        .head(8)
                        .then("torch.hardswish($)")
                        .linear(10, 10);
            }
        },
        EFFICIENTNET {
            @Override
            Net net() {
                return new Net()
                        .conv(3, 8, 3, 2, 1)
                        .norm(8)
                        .then("torch.silu($)")
                        .conv(8, 8, 5, 1, 8)
                        .norm(8)
                        .then("torch.silu($)")
                        .attention(8, "sigmoid")
                        .conv(8, 8, 1, 1, 1)
                        .head(8);
            }
        },
        SHUFFLENET {
            @Override
            Net net() {
                Net net = new Net().conv(3, 8, 3, 2, 1).then("torch.relu($)");
                String in = net.last();
                net.then("torch.slice(" + in + ", 1, 4, 8, 1)")
                        .conv(4, 4, 1, 1, 1)
                        .then("torch.relu($)")
                        .conv(4, 4, 3, 1, 4);
                return net.then("torch.cat([torch.slice(" + in + ", 1, 0, 4, 1), $], 1)")
                        .then("torch.view($, [1, 2, 4, 8, 8])")
                        .then("torch.contiguous(torch.transpose($, 1, 2))")
                        .then("torch.view($, [1, -1, 8, 8])")
                        .head(8);
            }
        },
        RESNEXT {
            @Override
            Net net() {
                return new Net()
                        .conv(3, 8, 3, 2, 1)
                        .then("torch.relu($)")
                        .conv(8, 8, 3, 1, 4)
                        .norm(8)
                        .then("torch.relu($)")
                        .head(8);
            }
        },
        REGNET {
            @Override
            Net net() {
                return new Net()
                        .conv(3, 8, 3, 2, 1)
                        .then("torch.relu($)")
                        .conv(8, 8, 3, 2, 2)
                        .then("torch.relu($)")
                        .attention(8, "sigmoid")
                        .head(8);
            }
        },
        CONVNEXT {
            @Override
            Net net() {
                Net net = new Net().conv(3, 8, 4, 4, 1);
                String in = net.last();
                net.conv(8, 8, 7, 1, 8)
                        .then("torch.permute($, [0, 2, 3, 1])")
                        .then("torch.layer_norm($, [8], " + net.constant(8) + ", " + net.constant(8)
                                + ", 1.0e-06, False)");
                net.linear(8, 16).then("torch.gelu($)").linear(16, 8).then("torch.permute($, [0, 3, 1, 2])");
                return net.then("torch.add(torch.mul($, 0.1), " + in + ")").head(8);
            }
        },
        VISION_TRANSFORMER {
            @Override
            Net net() {
                Net net = new Net();
                net.then("torch.conv2d($, " + net.constant(8, 3, 4, 4) + ", None, [4, 4], [0, 0], [1, 1], 1)");
                net.then("torch.permute(torch.reshape($, [1, 8, 16]), [0, 2, 1])")
                        .then("torch.cat([" + net.constant(1, 1, 8) + ", $], 1)");
                String in = net.last();
                net.then("torch.layer_norm($, [8], " + net.constant(8) + ", " + net.constant(8) + ", 1.0e-06, False)");
                String rows = net.last();
                net.linear(8, 8);
                String queries = net.last();
                net.then(rows).linear(8, 8);
                String keys = net.last();
                net.then(rows).linear(8, 8);
                net.then("torch.bmm(torch.softmax(torch.bmm(" + queries + ", torch.transpose(" + keys
                        + ", 1, 2)), 2), $)");
                return net.then("torch.add($, " + in + ")")
                        .then("torch.select($, 1, 0)")
                        .linear(8, 10);
            }
        };

        abstract Net net();
    }

    @ParameterizedTest
    @EnumSource
    void isWholeAtEveryLevel(Kind kind) {
        Net net = kind.net();
        String[] body = net.body();
        body[body.length - 1] = body[body.length - 1].substring(body[body.length - 1].indexOf('=') + 2);
        ScriptModule original = FreeUnderTest.module(net.constants, "Tensor", body);
        for (int android = 27; android <= 31; android++) {
            Conversion conversion = FreeUnderTest.at(android, original, IMAGE);
            assertTrue(
                    conversion.succeeded(), android + ": " + conversion.report().text());
            assertEquals(
                    List.of(),
                    conversion.refusals(),
                    android + ": " + conversion.report().text());
            FreeUnderTest.requireLevel(android, conversion);
            FreeUnderTest.compare(original, conversion, IMAGE);
        }
    }
}
