package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;

/** The calls of a program that read sizes and numbers that differ, and compute with them. Confined to one thread. */
final class SizeCalls {
    private static final FunctionSchema.Argument A = FunctionSchema.Argument.of("a", Type.Basic.NUMBER);
    private static final FunctionSchema.Argument B = FunctionSchema.Argument.of("b", Type.Basic.NUMBER);
    private static final FunctionSchema.Argument S = FunctionSchema.Argument.of("s", Type.Basic.NUMBER);
    private static final FunctionSchema.Argument DTYPE =
            new FunctionSchema.Argument("dtype", Type.Basic.INT, true, false, null, false, null);
    private static final FunctionSchema.Argument SELF = FunctionSchema.Argument.of("self", Type.Basic.TENSOR);
    private static final FunctionSchema.Argument DIM = FunctionSchema.Argument.of("dim", Type.Basic.INT);
    private static final FunctionSchema.Argument OTHER = FunctionSchema.Argument.of("other", Type.Basic.NUMBER);
    private static final FunctionSchema.Argument MESSAGE = FunctionSchema.Argument.of("assert_msg", Type.Basic.STRING);
    private static final FunctionSchema.Argument TENSORS =
            FunctionSchema.Argument.of("tensors", Type.list(Type.Basic.TENSOR));

    /** A tensor among the arguments, and what guards call it. */
    record Leaf(GraphTensor tensor, String guardName) {}

    private final OpenSizes open;
    private final List<Leaf> tensors;
    private final SymbolValues symbols;
    /** By formula. */
    private final Map<Object, GraphNumber> numbers = new HashMap<>();
    /** What makes tensors in the place of constants, by these. */
    private final Map<GraphTensor, List<RecordedCall>> constants = new IdentityHashMap<>();

    private final List<RecordedCall> calls = new ArrayList<>();
    private final Set<GraphNumber> computed = new HashSet<>();

    SizeCalls(OpenSizes open, List<Leaf> tensors, SymbolValues symbols) {
        this.open = open;
        this.tensors = tensors;
        this.symbols = symbols;
    }

    /** An open size of an argument as Python reads it. */
    String read(int symbol) {
        OpenSizes.Place place = open.place(symbol);
        String size = tensors.get(place.tensor()).guardName() + ".size()[" + place.dimension() + "]";
        if (place.sum() != 0) {
            size = "(" + size + " - " + place.sum() + ")";
        }
        return place.factor() == 1 ? size : "(" + size + " // " + place.factor() + ")";
    }

    /**
     * All calls of the program: those that were recorded, with those that read sizes, compute with them and check them,
     * each behind what it takes.
     *
     * @param found the numbers that elements decide, in the order of the run
     */
    List<RecordedCall> among(
            List<RecordedCall> recorded,
            List<?> results,
            List<UnbackedNumber> found,
            List<SizeConditions.Check> checks) {
        for (int k = 0; k < open.backed(); k++) {
            compute(number(new Formula.OpenSize(k)));
        }
        Map<RecordedCall, List<Integer>> makers = new IdentityHashMap<>();
        for (int i = 0; i < found.size(); i++) {
            makers.computeIfAbsent(found.get(i).call(), key -> new ArrayList<>())
                    .add(i);
        }
        for (int i = 0; i <= recorded.size(); i++) {
            int position = i;
            checks.stream().filter(check -> check.before() == position).forEach(this::check);
            if (i < recorded.size()) {
                RecordedCall call = recorded.get(i);
                call.eachNumber(this::compute);
                call.eachArgument(tensor -> calls.addAll(constants.getOrDefault(tensor, List.of())));
                call.eachArgument(constants::remove);
                calls.add(call);
                makers.getOrDefault(call, List.of())
                        .forEach(k -> read(found.get(k), open.unbacked().get(k)));
            }
        }
        RecordedCall.eachNumber(results, this::compute);
        return calls;
    }

    /** Reads what elements decided; where its symbol is known already, it has to be the same. */
    private void read(UnbackedNumber found, int symbol) {
        Formula formula = new Formula.OpenSize(symbol);
        GraphNumber number = number(formula);
        if (computed.add(number)) {
            call(found, number);
        } else {
            GraphNumber other = GraphNumber.of(formula, symbols);
            call(found, other);
            check(NumberFacts.Kind.EQ, other, number, found.place());
        }
    }

    private void call(UnbackedNumber found, GraphNumber number) {
        if (found.tensor() == null) {
            found.call().results(List.of(number));
        } else {
            size(found.tensor(), found.dimension(), number);
        }
    }

    private void size(GraphTensor tensor, int dimension, GraphNumber number) {
        call("aten.sym_size.int", List.of(SELF, DIM), List.of(tensor, (long) dimension), number);
    }

    private void check(SizeConditions.Check check) {
        Object left = operand(check.left());
        Object right = operand(check.right());
        if (left instanceof GraphNumber number) {
            check(check.kind(), number, right, check.place());
        } else {
            check(check.kind().turned(), (GraphNumber) right, left, check.place());
        }
    }

