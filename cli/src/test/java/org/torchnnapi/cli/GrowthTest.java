package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** What a command takes grows no faster than the one thing of a model that there is more of. */
class GrowthTest {
    /** Twice as much, and something for hash tables that double. */
    private static final double MOST = 2.3;

    private static final long FREE_BYTES = 6 << 20;
    private static final long FREE_NANOS = 700_000_000;

    /** A machine that others share, and a compiler that begins again, make one run long, not each of these. */
    private static final int ROUNDS = 5;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path folder;

    /** A model's file, and what is more of in it. */
    private static final class Net {
        final StringBuilder members = new StringBuilder();
        final StringBuilder body = new StringBuilder();
        final StringBuilder others = new StringBuilder();
        final PickledDict state = new PickledDict(null).put("training", false);
        String name = "Net";
        String type = "Tensor";
        int files;

        Net body(String line) {
            body.append("    ").append(line).append('\n');
            return this;
        }

        void write(Path file) throws IOException {
            ArchiveWriter writer = new ArchiveWriter("net", 3)
                    .source(
                            "code/__torch__/net.py",
                            "class " + name
                                    + "(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
                                    + members + "  def forward(self: __torch__.net." + name + ",\n    x: Tensor) -> "
                                    + type + ":\n" + body + others)
                    .data(new PickledObject("__torch__.net." + name, state));
            for (int i = 0; i < files; i++) {
                writer.extra("notes/" + i, ByteBuffer.wrap(new byte[] {1}));
            }
            writer.write(file);
        }
    }

