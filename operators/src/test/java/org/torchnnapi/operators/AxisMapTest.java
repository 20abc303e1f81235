package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.AxisMap.Axis;
import org.torchnnapi.operators.AxisMap.Operand;
import org.torchnnapi.operators.AxisMap.Role;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * What is said of dimensions holds for what the plain kernels compute, over random shapes, types and strides: where a
 * dimension follows one of the arguments', reordering the argument's slices reorders the result's, and changing one
 * slice changes that one alone.
 */
class AxisMapTest {
    private static final Set<OperatorTrait> RULES = Set.of(
            OperatorTrait.ELEMENTWISE,
            OperatorTrait.SAME_PLACES,
            OperatorTrait.CHANNELWISE,
            OperatorTrait.REDUCES,
            OperatorTrait.MIXES_ALONG,
            OperatorTrait.KEEPS_ORDER,
            OperatorTrait.VIEW,
            OperatorTrait.JOINS,
            OperatorTrait.MULTIPLIES_MATRICES,
            OperatorTrait.CONVOLVES,
            OperatorTrait.POOLS_REGIONS,
            OperatorTrait.LOOKS_UP,
            OperatorTrait.FILLS);
    /** No kernel of these is run: they draw, or show what lies in memory. */
    private static final Set<OperatorTrait> LEFT_OUT =
            Set.of(OperatorTrait.RANDOM, OperatorTrait.READS_MEMORY, OperatorTrait.ACTING, OperatorTrait.READS_STATE);

    private static final OperatorRegistry OPERATORS = OperatorRegistry.standard();

    private final Map<String, Integer> told = new HashMap<>();
    private final Map<String, Integer> followed = new HashMap<>();
    private final Map<String, String> wrong = new HashMap<>();

    @Test
    void whatIsSaidOfDimensionsIsTrueOfPlainKernels() {
        Random random = new Random(17);
        Set<String> silent = new TreeSet<>();
        int composites = 0;
        for (FunctionSchema schema : schemas()) {
            boolean ruled = schema.traits().stream().anyMatch(RULES::contains);
            if (!ruled && !OperatorTrait.COMPOSITE.of(schema)) {
                continue;
            }
            Operator operator = OPERATORS.find(schema.fullName());
            for (int turn = 0; turn < (ruled ? 40 : 12); turn++) {
                try {
                    check(operator, AxisCalls.arguments(schema, random), random);
                } catch (AssertionError e) {
                    wrong.putIfAbsent(schema.fullName(), e.getMessage());
                }
            }
            String name = schema.fullName();
            if (ruled && told.getOrDefault(name, 0) == 0) {
                silent.add(name);
            }
            composites += !ruled && followed.getOrDefault(name, 0) > 0 ? 1 : 0;
        }
        assertEquals(Map.of(), wrong);
        assertTrue(told.size() > 350, "operators whose dimensions are told: " + told.size());
        assertTrue(composites > 60, "composites whose dimensions follow those of others: " + composites);
        assertEquals(Set.of(), silent, "operators of which a rule tells nothing");
    }

    @Test
    void whatIsNotSaidToNeedElementsTakesNone() {
        Set<String> failing = new TreeSet<>();
        int tried = 0;
        for (FunctionSchema schema : schemas()) {
            // Places of elements that are not there are wrong places, not too few elements.
            if (schema.traits().stream().noneMatch(RULES::contains)
                    || OperatorTrait.NEEDS_ELEMENTS.of(schema)
                    || OperatorTrait.LOOKS_UP.of(schema)) {
                continue;
            }
            Operator operator = OPERATORS.find(schema.fullName());
            for (int seed = 0; seed < 20; seed++) {
                Object[] some = AxisCalls.rows(schema, new Random(seed), 3);
                Object[] none = AxisCalls.rows(schema, new Random(seed), 0);
                if (some != null && called(operator, some) != null) {
                    tried++;
                    if (called(operator, none) == null) {
                        failing.add(schema.fullName() + " of " + Arrays.toString(none));
                        break;
                    }
                }
            }
        }
        assertTrue(tried > 2000, "calls: " + tried);
        assertEquals(Set.of(), failing);
    }

