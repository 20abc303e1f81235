package org.torchnnapi.operators.builtin;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.BinaryOperator;
import org.torchnnapi.operators.GraphEvaluator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Operators on {@code List[T]}. */
public final class ListOperators implements OperatorFamily {
    private static final int MAX_LENGTH = 1 << 26;
    /** What can be looked for in a list. */
    private static final String[] ELEMENTS = {"Tensor", "bool", "float", "int", "str"};

    /** As {@link #compare}, but a NaN comes last: sorting wants to know of every pair. */
    private static final Comparator<Object> ORDER = Comparator.<Object>comparingInt(
                    value -> value instanceof Double x && x.isNaN() ? 1 : 0)
            .thenComparing(ListOperators::compare);

    @Override
    public void register(Registrar r) {
        moving(r.with(OperatorTrait.MOVES_ITEMS));
        r.op("aten::Size(int[] sizes) -> int[]", in -> in[0]);
        for (String element : ELEMENTS) {
            search(r, element);
        }
        for (String element : new String[] {"int", "float", "bool", "str"}) {
            comparisons(r, element);
            sorting(r, element);
        }
        comparisons(r, "Tensor");
        sorting(r, "Tensor");
        sorting(r, "t");
        for (String element : new String[] {"int", "float", "bool"}) {
            extremes(r, "prim::min", element, -1);
            extremes(r, "prim::max", element, 1);
            r.op(
                    "aten::any." + element + "(" + element + "[] self) -> bool",
                    in -> items(in[0]).stream().anyMatch(x -> PythonNumbers.real(x) != 0));
            r.op(
                    "aten::all." + element + "(" + element + "[] self) -> bool",
                    in -> items(in[0]).stream().allMatch(x -> PythonNumbers.real(x) != 0));
        }
        r.op("aten::any.str(str[] self) -> bool", in -> items(in[0]).stream().anyMatch(x -> !((String) x).isEmpty()));
        r.op(
                "aten::sum.int(int[] self) -> int",
                in -> items(in[0]).stream().mapToLong(PythonNumbers::integer).sum());
        r.op(
                "aten::sum.bool(bool[] self) -> int",
                in -> items(in[0]).stream().mapToLong(PythonNumbers::integer).sum());
        r.op("aten::sum.float(float[] self) -> float", in -> {
            double sum = 0;
            for (Object item : items(in[0])) {
                sum += (Double) item;
            }
            return sum;
        });
    }

    private static void moving(Registrar r) {
        r.op("aten::len.any(Any[] a) -> int", in -> (long) list(in[0]).size());
        r.op("aten::len.t(t[] a) -> int", in -> (long) list(in[0]).size());
        r.op("aten::select.t(t[](a) list, int idx) -> t(*)", in -> items(in[0]).get(index(in[0], in[1])));
        r.op(
                "aten::__getitem__.t(t[](a) list, int idx) -> t(*)",
                in -> items(in[0]).get(index(in[0], in[1])));
        r.op("aten::_set_item.t(t[](a!) l, int idx, t el) -> t[](a!)", in -> {
            items(in[0]).set(index(in[0], in[1]), in[2]);
            return in[0];
        });
        r.op("aten::append.t(t[](a!) self, t el) -> t[](a!)", in -> {
            grow(in[0], 1);
            items(in[0]).add(in[1]);
            return in[0];
        });
        r.op("aten::insert.t(t[](a!) self, int idx, t el) -> ()", in -> {
            int size = items(in[0]).size();
            long at = (Long) in[1] < 0 ? (Long) in[1] + size : (Long) in[1];
            items(in[0]).add((int) Math.max(0, Math.min(size, at)), in[2]);
            return null;
        });
        r.op("aten::extend.t(t[](a!) self, t[] other) -> ()", in -> {
            extend(in[0], in[1]);
            return null;
        });
        r.op("aten::add.t(t[] a, t[] b) -> t[]", in -> extend(copy(in[0]), in[1]));
        r.op("aten::add_.t(t[](a!) self, t[] b) -> t[](a!)", in -> extend(in[0], in[1]));
        r.op("aten::pop.t(t[](a!) self, int idx=-1) -> t(*)", in -> {
            if (items(in[0]).isEmpty()) {
                throw new IllegalArgumentException("pop from empty list");
            }
            return items(in[0]).remove(index(in[0], in[1]));
        });
        r.op("aten::Delete.t(t[](a!) self, int idx) -> ()", in -> {
            items(in[0]).remove(index(in[0], in[1]));
            return null;
        });
        r.op("aten::clear.t(t[](a!) self) -> ()", in -> {
            items(in[0]).clear();
            return null;
        });
        r.op("aten::reverse.t(t[](a!) self) -> ()", in -> {
            Collections.reverse(items(in[0]));
            return null;
        });
        r.op("aten::copy.t(t[] self) -> t[]", in -> copy(in[0]));
        r.op("aten::list.t(t[] l) -> t[]", in -> copy(in[0]));
        r.op("aten::mul.left_t(t[] l, int n) -> t[]", in -> repeat(in[0], (Long) in[1]));
        r.op("aten::mul.right_(int n, t[] l) -> t[]", in -> repeat(in[1], (Long) in[0]));
        r.op("aten::mul_.t(t[](a!) l, int n) -> t[](a!)", in -> {
            List<Object> repeated = repeat(in[0], (Long) in[1]).items();
            items(in[0]).clear();
            items(in[0]).addAll(repeated);
            return in[0];
        });
        r.op("aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]", in -> {
            List<Object> items = items(in[0]);
            if (Long.valueOf(Long.MIN_VALUE).equals(in[3])) {
                throw new IllegalArgumentException("slice step: " + in[3] + " (expected: one that can be negated)");
            }
            return new ScriptList(
                    list(in[0]).elementType(),
                    PythonIndexing.slice(items.size(), in[1], in[2], (Long) in[3]).stream()
                            .map(items::get)
                            .collect(Streams.toList()));
        });
    }