    private static String numbered(int count, String separator, IntFunction<String> each) {
        return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining(separator));
    }

    /** What there is more of, and how many there are first. */
    private enum Growing {
        LINES(400) {
            @Override
            void grow(Net net, int n) {
                for (int i = 0; i < n; i++) {
                    net.body("x = torch.add(x, 1.5)");
                }
                net.body("return x");
            }
        },
        LINKS(400) {
            @Override
            void grow(Net net, int n) {
                net.body("y = x");
                for (int i = 0; i < n; i++) {
                    net.body("y = torch.mul(y, x)");
                }
                net.body("return y");
            }
        },
        INPUTS_OF_AN_OPERATOR(1000) {
            @Override
            void grow(Net net, int n) {
                net.body("return torch.cat([" + numbered(n, ", ", i -> "x") + "], 0)");
            }
        },
        RESULTS(400) {
            @Override
            void grow(Net net, int n) {
                net.type = "List[Tensor]";
                net.body("return [" + numbered(n, ", ", i -> "torch.add(x, " + i + ".)") + "]");
            }
        },
        NUMBERS(2000) {
            @Override
            void grow(Net net, int n) {
                net.body("return torch.add(x, torch.len([" + numbered(n, ", ", i -> "" + i) + "]))");
            }
        },
        DIGITS(100_000) {
            @Override
            void grow(Net net, int n) {
                net.body("return torch.add(x, float(torch.ljust(\"0.1\", " + n + ", \"1\")))");
            }
        },
        CLASSES(300) {
            @Override
            void grow(Net net, int n) {
                for (int i = 0; i < n; i++) {
                    net.members
                            .append("  m")
                            .append(i)
                            .append(" : __torch__.net.C")
                            .append(i)
                            .append('\n');
                    net.others
                            .append("class C")
                            .append(i)
                            .append("(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n");
                    net.state.put(
                            "m" + i,
                            new PickledObject("__torch__.net.C" + i, new PickledDict(null).put("training", false)));
                }
                net.body("return torch.relu(x)");
            }
        },
        METHODS(300) {
            @Override
            void grow(Net net, int n) {
                for (int i = 0; i < n; i++) {
                    net.members
                            .append("  def m")
                            .append(i)
                            .append("(self: __torch__.net.Net, x: Tensor) -> Tensor:\n    return torch.relu(x)\n");
                    net.body("x = (self).m" + i + "(x, )");
                }
                net.body("return x");
            }
        },
        ATTRIBUTES(1000) {
            @Override
            void grow(Net net, int n) {
                for (int i = 0; i < n; i++) {
                    net.members.append("  a").append(i).append(" : int\n");
                    net.state.put("a" + i, (long) i);
                }
                net.body("return torch.relu(x)");
            }
        },
        NAMES(10_000) {
            @Override
            void grow(Net net, int n) {
                net.name = "N".repeat(n);
                net.members.append("  a : int\n");
                net.state.put("a", 1L);
                net.body("return torch.relu(x)");
            }
        },
        DEPTH(12) {
            @Override
            void grow(Net net, int n) {
                PickledDict at = net.state;
                net.members.append("  deeper : __torch__.net.C0\n");
                for (int i = 0; i < n; i++) {
                    PickledDict below = new PickledDict(null).put("training", false);
                    at.put("deeper", new PickledObject("__torch__.net.C" + i, below));
                    net.others
                            .append("class C")
                            .append(i)
                            .append("(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n")
                            .append(i + 1 < n ? "  deeper : __torch__.net.C" + (i + 1) + "\n" : "");
                    at = below;
                }
                net.body("return torch.relu(x)");
            }
        },
        BRANCHES(60) {
            @Override
            void grow(Net net, int n) {
                for (int i = 0; i < n; i++) {
                    net.body("if torch.gt(torch.dim(x), " + i + "):")
                            .body("  y" + i + " = torch.relu(x)")
                            .body("else:")
                            .body("  y" + i + " = x")
                            .body("x = y" + i);
                }
                net.body("return x");
            }
        },
        FILES(300) {
            @Override
            void grow(Net net, int n) {
                net.files = n;
                net.body("return torch.relu(x)");
            }
        };

        final int least;

        Growing(int least) {
            this.least = least;
        }

        abstract void grow(Net net, int n);
    }

    private record Cost(long bytes, long nanos) {
        boolean isMost(Cost of) {
            return bytes <= MOST * of.bytes + FREE_BYTES && nanos <= MOST * of.nanos + FREE_NANOS;
        }

        Cost least(Cost other) {
            return new Cost(Math.min(bytes, other.bytes), Math.min(nanos, other.nanos));
        }
    }

    private static Cost of(Object... words) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long nanos = THREADS.getCurrentThreadCpuTime();
        Run run = Run.of(words);
        Cost cost =
                new Cost(THREADS.getCurrentThreadAllocatedBytes() - bytes, THREADS.getCurrentThreadCpuTime() - nanos);
        assertTrue(run.code() <= 1 && run.err().length() < 4000, run.err());
        return cost;
    }

    private static boolean isSteep(List<Cost> costs) {
        return !costs.get(1).isMost(costs.get(0)) || !costs.get(2).isMost(costs.get(1));
    }

    private Cost cost(String command, Path file) {
        return of(
                switch (command) {
                    case "inspect" -> new Object[] {"inspect", file};
                    case "page" -> new Object[] {"inspect", file, "--html", folder.resolve("page.html")};
                    case "save" -> new Object[] {"save", file, "-o", folder.resolve("saved.ptl")};
                    case "convert" ->
                        new Object[] {"convert", file, "--input", "float32[1, 3]", "-o", folder.resolve("converted.pt")
                        };
                    default -> new Object[] {command, file, "--input", "float32[1, 3]"};
                });
    }

    @ParameterizedTest
    @EnumSource(Growing.class)
    void everyDoor(Growing growing) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int times : new int[] {1, 2, 4}) {
            Net net = new Net();
            growing.grow(net, times * growing.least);
            files.add(folder.resolve(times + ".pt"));
            net.write(files.get(files.size() - 1));
        }
        List<String> steep = new ArrayList<>();
        for (String command : List.of("inspect", "page", "run", "save", "explain", "convert")) {
            cost(command, files.get(0)); // the first run loads classes
            List<Cost> least = null;
            for (int round = 0; round < ROUNDS && (least == null || isSteep(least)); round++) {
                List<Cost> costs = new ArrayList<>();
                for (int i = 0; i < files.size(); i++) {
                    Cost cost = cost(command, files.get(i));
                    costs.add(least == null ? cost : cost.least(least.get(i)));
                }
                least = costs;
            }
            if (isSteep(least)) {
                steep.add(command + " " + least);
            }
        }
        assertEquals(List.of(), steep, Arrays.toString(files.toArray()));
    }
}
