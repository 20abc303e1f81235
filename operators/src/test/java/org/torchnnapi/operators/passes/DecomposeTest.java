package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class DecomposeTest {
    private static final Tensor IMAGE = ramp(2, 4, 4, 6);

    private static Tensor ramp(int... sizes) {
        float[] values = new float[(int) Shape.numel(sizes)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (Math.sin(i * 0.7) * 4 + i * 0.01);
        }
        return Tensor.of(values, sizes);
    }

    private static Operator find(String fullName) {
        Operator operator = OperatorRegistry.withBuiltins().find(fullName);
        assertNotNull(operator, fullName);
        return operator;
    }

    private static Object[] arguments(FunctionSchema schema, Object... given) {
        List<Object> all = new ArrayList<>(Arrays.asList(given));
        for (FunctionSchema.Argument argument :
                schema.arguments().subList(given.length, schema.arguments().size())) {
            all.add(argument.defaultValue());
        }
        return all.toArray();
    }

    private static void assertSame(String fullName, Object... given) {
        Operator operator = find(fullName);
        Object[] args = arguments(operator.schema(), given);
        Tensor plain = (Tensor) operator.kernel().call(args.clone());
        Tensor said = (Tensor) GraphEvaluator.run(operator.decomposition(), args.clone());
        assertArrayEquals(plain.sizes(), said.sizes(), fullName);
        assertEquals(plain.dtype(), said.dtype(), fullName);
        for (int i = 0; i < plain.numel(); i++) {
            double want = plain.getDouble(i);
            double far = Double.isInfinite(want) || Double.isNaN(want)
                    ? Double.MIN_VALUE
                    : 2e-5 * Math.max(1, Math.abs(want));
            assertEquals(want, said.getDouble(i), far, fullName + " element " + i);
        }
    }

    @Test
    void decompositionsMeanWhatTheKernelsCompute() {
        for (String name : List.of(
                "relu6",
                "silu",
                "mish",
                "hardswish",
                "hardsigmoid",
                "selu",
                "celu",
                "log_sigmoid",
                "softshrink",
                "hardshrink",
                "softplus",
                "glu",
                "gelu",
                "var",
                "std")) {
            assertSame("aten::" + name, IMAGE);
        }
        assertSame("aten::gelu", IMAGE, "tanh");
        assertSame("aten::threshold", IMAGE, 0.5, -2L);
        assertSame("aten::softplus", IMAGE, 2L, 20L);
        assertSame("aten::var.dim", IMAGE, ScriptList.ofInts(1, 3), false, true);
        assertSame("aten::std.correction", IMAGE, ScriptList.ofInts(0), 1L);
        assertSame("aten::pixel_shuffle", IMAGE, 2L);
        assertSame("aten::pixel_unshuffle", IMAGE, 2L);
        assertSame("aten::channel_shuffle", IMAGE, 2L);
        assertSame("aten::fliplr", IMAGE);
        assertSame("aten::layer_norm", IMAGE, ScriptList.ofInts(4, 6), ramp(4, 6), ramp(4, 6), 1e-3);
        assertSame("aten::layer_norm", IMAGE, ScriptList.ofInts(6));
        assertSame("aten::group_norm", IMAGE, 2L, ramp(4), ramp(4), 1e-3);
        assertSame("aten::group_norm", IMAGE, 4L);
        assertSame("aten::stack", new ScriptList(Type.Basic.TENSOR, List.of(IMAGE, IMAGE)), 1L);
        assertSame("aten::outer", ramp(3), ramp(4));
        assertSame("aten::inner", ramp(2, 3), ramp(4, 3));
        assertSame("aten::addmm", ramp(4), ramp(2, 3), ramp(3, 4), 2L, 0.5);
        assertSame("aten::addmm", ramp(4), ramp(2, 3), ramp(3, 4), 0L, 1L);
        assertSame("aten::baddbmm", ramp(2, 2, 4), ramp(2, 2, 3), ramp(2, 3, 4));
        assertSame("aten::addmv", ramp(2), ramp(2, 3), ramp(3));
    }

    private static Tensor truths(int... pattern) {
        Tensor made = Tensor.zeros(DType.BOOL, pattern.length);
        for (int i = 0; i < pattern.length; i++) {
            made.storage().byteArray()[i] = (byte) pattern[i];
        }
        return made;
    }

    @Test
    void thoseOfBlocksChoicesAndSigns() {
        assertSame("aten::block_diag", list(ramp(2, 3), ramp(4), ramp(1, 2)));
        assertSame("aten::cartesian_prod", list(ramp(2), ramp(3), ramp(4)));
        assertSame("aten::cartesian_prod", list(ramp(3)));
        assertSame("aten::combinations", ramp(5), 3L);
        assertSame("aten::combinations", ramp(4), 2L, true);
        Tensor signs = Tensor.of(new float[] {-0f, 0f, -2, 3, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY}, 6);
        assertSame("aten::copysign.Tensor", ramp(2, 6), signs);
        assertSame("aten::copysign.Tensor", Tensor.of(new long[] {3, -4}, 2), Tensor.of(new long[] {-1, 0}, 2));
        assertSame("aten::float_power.Tensor_Scalar", ramp(5), 2L);
        assertSame(
                "aten::float_power.Tensor_Tensor", Tensor.of(new long[] {2, 3}, 2), Tensor.of(new long[] {-2, 3}, 2));
        assertSame("aten::masked_scatter", ramp(3, 4), truths(1, 0, 0, 1), ramp(9));
        assertSame("aten::masked_scatter", ramp(1), truths(0, 1, 1, 0), ramp(2, 2));
        Tensor places = Tensor.of(new long[] {2, 0, 2, 1, 0, 1}, 2, 3);
        assertSame("aten::sparse_coo_tensor.indices_size", places, ramp(3), ScriptList.ofInts(3, 2));
        assertSame("aten::sparse_coo_tensor.indices_size", places, ramp(3, 4), ScriptList.ofInts(3, 2, 4));
        Tensor ends = Tensor.of(new long[] {0, 2, 2, 3, 0, 0, 1, 3}, 2, 4);
        Tensor across = Tensor.of(new long[] {0, 3, 1, 2, 0, 3}, 2, 3);
        String compressed = "aten::_sparse_compressed_tensor_unsafe";
        assertSame(compressed, ends, across, ramp(2, 3), ScriptList.ofInts(2, 3, 4), null, 2L);
        assertSame(compressed, ends, across, ramp(2, 3, 5), ScriptList.ofInts(2, 4, 3, 5), null, 4L);
        assertSame(compressed, ends, across, ramp(2, 3, 2, 3), ScriptList.ofInts(2, 6, 12), null, 5L);
        assertSame(compressed, ends, across, ramp(2, 3, 2, 3), ScriptList.ofInts(2, 8, 9), null, 6L);
        assertSame(
                "aten::sparse_csr_tensor.crow_col_value_size",
                Tensor.of(new long[] {0, 0}, 2),
                Tensor.of(new long[0], 0),
                ramp(0),
                ScriptList.ofInts(1, 4));
    }

    @Test
    void thoseThatCount() {
        assertSame("aten::histc", IMAGE, 7L, -2L, 3.5);
        assertSame("aten::histc", IMAGE, 5L, 0L, 0L);
        assertSame("aten::histc", Tensor.of(new float[] {2, 2, 2}, 3), 3L, 0L, 0L);
        Tensor votes = Tensor.of(new long[] {3, 1, 3, 1, 2, 0, 5, 5, -7, -7, 5, 1}, 2, 6);
        assertAllSame("aten::mode", votes);
        assertAllSame("aten::mode", votes, 0L, true);
        assertAllSame("aten::mode", Tensor.of(new float[] {2.5f, -1, -1, 2.5f, 0}, 5), -1L, true);
    }

    /** Matrices of norms from 0 to those that are halved as often as can be. */
    @Test
    void thatOfMatrices() {
        Tensor matrices =
                Tensor.of(new float[] {0, 0, 0, 0, 0.1f, -0.2f, 0.3f, 0.4f, 1, 2, -3, -1, 0, -40, 40, 0}, 4, 2, 2);
        Operator operator = find("aten::linalg_matrix_exp");
        Tensor plain = (Tensor) operator.kernel().call(new Object[] {matrices});
        Tensor said = (Tensor) GraphEvaluator.run(operator.decomposition(), new Object[] {matrices});
        for (int i = 0; i < plain.numel(); i++) {
            assertEquals(
                    plain.getDouble(i),
                    said.getDouble(i),
                    2e-4 * Math.max(1, Math.abs(plain.getDouble(i))),
                    "element " + i);
        }
    }

    @Test
    void thatOfMovedTaps() {
        // Of 5 by 6 places, with taps as far as two places apart: input, weight, offset, mask, bias; stride, padding,
        // dilation; groups; groups of offsets.
        assertSame(
                "torchvision::deform_conv2d",
                ramp(2, 4, 5, 6),
                ramp(6, 2, 3, 2),
                ramp(2, 24, 3, 6),
                ramp(2, 12, 3, 6),
                ramp(6),
                2L,
                1L,
                1L,
                1L,
                1L,
                2L,
                2L,
                2L,
                true);
        assertSame(
                "torchvision::deform_conv2d",
                ramp(1, 2, 5, 6),
                ramp(3, 2, 1, 1),
                ramp(1, 2, 5, 6),
                Tensor.zeros(DType.FLOAT32, 1, 1),
                ramp(3),
                1L,
                1L,
                0L,
                0L,
                1L,
                1L,
                1L,
                1L,
                false);
    }

    private static ScriptList list(Tensor... tensors) {
        return new ScriptList(Type.Basic.TENSOR, List.of(tensors));
    }

    private static List<Tensor> tensors(Object result) {
        if (result instanceof Tensor tensor) {
            return List.of(tensor);
        }
        List<?> items = result instanceof ScriptList list
                ? list.items()
                : result instanceof ScriptTuple tuple ? tuple.items() : List.of((Object[]) result);
        return items.stream().map(Tensor.class::cast).toList();
    }

    /** The same for operators of several results. */
    private static void assertAllSame(String fullName, Object... given) {
        Operator operator = find(fullName);
        Object[] args = arguments(operator.schema(), given);
        List<Tensor> plain = tensors(operator.kernel().call(args.clone()));
        List<Tensor> said = tensors(GraphEvaluator.run(operator.decomposition(), args.clone()));
        assertEquals(plain.size(), said.size(), fullName);
        for (int i = 0; i < plain.size(); i++) {
            assertArrayEquals(plain.get(i).sizes(), said.get(i).sizes(), fullName);
            assertEquals(plain.get(i).dtype(), said.get(i).dtype(), fullName);
            for (int at = 0; at < plain.get(i).numel(); at++) {
                assertEquals(
                        plain.get(i).getDouble(at),
                        said.get(i).getDouble(at),
                        2e-5 * Math.max(1, Math.abs(plain.get(i).getDouble(at))),
                        fullName);
            }
        }
    }

    @Test
    void shorthandsOfOneTensor() {
        Tensor parts = Tensor.of(new float[] {0.1f, 0.5f, 0.9f, 0.25f}, 2, 2);
        for (String name : List.of(
                "positive",
                "frac",
                "numpy_T",
                "frobenius_norm",
                "exp2",
                "deg2rad",
                "rad2deg",
                "sinc",
                "count_nonzero",
                "atleast_3d")) {
            assertSame("aten::" + name, IMAGE);
        }
        for (String name : List.of("atleast_1d", "atleast_2d", "atleast_3d")) {
            assertSame("aten::" + name, ramp());
            assertSame("aten::" + name, ramp(3));
        }
        assertSame("aten::logit", parts);
        assertSame("aten::logit", Tensor.of(new float[] {-1, 0, 2}, 3), 0.01);
        assertSame("aten::sinc", Tensor.of(new float[] {0, 1, 0.5f}, 3));
        assertSame("aten::trace", ramp(3, 4));
        for (long turns = -1; turns < 4; turns++) {
            assertSame("aten::rot90", IMAGE, turns, ScriptList.ofInts(-1, 1));
        }
        assertSame("aten::frobenius_norm.dim", IMAGE, ScriptList.ofInts(1, 2), true);
        assertSame("aten::count_nonzero.dim_IntList", IMAGE, ScriptList.ofInts(1, 2));
        assertSame("aten::diff", IMAGE, 2L, 1L);
        assertSame("aten::diff", IMAGE, 1L, -1L, IMAGE, IMAGE);
        assertAllSame("aten::var_mean", IMAGE);
        assertAllSame("aten::std_mean.dim", IMAGE, ScriptList.ofInts(1, 2), false, true);
        assertAllSame("aten::var_mean.correction", IMAGE, ScriptList.ofInts(3), 0L);
        assertAllSame("aten::aminmax", IMAGE, 2L, true);
        assertAllSame("aten::aminmax", IMAGE);
    }

    @Test
    void shorthandsOfSeveralTensors() {
        Tensor other = ramp(4, 1, 6);
        for (String name : List.of("mse_loss", "l1_loss")) {
            for (long reduction = 0; reduction < 3; reduction++) {
                assertSame("aten::" + name, IMAGE, IMAGE, reduction);
            }
        }
        for (String name : List.of("hypot", "logaddexp", "fmax", "fmin")) {
            assertSame("aten::" + name, IMAGE, other);
        }
        assertSame(
                "aten::fmax", Tensor.of(new float[] {Float.NaN, 1, 2}, 3), Tensor.of(new float[] {1, Float.NaN, 3}, 3));
        assertSame("aten::lerp.Scalar", IMAGE, other, 0.25);
        assertSame("aten::lerp.Tensor", IMAGE, other, other);
        assertSame("aten::addcmul", IMAGE, other, other, 2L);
        assertSame("aten::addcdiv", IMAGE, other, Tensor.of(new float[] {3}, 1), 2L);
        assertSame("aten::addr", ramp(3, 4), ramp(3), ramp(4), 2L, 0.5);
        assertSame("aten::cdist", ramp(2, 5, 3), ramp(2, 4, 3));
        assertSame("aten::cdist", ramp(5, 3), ramp(4, 3), 1.0);
        assertSame("aten::dist", IMAGE, other);
        assertSame("aten::cross", ramp(4, 3, 3), ramp(4, 3, 3));
        assertSame("aten::linalg_cross", ramp(4, 3), ramp(4, 3));
        Tensor places = Tensor.of(new long[] {0, 2, -1, 1, 5, 3}, 2, 3);
        assertSame("aten::take", ramp(3, 4), places);
        assertSame("aten::take_along_dim", ramp(2, 6), Tensor.of(new long[] {0, 2, 1}, 1, 3), 1L);
        assertSame("aten::take_along_dim", ramp(2, 6), Tensor.of(new long[] {0, 2, 11}, 3));
        assertSame("aten::bucketize.Tensor", IMAGE, Tensor.of(new float[] {-1, 0, 2}, 3));
        assertSame(
                "aten::bucketize.Tensor",
                Tensor.of(new float[] {-1, 0, 2, 3}, 2, 2),
                Tensor.of(new float[] {-1, 0, 2}, 3),
                true,
                true);
        for (String name : List.of("hstack", "vstack", "dstack", "column_stack")) {
            assertSame("aten::" + name, list(ramp(3), ramp(3)));
            assertSame("aten::" + name, list(ramp(3, 4), ramp(3, 4)));
        }
        assertAllSame("aten::meshgrid", list(ramp(3), ramp(4)));
        assertAllSame("aten::meshgrid.indexing", list(ramp(3), ramp(4), ramp(2)), "xy");
        assertSame(
                "aten::_convolution_mode",
                ramp(1, 3, 7, 8),
                ramp(2, 3, 3, 4),
                ramp(2),
                ScriptList.ofInts(1, 1),
                "same",
                ScriptList.ofInts(1, 2),
                1L);
        assertSame(
                "aten::_convolution_mode",
                ramp(1, 3, 7),
                ramp(2, 3, 3),
                null,
                ScriptList.ofInts(2),
                "valid",
                ScriptList.ofInts(1),
                1L);
    }

    @Test
    void lossesOfNumbers() {
        Tensor signs = Tensor.of(new float[] {1, -1, 1, 1, -1, 1, -1, 1}, 2, 4);
        Tensor parts = Tensor.of(new float[] {0, 0.25f, 0.5f, 1, 0.1f, 0.9f, 0.75f, 0}, 2, 4);
        Tensor x = ramp(2, 4);
        Tensor y = ramp(8, 4).asStrided(new int[] {2, 4}, new int[] {4, 1}, 12);
        for (long reduction = 0; reduction < 3; reduction++) {
            assertSame("aten::smooth_l1_loss", x, y, reduction, 0.75);
            assertSame("aten::smooth_l1_loss", x, y, reduction, 0.0);
            assertSame("aten::huber_loss", x, y, reduction, 1.5);
            assertSame("aten::binary_cross_entropy", parts, signs, x, reduction);
            assertSame(
                    "aten::binary_cross_entropy",
                    Tensor.of(new float[] {0, 1, 0.5f}, 3),
                    Tensor.of(new float[] {1, 0, 1}, 3),
                    null,
                    reduction);
            assertSame("aten::binary_cross_entropy_with_logits", x, parts, null, null, reduction);
            assertSame("aten::binary_cross_entropy_with_logits", x, parts, y, ramp(4), reduction);
            assertSame("aten::margin_ranking_loss", x, y, signs, 0.5, reduction);
            assertSame("aten::hinge_embedding_loss", x, signs, 1.25, reduction);
            assertSame("aten::cosine_embedding_loss", x, y, Tensor.of(new float[] {1, -1}, 2), -0.5, reduction);
            assertSame("aten::triplet_margin_loss", x, y, signs, 1.0, 2.0, 1e-6, false, reduction);
            assertSame("aten::triplet_margin_loss", x, y, signs, 0.5, 1.0, 1e-6, true, reduction);
        }
    }

    @Test
    void lossesOfClasses() {
        Tensor x = ramp(3, 4);
        Tensor targets = Tensor.of(new long[] {1, -100, 3}, 3);
        Tensor pixels = Tensor.of(new long[] {0, 1, 2, 2, 1, 3}, 2, 3);
        Tensor labels = Tensor.of(new long[] {3, 0, -1, 1, -1, 2, 2, 0, 0, 1, 2, 3}, 3, 4);
        Tensor chances = Tensor.of(new float[] {0.5f, 0.5f, 0, 0, 0.25f, 0.25f, 0.25f, 0.25f, 0, 0, 1, 0}, 3, 4);
        for (long reduction = 0; reduction < 3; reduction++) {
            for (Tensor weight : new Tensor[] {null, Tensor.of(new float[] {1, 2, 0.5f, 3}, 4)}) {
                assertSame("aten::nll_loss_nd", x, targets, weight, reduction);
                assertSame("aten::nll_loss", ramp(4), Tensor.of(new long[] {2}, new int[0]), weight, reduction);
                assertSame("aten::cross_entropy_loss", x, targets, weight, reduction);
                assertSame("aten::cross_entropy_loss", x, targets, weight, reduction, -100L, 0.125);
                assertSame("aten::cross_entropy_loss", x, chances, weight, reduction, -100L, 0.25);
                assertSame(
                        "aten::cross_entropy_loss",
                        ramp(4),
                        Tensor.of(new float[] {0, 0.5f, 0.5f, 0}, 4),
                        weight,
                        reduction);
                Tensor classes = Tensor.of(new long[] {1, 0, 3}, 3);
                assertSame("aten::multi_margin_loss", x, classes, 1L, 1L, weight, reduction);
                assertSame("aten::multi_margin_loss", x, classes, 2L, 0.5, weight, reduction);
            }
            assertSame("aten::cross_entropy_loss", ramp(2, 4, 3), pixels, ramp(4), reduction, 1L, 0.125);
            assertSame("aten::multilabel_margin_loss", x, labels, reduction);
            assertSame("aten::multilabel_margin_loss", ramp(4), Tensor.of(new long[] {1, 3, -1, 0}, 4), reduction);
        }
    }

    @Test
    void whatIsNoNumber() {
        Tensor odd =
                Tensor.of(new float[] {0, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -2, 3}, 2, 3);
        Tensor other = Tensor.of(new float[] {0, 1, 2, Float.NaN, 0, 3}, 2, 3);
        for (String name : List.of("nan_to_num", "isposinf", "isneginf", "nansum", "nanmean", "special_entr")) {
            assertSame("aten::" + name, odd);
        }
        assertSame("aten::nansum", odd, ScriptList.ofInts(0), true);
        assertSame("aten::nan_to_num", odd, 1.0, 10.0, -10.0);
        assertSame(
                "aten::nan_to_num", Tensor.of(DType.FLOAT64, new double[] {Double.NaN, Double.POSITIVE_INFINITY}, 2));
        assertSame("aten::nan_to_num", Tensor.of(new long[] {1, 2}, 2));
        for (String name : List.of("xlogy", "special_xlog1py")) {
            String tensors = name.equals("xlogy") ? "aten::xlogy.Tensor" : "aten::" + name;
            assertSame(tensors, odd, other);
            assertSame(tensors, other, odd);
            boolean plain = name.equals("xlogy");
            assertSame("aten::" + name + (plain ? ".Scalar_Self" : ".self_scalar"), 0L, other);
            assertSame(
                    "aten::" + name + (plain ? ".Scalar_Other" : ".other_scalar"),
                    Tensor.of(new long[] {0, 2}, 2),
                    2.5);
        }
        assertSame("aten::heaviside", odd, other);
        assertSame("aten::logaddexp", odd, odd);
        assertSame("aten::logaddexp2", odd, other);
        for (boolean equal : new boolean[] {false, true}) {
            assertSame("aten::isclose", odd, other, 1e-5, 1e-8, equal);
            assertSame("aten::isclose", odd, odd, 1e-5, 1e-8, equal);
            assertSame("aten::isin.Tensor_Tensor", odd, Tensor.of(new float[] {3, 0}, 2), false, equal);
            assertSame("aten::isin.Tensor_Scalar", odd, 3L, false, equal);
        }
        assertSame("aten::special_ndtr", IMAGE);
    }

    @Test
    void quantilesAndAreas() {
        Tensor x = ramp(3, 7);
        Tensor gaps = Tensor.of(new float[] {5, Float.NaN, 1, 2, 4, 3, 1, 2, 8, Float.NaN, Float.NaN, Float.NaN}, 3, 4);
        for (String between : List.of("linear", "lower", "higher", "nearest", "midpoint")) {
            for (String name : List.of("quantile", "nanquantile")) {
                for (Tensor t : List.of(x, gaps)) {
                    assertSame("aten::" + name + ".scalar", t, 0.3, 1L, false, between);
                    assertSame("aten::" + name + ".scalar", t, 0.7, null, true, between);
                    assertSame("aten::" + name, t, Tensor.of(new float[] {0, 0.4f, 1}, 3), -2L, true, between);
                }
            }
        }
        assertSame("aten::quantile", x, Tensor.of(new float[] {0.25f}, new int[0]));
        for (String name : List.of("trapezoid", "trapz", "cumulative_trapezoid")) {
            assertSame("aten::" + name + ".dx", x, 0.5, 0L);
            assertSame("aten::" + name + ".x", x, Tensor.of(new float[] {0, 2, 3}, 3), 0L);
            assertSame("aten::" + name + ".x", x, ramp(3, 7), -1L);
        }
        assertSame("aten::msort", x);
        assertSame("aten::diagflat", x, -2L);
        assertSame("aten::fake_quantize_per_tensor_affine", x, 0.25, 3L, 0L, 15L);
        assertAllSame("aten::broadcast_tensors", list(ramp(3, 1), ramp(4), ramp(2, 1, 1)));
    }

    /** Each body is TorchScript of operators there are, with results of the types that the schema says. */
    @Test
    void everyDecompositionCompiles() {
        int count = 0;
        for (String name : OperatorRegistry.withBuiltins().names()) {
            for (Operator operator : OperatorRegistry.withBuiltins().overloads(name)) {
                Function function = operator.decomposition();
                assertEquals(function != null, OperatorTrait.COMPOSITE.of(operator.schema()), name);
                if (function != null) {
                    GraphVerifier.verify(function.graph());
                    assertResolved(
                            operator.schema().fullName(), function.graph().block());
                    count++;
                }
            }
        }
        assertTrue(count > 100, "composites: " + count);
    }

    private static void assertResolved(String name, Block block) {
        for (Node node : block.nodes()) {
            assertFalse(
                    node.attributes().containsKey("unresolved"),
                    () -> name + ": " + node.kind() + ": " + node.attribute("unresolved"));
            node.blocks().forEach(inner -> assertResolved(name, inner));
        }
    }

    /** Decompositions end: none leads back to its own operator. */
    @Test
    void noOperatorIsSaidInItself() {
        Map<String, Set<String>> said = new TreeMap<>();
        for (String name : OperatorRegistry.withBuiltins().names()) {
            for (Operator operator : OperatorRegistry.withBuiltins().overloads(name)) {
                if (operator.decomposition() != null) {
                    said.put(
                            operator.schema().fullName(),
                            names(operator.decomposition().graph().block(), new TreeSet<>()));
                }
            }
        }
        said.forEach((name, parts) -> {
            Set<String> reached = new TreeSet<>();
            List<String> open = new ArrayList<>(parts);
            while (!open.isEmpty()) {
                String part = open.remove(open.size() - 1);
                if (reached.add(part)) {
                    open.addAll(said.getOrDefault(part, Set.of()));
                }
            }
            assertFalse(reached.contains(name), name);
        });
    }

    private static Set<String> names(Block block, Set<String> names) {
        for (Node node : block.nodes()) {
            if (node.schema() != null) {
                names.add(node.schema().fullName());
            }
            node.blocks().forEach(inner -> names(inner, names));
        }
        return names;
    }

    private static Graph calling(String fullName) {
        Graph graph = new Graph();
        Operator operator = find(fullName);
        Node node = graph.create(operator.schema().name()).schema(operator.schema());
        for (FunctionSchema.Argument argument : operator.schema().arguments()) {
            node.addInput(graph.addInput(argument.type(), argument.name()));
        }
        Value out = node.addOutput(Type.Basic.TENSOR);
        graph.block().append(node);
        graph.block().addResult(out);
        return graph;
    }

    private static Set<String> kinds(Graph graph) {
        Set<String> kinds = new TreeSet<>();
        graph.block().nodes().forEach(node -> kinds.add(node.kind()));
        kinds.remove("prim::Constant");
        return kinds;
    }

    @Test
    void compositesGoDownToWhatIsKept() {
        Graph all = calling("aten::hardswish");
        assertTrue(Decompose.run(all, node -> false));
        GraphVerifier.verify(all);
        assertEquals(Set.of("aten::add", "aten::hardtanh", "aten::mul", "aten::div"), kinds(all));
        Graph some = calling("aten::hardswish");
        assertTrue(Decompose.run(some, node -> node.is("aten::relu6")));
        GraphVerifier.verify(some);
        assertEquals(Set.of("aten::add", "aten::relu6", "aten::mul", "aten::div"), kinds(some));
        Graph none = calling("aten::hardswish");
        assertFalse(Decompose.run(none, node -> node.is("aten::hardswish")));
        assertFalse(Decompose.run(calling("aten::relu"), node -> false));
    }
}