    private static void search(Registrar r, String element) {
        r.op("aten::index.list_" + element + "(" + element + "[] self, " + element + " el) -> int", in -> {
            int at = position(items(in[0]), in[1]);
            if (at < 0) {
                throw new IllegalArgumentException("ValueError: '" + Text.of(in[1]) + "' is not in list");
            }
            return (long) at;
        });
        r.op(
                "aten::count." + element + "(" + element + "[] self, " + element + " el) -> int",
                in -> items(in[0]).stream()
                        .filter(x -> ScalarComparison.equal(x, in[1]))
                        .count());
        r.op("aten::remove." + element + "(" + element + "[](a!) self, " + element + " el) -> ()", in -> {
            int at = position(items(in[0]), in[1]);
            if (at < 0) {
                throw new IllegalArgumentException("list.remove(x): x not in list");
            }
            items(in[0]).remove(at);
            return null;
        });
        if (!element.equals("Tensor")) {
            r.op(
                    "aten::__contains__." + element + "_list(" + element + "[] l, " + element + " item) -> bool",
                    in -> position(items(in[0]), in[1]) >= 0);
        }
    }

    private static int position(List<Object> items, Object wanted) {
        for (int i = 0; i < items.size(); i++) {
            if (ScalarComparison.equal(items.get(i), wanted)) {
                return i;
            }
        }
        return -1;
    }

    private static void comparisons(Registrar r, String element) {
        String arguments = "." + element + "_list(" + element + "[] a, " + element + "[] b) -> bool";
        r.op("aten::eq" + arguments, in -> equal(items(in[0]), items(in[1])));
        r.op("aten::ne" + arguments, in -> !equal(items(in[0]), items(in[1])));
    }

    private static boolean equal(List<Object> a, List<Object> b) {
        boolean equal = a.size() == b.size();
        for (int i = 0; equal && i < a.size(); i++) {
            equal = ScalarComparison.equal(a.get(i), b.get(i));
        }
        return equal;
    }