    private void check(NumberFacts.Kind kind, GraphNumber left, Object right, SourceRange place) {
        GraphTensor number = GraphTensor.of(GraphTensor.Origin.RESULT, "", Tensor.of(new long[1]));
        add("aten.scalar_tensor.default", List.of(S, DTYPE), Arrays.asList(left, (long) DType.INT64.code()), number);
        GraphTensor holds = GraphTensor.of(GraphTensor.Origin.RESULT, "", Tensor.zeros(DType.BOOL));
        add(
                "aten." + kind.name().toLowerCase(Locale.ROOT) + ".Scalar",
                List.of(SELF, OTHER),
                List.of(number, right),
                holds);
        String message = "a size or number that elements decide" + (place.file() == null ? "" : ", at " + place)
                + ": the program holds where it is " + kind.python() + " "
                + (right instanceof Long limit ? limit : "another of its numbers");
        calls.add(new RecordedCall(
                "aten._assert_async.msg", List.of(SELF, MESSAGE), List.of(holds, message), place, true));
    }

    private void add(String target, List<FunctionSchema.Argument> formals, List<Object> arguments, GraphTensor result) {
        calls.add(made(target, formals, arguments, result));
    }

    private static RecordedCall made(
            String target, List<FunctionSchema.Argument> formals, List<Object> arguments, Object result) {
        RecordedCall call = new RecordedCall(target, formals, arguments, SourceRange.NONE, false);
        call.results(List.of(result));
        return call;
    }

    private void compute(GraphNumber number) {
        if (!computed.add(number)) {
            return;
        }
        if (number.real() != null) {
            real(number);
        } else if (number.whole() instanceof Formula.OpenSize size) {
            size(number, open.place(size.index()));
        } else if (number.whole() instanceof Formula.Sum sum) {
            python("_operator.add", number, operand(sum.left()), operand(sum.right()));
        } else if (number.whole() instanceof Formula.Product product) {
            python("_operator.mul", number, operand(product.left()), operand(product.right()));
        } else if (number.whole() instanceof Formula.Quotient quotient) {
            python("_operator.floordiv", number, operand(quotient.dividend()), quotient.divisor());
        }
    }

    private void size(GraphNumber number, OpenSizes.Place place) {
        Formula symbol = number.whole();
        Formula multiple = Formula.times(symbol, place.factor());
        Formula whole = Formula.plus(multiple, place.sum());
        GraphNumber read = whole.equals(symbol) ? number : number(whole);
        computed.add(read);
        size(tensors.get(place.tensor()).tensor(), place.dimension(), read);
        if (place.sum() != 0) {
            GraphNumber less = multiple.equals(symbol) ? number : number(multiple);
            computed.add(less);
            python("_operator.sub", less, read, place.sum());
            read = less;
        }
        if (place.factor() != 1) {
            python("_operator.floordiv", number, read, place.factor());
        }
    }

    private void real(GraphNumber number) {
        RealFormula formula = number.real();
        RealFormula plain = new RealFormula(1, formula.of(), false);
        GraphNumber of = formula.equals(plain) ? number : number(plain);
        if (of == number || computed.add(of)) {
            Object whole = operand(formula.of());
            call("torch.sym_float", List.of(A), List.of(whole), of);
        }
        if (of != number) {
            python(formula.divides() ? "_operator.truediv" : "_operator.mul", number, formula.factor(), of);
        }
    }

    GraphNumber number(Formula formula) {
        return numbers.computeIfAbsent(formula, key -> GraphNumber.of(formula, symbols));
    }

    GraphNumber number(RealFormula formula) {
        return numbers.computeIfAbsent(formula, key -> GraphNumber.of(formula, symbols));
    }

    private Object operand(Formula formula) {
        if (formula instanceof Formula.Number number) {
            return number.value();
        }
        GraphNumber made = number(formula);
        compute(made);
        return made;
    }

    private void python(String function, GraphNumber result, Object left, Object right) {
        call(function, List.of(A, B), List.of(left, right), result);
    }

    private void call(
            String target, List<FunctionSchema.Argument> formals, List<Object> arguments, GraphNumber result) {
        calls.add(made(target, formals, arguments, result));
    }

    /**
     * The tensor in the place of a constant some of whose elements follow from sizes; what makes it is called where it
     * is first taken.
     *
     * @param elements of no or one dimension
     */
    GraphTensor tensor(GraphTensor constant, List<Object> elements) {
        List<RecordedCall> making = new ArrayList<>();
        List<Object> scalars = new ArrayList<>();
        for (Object element : elements) {
            GraphTensor scalar = constant.like(new int[0]);
            long type = constant.stored().dtype().code();
            making.add(made("aten.scalar_tensor.default", List.of(S, DTYPE), Arrays.asList(element, type), scalar));
            scalars.add(scalar);
        }
        GraphTensor all =
                (GraphTensor) (constant.stored().rank() == 0 ? scalars.get(0) : constant.like(scalars.size()));
        if (constant.stored().rank() > 0) {
            making.add(made("aten.stack.default", List.of(TENSORS), List.of(scalars), all));
        }
        constants.put(all, making);
        return all;
    }
}