    @Test
    void dimensionsThatDifferByThemselvesFollowNothing() {
        Operator numbered = composite(
                "test::numbered(Tensor self) -> Tensor",
                "return torch.mul(self, torch.unsqueeze(torch.arange(torch.size(self, 0)), 1))");
        AxisMap map = AxisMap.of(numbered, new Object[] {Tensor.of(new float[6], 3, 2)});
        assertEquals(List.of(new Axis(Role.REDUCED, -1), new Axis(Role.FOLLOWS, 1)), axes(map));
        Operator turned =
                composite("test::turned(Tensor self) -> Tensor", "return torch.add(self, torch.transpose(self, 0, 1))");
        map = AxisMap.of(turned, new Object[] {Tensor.of(new float[4], 2, 2)});
        assertEquals(List.of(new Axis(Role.REDUCED, -1), new Axis(Role.REDUCED, -1)), axes(map));
        Operator decided = composite(
                "test::decided(Tensor self) -> Tensor", "return torch.mul(self, torch.item(torch.sum(self)))");
        assertEquals(null, AxisMap.of(decided, new Object[] {Tensor.of(new float[4], 2, 2)}));
    }

    private static List<Axis> axes(AxisMap map) {
        return map.operands().get(0).axes();
    }

    private static Operator composite(String schema, String body) {
        OperatorRegistry registry = OperatorRegistry.withBuiltins().copy().add(List.of(r -> r.composite(schema, body)));
        return registry.find(schema.substring(0, schema.indexOf('(')));
    }

    private static List<FunctionSchema> schemas() {
        List<FunctionSchema> all = new ArrayList<>();
        for (String name : OPERATORS.names()) {
            for (FunctionSchema schema : OPERATORS.schemas(name)) {
                if (!schema.isMutating()
                        && name.startsWith("aten::") | name.startsWith("torchvision::")
                        && schema.traits().stream().noneMatch(LEFT_OUT::contains)
                        && !schema.returns().isEmpty()
                        && schema.returns().stream().allMatch(r -> r.type() == Type.Basic.TENSOR)) {
                    all.add(schema);
                }
            }
        }
        return all;
    }

    private static Tensor[] called(Operator operator, Object... arguments) {
        try {
            Object result = operator.kernel().call(arguments.clone());
            Object[] results = result instanceof Object[] several ? several : new Object[] {result};
            return Arrays.copyOf(results, results.length, Tensor[].class);
        } catch (RuntimeException refused) {
            return null;
        }
    }

    private void check(Operator operator, Object[] arguments, Random random) {
        Tensor[] results = arguments == null ? null : called(operator, arguments);
        if (results == null) {
            return;
        }
        AxisMap map = AxisMap.of(operator, arguments.clone());
        if (map == null) {
            return;
        }
        String name = operator.schema().fullName();
        String what = name + Arrays.toString(arguments) + " has " + map;
        for (Tensor result : results) {
            assertArrayEquals(result.sizes(), map.sizes(), what);
        }
        told.merge(name, 1, Integer::sum);
        boolean truths = Arrays.stream(arguments)
                .filter(Tensor.class::isInstance)
                .allMatch(argument -> ((Tensor) argument).dtype() == DType.BOOL);
        boolean combines = OperatorTrait.COMBINES_BITS.of(operator.schema())
                && truths
                && Arrays.stream(arguments).allMatch(Tensor.class::isInstance);
        if (OperatorTrait.TESTS.of(operator.schema()) || combines) {
            // any and all of uint8 are uint8, as in PyTorch.
            assertTrue(results[0].dtype() == DType.BOOL || results[0].dtype() == DType.UINT8, what);
            assertTrue(Arrays.stream(Elements.doubles(results[0])).allMatch(truth -> truth == 0 || truth == 1), what);
        }
        if (OperatorTrait.GIVES_PLACES.of(operator.schema())
                && arguments[operator.schema().indexOf("dim")] instanceof Long dim) {
            Tensor from = (Tensor) arguments[0];
            int size = from.rank() == 0 ? 1 : from.size((int) Math.floorMod(dim, (long) from.rank()));
            for (double place : Elements.doubles(results[results.length - 1])) {
                assertTrue(place >= 0 && place < size && place == Math.rint(place), what);
            }
        }
        for (int d = 0; d < map.sizes().length; d++) {
            if (map.sizes()[d] > 0 && follows(map, d)) {
                followed.merge(name, 1, Integer::sum);
                int[] order = AxisCalls.order(map.sizes()[d], random);
                int at = d;
                compare(
                        called(operator, changed(map, d, arguments, t -> t.reordered(order))),
                        results,
                        what,
                        t -> t.along(at).reordered(order));
                int place = random.nextInt(map.sizes()[d]);
                Tensor[] other = called(operator, changed(map, d, arguments, t -> t.filled(place, random)));
                compare(other, results, what, t -> t.along(at).filled(place, null));
            }
        }
    }