    /** Which list is first, by the first elements that are not in the same place. */
    private static int compareLists(Object a, Object b) {
        List<Object> x = items(a);
        List<Object> y = items(b);
        for (int i = 0; i < x.size() && i < y.size(); i++) {
            int order = compare(x.get(i), y.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(x.size(), y.size());
    }

    /**
     * Strings in their natural order, numbers by value: neither of two zeros is first, nor is a NaN or what is compared
     * with one.
     */
    private static int compare(Object a, Object b) {
        if (a instanceof String x && b instanceof String y) {
            return x.compareTo(y);
        }
        if (a instanceof Long x && b instanceof Long y) {
            return Long.compare(x, y);
        }
        if (a instanceof ScriptTuple x && b instanceof ScriptTuple y) {
            return compareTuples(x, y);
        }
        if (a instanceof ScriptObject x) {
            return isLess(x, b) ? -1 : b instanceof ScriptObject y && isLess(y, a) ? 1 : 0;
        }
        if (a instanceof Tensor x && b instanceof Tensor y) {
            return compare(ConversionOperators.item(x), ConversionOperators.item(y));
        }
        double x = PythonNumbers.real(a);
        double y = PythonNumbers.real(b);
        return x < y ? -1 : x > y ? 1 : 0;
    }

    private static int compareTuples(ScriptTuple a, ScriptTuple b) {
        for (int i = 0; i < a.size() && i < b.size(); i++) {
            int order = compare(a.get(i), b.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(a.size(), b.size());
    }

    /** By the method that the class defines for it. */
    private static boolean isLess(ScriptObject a, Object b) {
        Function method = a.type().method("__lt__");
        if (method == null || method.schema().returns().get(0).type() != Type.Basic.BOOL) {
            throw new IllegalArgumentException(
                    "Only list of Tensors, ints, floats, bools, strs or a User Defined Class that defines the __lt__ "
                            + "compare "
                            + "method can be sorted, got list of " + a.type().name());
        }
        return Boolean.TRUE.equals(GraphEvaluator.run(method, a, b));
    }

    /** Fails for what has no order, however few there are, and for kinds that have none among them. */
    private static void checkSortable(List<Object> items) {
        items.forEach(ListOperators::checkSortable);
        for (int i = 1; i < items.size(); i++) {
            checkAlike(items.get(0), items.get(i));
        }
    }

    private static void checkAlike(Object a, Object b) {
        if (a instanceof ScriptTuple x && b instanceof ScriptTuple y && x.size() == y.size()) {
            for (int i = 0; i < x.size(); i++) {
                checkAlike(x.get(i), y.get(i));
            }
        } else if (a.getClass() != b.getClass() || a instanceof ScriptTuple) {
            throw new IllegalArgumentException("sort: " + RuntimeTypes.of(a).text() + " and "
                    + RuntimeTypes.of(b).text() + " (expected: items of one type)");
        }
    }

    private static void checkSortable(Object item) {
        if (item instanceof ScriptTuple tuple) {
            tuple.items().forEach(ListOperators::checkSortable);
        } else if (item instanceof ScriptObject object) {
            isLess(object, object);
        } else if (!(item instanceof Number
                || item instanceof Boolean
                || item instanceof String
                || item instanceof Tensor)) {
            throw new IllegalArgumentException(
                    "Only list of Tensors, ints, floats, bools, strs or a User Defined Class that defines the __lt__ "
                            + "compare "
                            + "method can be sorted, got list of "
                            + RuntimeTypes.of(item).text());
        }
    }

    private static void sorting(Registrar r, String element) {
        String name = element.equals("t") ? "any" : element;
        r.op("aten::sort." + name + "(" + element + "[](a!) self, bool reverse=False) -> ()", in -> {
            checkSortable(items(in[0]));
            items(in[0]).sort((Boolean) in[1] ? ORDER.reversed() : ORDER);
            return null;
        });
        r.op("aten::sorted." + name + "(" + element + "[] input) -> " + element + "[]", in -> {
            ScriptList sorted = copy(in[0]);
            checkSortable(sorted.items());
            sorted.items().sort(ORDER);
            return sorted;
        });
    }

    private static void extremes(Registrar r, String name, String element, int sign) {
        BinaryOperator<Object> better = (a, b) -> sign * compare(b, a) > 0 ? b : a;
        r.op(
                name + ".self_" + element + "(" + element + "[] self) -> " + element,
                in -> items(in[0]).stream()
                        .reduce(better)
                        .orElseThrow(() -> new IllegalArgumentException(
                                name.substring("prim::".length()) + "() arg is an empty sequence")));
        r.op(
                name + "." + element + "_list(" + element + "[] l, " + element + "[] r) -> " + element + "[]",
                in -> sign * compareLists(in[1], in[0]) > 0 ? in[1] : in[0]);
    }

    private static ScriptList list(Object value) {
        return (ScriptList) value;
    }

    private static List<Object> items(Object value) {
        return ((ScriptList) value).items();
    }

    private static int index(Object list, Object index) {
        return PythonIndexing.checked((Long) index, items(list).size(), "list");
    }

    private static ScriptList copy(Object list) {
        return new ScriptList(list(list).elementType(), items(list));
    }

    private static ScriptList extend(Object list, Object more) {
        grow(list, items(more).size());
        items(list).addAll(new ArrayList<>(items(more)));
        return list(list);
    }

    private static ScriptList repeat(Object list, long times) {
        ScriptList repeated = new ScriptList(list(list).elementType());
        int size = items(list).size();
        if (size > 0 && times > MAX_LENGTH / size) {
            throw tooLong((double) size * times);
        }
        for (long i = 0; i < times && size > 0; i++) {
            repeated.items().addAll(items(list));
        }
        return repeated;
    }

    /** A loop in a hostile file must not fill the memory with list elements. */
    private static void grow(Object list, int more) {
        if (items(list).size() > MAX_LENGTH - more) {
            throw tooLong((double) items(list).size() + more);
        }
    }

    private static IllegalArgumentException tooLong(double length) {
        return new IllegalArgumentException(
                "list length: " + (long) length + " (expected: at most " + MAX_LENGTH + ")");
    }
}
