package org.torchnnapi.operators.shape;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

class SampleShapesTest {
    private static final Random RANDOM = new Random(5);

    private static Tensor random(int... sizes) {
        float[] values = new float[Arrays.stream(sizes).reduce(1, (a, b) -> a * b)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) RANDOM.nextGaussian();
        }
        return Tensor.of(values, sizes);
    }

    private static Node node(String kind) {
        return new Graph().create(kind);
    }

    private static int upTo(int most) {
        return 1 + RANDOM.nextInt(most);
    }

    @Test
    void convolutionsHaveTheShapeThatIsComputed() {
        for (int i = 0; i < 40; i++) {
            Tensor x = random(upTo(2), 2, 5 + upTo(6), 5 + upTo(6));
            Tensor weight = random(upTo(3), 2, upTo(3), upTo(3));
            int[] numbers = {upTo(3), upTo(3), upTo(3) - 1, upTo(3) - 1, upTo(2), upTo(2)};
            Object[] arguments = {
                x,
                weight,
                null,
                ScriptList.ofInts(numbers[0], numbers[1]),
                ScriptList.ofInts(numbers[2], numbers[3]),
                ScriptList.ofInts(numbers[4], numbers[5]),
                1L
            };
            Operator conv2d = OperatorRegistry.standard().find("aten::conv2d");
            Tensor made = (Tensor) SampleShapes.zeros(node("aten::conv2d"), conv2d, arguments);
            assertArrayEquals(((Tensor) conv2d.kernel().call(arguments)).sizes(), made.sizes());
        }
    }

    /** The operator itself then says what is wrong, also where sizes are tried. */
    @Test
    void channelsThatAWeightDoesNotTakeHaveNoShape() {
        for (long groups : new long[] {1, 2}) {
            assertNull(SampleShapes.zeros(
                    node("aten::conv2d"), OperatorRegistry.standard().find("aten::conv2d"), new Object[] {
                        random(1, 3, 8, 8),
                        random(4, 2, 3, 3),
                        null,
                        ScriptList.ofInts(1, 1),
                        ScriptList.ofInts(0, 0),
                        ScriptList.ofInts(1, 1),
                        groups
                    }));
        }
    }

    @Test
    void productsHaveTheShapeThatIsComputed() {
        Tensor made = (Tensor) SampleShapes.zeros(
                node("aten::linear"),
                OperatorRegistry.standard().find("aten::linear"),
                new Object[] {random(2, 3, 4), random(5, 4), null});
        assertArrayEquals(new int[] {2, 3, 5}, made.sizes());
    }

    @Test
    void whatIsNotLegalIsComputedAndFails() {
        assertNull(SampleShapes.zeros(
                node("aten::linear"),
                OperatorRegistry.standard().find("aten::linear"),
                new Object[] {random(2, 3), random(5, 4), null}));
        ScriptList one = ScriptList.ofInts(1, 1);
        assertNull(SampleShapes.zeros(
                node("aten::conv2d"),
                OperatorRegistry.standard().find("aten::conv2d"),
                new Object[] {random(1, 2, 2, 2), random(1, 2, 5, 5), null, one, ScriptList.ofInts(0, 0), one, 1L}));
        assertNull(SampleShapes.zeros(
                node("aten::relu"), OperatorRegistry.standard().find("aten::relu"), new Object[] {random(2)}));
    }

    /** Of large planes a strip along each dimension is computed, or, where windows are wider than that, the plane. */
    @Test
    void windowsOverLargePlanesHaveTheShapeThatIsComputed() {
        for (int[] window : new int[][] {{3, 2, 1}, {5, 1, 2}, {7, 3, 0}, {60, 7, 0}}) {
            ScriptList kernel = ScriptList.ofInts(window[0], window[0]);
            ScriptList stride = ScriptList.ofInts(window[1], window[1] + 1);
            ScriptList padding = ScriptList.ofInts(window[2], window[2]);
            Operator operator = OperatorRegistry.standard().find("aten::max_pool2d_with_indices");
            Object[] arguments = {random(2, 3, 97, 130), kernel, stride, padding, ScriptList.ofInts(1, 1), false};
            Object[] made = (Object[]) SampleShapes.zeros(node("aten::max_pool2d_with_indices"), operator, arguments);
            Object[] computed = (Object[]) operator.kernel().call(arguments);
            for (int i = 0; i < computed.length; i++) {
                assertArrayEquals(((Tensor) computed[i]).sizes(), ((Tensor) made[i]).sizes());
                assertEquals(((Tensor) computed[i]).dtype(), ((Tensor) made[i]).dtype());
            }
        }
        Operator resize = OperatorRegistry.standard().find("aten::upsample_nearest2d.vec");
        Object[] arguments = {random(1, 2, 90, 100), ScriptList.ofInts(33, 260), null};
        assertArrayEquals(
                new int[] {1, 2, 33, 260},
                ((Tensor) SampleShapes.zeros(node("aten::upsample_nearest2d"), resize, arguments)).sizes());
    }

    /** Elements of large samples are not computed, but for one, which tells the dtype. */
    @Test
    void largeSamplesHaveTheShapeAndTheTypeThatAreComputed() {
        Tensor x = random(2, 40, 60, 2);
        Tensor row = random(60, 1);
        Tensor integers = Tensor.of(new int[] {3, 4}, 2);
        Tensor weight = random(40);
        assertLike("aten::relu", x);
        assertLike("aten::add.Tensor", x, row, 1L);
        assertLike("aten::add.Tensor", x, integers, 2L);
        assertLike("aten::mul.Scalar", x, 2.5);
        assertLike("aten::gt.Tensor", x, row);
        assertLike("aten::eq.Scalar", x, 0L);
        assertLike("aten::isnan", x);
        assertLike("aten::pow.Tensor_Scalar", x, 2L);
        assertLike("aten::where.self", Tensor.zeros(DType.BOOL, 60, 2), x, row);
        assertLike("aten::group_norm", x, 4L, weight, weight, 1e-5, false);
        assertLike("aten::batch_norm", x, weight, weight, weight, weight, false, 0.1, 1e-5, false);
        Operator inPlace = OperatorRegistry.standard().find("aten::relu_");
        assertSame(x, SampleShapes.zeros(node("aten::relu_"), inPlace, new Object[] {x}));
        Operator other = OperatorRegistry.standard().find("aten::contiguous");
        assertNull(
                SampleShapes.zeros(node("aten::contiguous"), other, new Object[] {x, 0L}),
                "what may be its argument is computed");
    }

    /** What moves windows, or resizes, is computed of one plane, in batches and without one. */
    @Test
    void largeImagesHaveTheShapeThatIsComputed() {
        Tensor images = random(2, 40, 13, 8);
        Tensor image = random(90, 13, 8);
        ScriptList three = ScriptList.ofInts(3, 3);
        ScriptList two = ScriptList.ofInts(2, 2);
        ScriptList one = ScriptList.ofInts(1, 1);
        for (Tensor in : List.of(images, image)) {
            assertLike("aten::max_pool2d", in, three, two, one, one, true);
            assertLike("aten::max_pool2d_with_indices", in, three, two, one, one, false);
            assertLike("aten::avg_pool2d", in, three, two, one, true, false, null);
            assertLike("aten::adaptive_avg_pool2d", in, ScriptList.ofInts(4, 5));
            assertLike("aten::adaptive_max_pool2d", in, ScriptList.ofInts(4, 5));
        }
        assertLike("aten::upsample_nearest2d.vec", images, ScriptList.ofInts(20, 9), null);
        assertLike("aten::upsample_bilinear2d", images, ScriptList.ofInts(20, 9), false, null, null);
        assertLike(
                "aten::max_pool3d",
                random(1, 6, 10, 13, 8),
                ScriptList.ofInts(2, 3, 3),
                ScriptList.ofInts(),
                ScriptList.ofInts(0, 0, 0),
                ScriptList.ofInts(1, 1, 1),
                false);
        assertLike(
                "aten::max_pool3d",
                random(6, 10, 13, 8),
                ScriptList.ofInts(2, 3, 3),
                ScriptList.ofInts(),
                ScriptList.ofInts(0, 0, 0),
                ScriptList.ofInts(1, 1, 1),
                false);
        assertLike(
                "aten::max_pool1d",
                random(2, 40, 90),
                ScriptList.ofInts(3),
                ScriptList.ofInts(2),
                ScriptList.ofInts(1),
                ScriptList.ofInts(1),
                false);
        assertLike(
                "aten::max_pool1d",
                random(60, 90),
                ScriptList.ofInts(3),
                ScriptList.ofInts(2),
                ScriptList.ofInts(1),
                ScriptList.ofInts(1),
                false);
    }

    @Test
    void whatIsJoinedOrReplacedHasTheShapeThatIsComputed() {
        Tensor x = random(2, 40, 60, 2);
        for (long dim : new long[] {1, -1, 3}) {
            assertLike("aten::cat", new ScriptList(Type.Basic.TENSOR, new ArrayList<>(List.of(x, x, x))), dim);
        }
        assertLike(
                "aten::cat", new ScriptList(Type.Basic.TENSOR, new ArrayList<>(List.of(x, random(2, 7, 60, 2)))), 1L);
        assertLike("aten::slice_scatter", x, random(2, 40, 50, 2), 2L, 0L, 50L, 1L);
        assertLike("aten::select_scatter", x, random(2, 40, 2), 2L, 5L);
        Operator cat = OperatorRegistry.standard().find("aten::cat");
        for (List<Object> unlike :
                List.<List<Object>>of(List.of(x, random(2, 7, 60)), List.of(x, random(2, 7, 50, 2)))) {
            assertNull(
                    SampleShapes.zeros(node("aten::cat"), cat, new Object[] {
                        new ScriptList(Type.Basic.TENSOR, new ArrayList<>(unlike)), 1L
                    }),
                    "what is refused is computed");
        }
    }

    /** Samples of many large images would fill the heap, which collects late what is large. */
    @Test
    void largeSamplesTakeNoMemory() {
        Object sample = SampleShapes.zeros(
                node("aten::conv2d"), OperatorRegistry.standard().find("aten::conv2d"), new Object[] {
                    random(1, 3, 40, 40),
                    random(8, 3, 3, 3),
                    null,
                    ScriptList.ofInts(1, 1),
                    ScriptList.ofInts(1, 1),
                    ScriptList.ofInts(1, 1),
                    1L
                });
        List<Tensor> samples = new ArrayList<>(List.of((Tensor) sample));
        Object[][] evaluator = {
            {"aten::relu"},
            {"aten::add.Tensor", sample, 1L},
            {
                "aten::max_pool2d",
                ScriptList.ofInts(2, 2),
                ScriptList.ofInts(1, 1),
                ScriptList.ofInts(0, 0),
                ScriptList.ofInts(1, 1),
                false
            }
        };
        for (Object[] call : evaluator) {
            Operator operator = OperatorRegistry.standard().find((String) call[0]);
            Object[] arguments = call.clone();
            arguments[0] = samples.get(samples.size() - 1);
            samples.add((Tensor) SampleShapes.zeros(node(operator.schema().name()), operator, arguments));
        }
        samples.forEach(made -> assertEquals(0, made.storage().heapBytes()));
        assertArrayEquals(new int[] {1, 8, 39, 39}, samples.get(3).sizes());
    }

    private static void assertLike(String name, Object... arguments) {
        Operator operator = OperatorRegistry.standard().find(name);
        List<Object> computed = results(operator.kernel().call(arguments.clone()));
        Object zeros = SampleShapes.zeros(node(operator.schema().name()), operator, arguments);
        if (zeros == null) {
            assertFalse(arguments[0] instanceof Tensor in && in.dtype() == DType.FLOAT32, name + " is computed");
            return;
        }
        List<Object> told = results(zeros);
        assertEquals(computed.size(), told.size(), name);
        for (int i = 0; i < told.size(); i++) {
            assertArrayEquals(((Tensor) computed.get(i)).sizes(), ((Tensor) told.get(i)).sizes(), name);
            assertEquals(((Tensor) computed.get(i)).dtype(), ((Tensor) told.get(i)).dtype(), name);
        }
    }

    private static List<Object> results(Object result) {
        return result instanceof Object[] several ? List.of(several) : List.of(result);
    }
}