    private static boolean follows(AxisMap map, int dimension) {
        return map.operands().stream().anyMatch(operand -> operand.axes().contains(new Axis(Role.FOLLOWS, dimension)));
    }

    /** The arguments with another tensor for each that goes along a dimension of the result. */
    private static Object[] changed(
            AxisMap map, int dimension, Object[] arguments, java.util.function.UnaryOperator<Slices> change) {
        Object[] changed = arguments.clone();
        for (Operand operand : map.operands()) {
            for (int d = 0; d < operand.axes().size(); d++) {
                if (operand.axes().get(d).equals(new Axis(Role.FOLLOWS, dimension))) {
                    Object given = changed[operand.argument()];
                    Tensor old = (Tensor)
                            (operand.item() < 0
                                    ? given
                                    : ((ScriptList) given).items().get(operand.item()));
                    assertEquals(map.sizes()[dimension], old.size(d));
                    Tensor made = change.apply(Slices.of(old).along(d)).tensor();
                    if (operand.item() < 0) {
                        changed[operand.argument()] = made;
                    } else {
                        List<Object> items = new ArrayList<>(((ScriptList) given).items());
                        items.set(operand.item(), made);
                        changed[operand.argument()] = new ScriptList(((ScriptList) given).elementType(), items);
                    }
                }
            }
        }
        return changed;
    }

    /** Both after the same change; a call that refuses other elements than before tells nothing. */
    private static void compare(
            Tensor[] made, Tensor[] before, String what, java.util.function.UnaryOperator<Slices> change) {
        for (int i = 0; made != null && i < made.length; i++) {
            boolean filled = change.apply(Slices.of(before[i])).blank;
            double[] wanted = change.apply(Slices.of(before[i])).values;
            double[] found = filled ? change.apply(Slices.of(made[i])).values : Slices.of(made[i]).values;
            for (int k = 0; k < wanted.length; k++) {
                double tolerance = Double.isFinite(wanted[k]) ? 1e-3 * Math.max(1, Math.abs(wanted[k])) : 1e-3;
                assertEquals(wanted[k], found[k], tolerance, what);
            }
        }
    }

    /** Elements of a tensor in row-major order, to be changed along a dimension; independent of any kernel. */
    private static final class Slices {
        private final DType dtype;
        private final int[] sizes;
        private final double[] values;
        private final int dimension;
        private final boolean blank;

        private Slices(DType dtype, int[] sizes, double[] values, int dimension, boolean blank) {
            this.dtype = dtype;
            this.sizes = sizes;
            this.values = values;
            this.dimension = dimension;
            this.blank = blank;
        }

        static Slices of(Tensor tensor) {
            return new Slices(
                    tensor.dtype(), tensor.sizes(), Elements.doubles(tensor).clone(), -1, false);
        }

        Slices along(int other) {
            return new Slices(dtype, sizes, values, other, blank);
        }

        private int behind() {
            int behind = 1;
            for (int d = dimension + 1; d < sizes.length; d++) {
                behind *= sizes[d];
            }
            return behind;
        }

        Slices reordered(int... order) {
            double[] other = new double[values.length];
            int behind = behind();
            int size = sizes[dimension];
            for (int i = 0; i < other.length; i++) {
                int place = i / behind % size;
                other[i] = values[i + (order[place] - place) * behind];
            }
            return new Slices(dtype, sizes, other, dimension, blank);
        }

        /**
         * One slice of other elements, which are integers not above those that are there; of zeros without a source.
         */
        Slices filled(int place, Random random) {
            double[] other = values.clone();
            int most = (int)
                    Math.max(1, Arrays.stream(values).filter(x -> x < 9).max().orElse(1));
            for (int i = 0; i < other.length; i++) {
                if (i / behind() % sizes[dimension] == place) {
                    other[i] = random == null ? 0 : random.nextInt(most + 1);
                }
            }
            return new Slices(dtype, sizes, other, dimension, random == null);
        }

        Tensor tensor() {
            return Elements.ofDoubles(dtype, values, sizes);
        }
    }
}
