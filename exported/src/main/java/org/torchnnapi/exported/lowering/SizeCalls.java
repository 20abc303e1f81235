package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;

/** The calls of a program that read open sizes of its arguments and compute with them. Confined to one thread. */
final class SizeCalls {
    private static final FunctionSchema.Argument A = FunctionSchema.Argument.of("a", Type.Basic.NUMBER);
    private static final FunctionSchema.Argument B = FunctionSchema.Argument.of("b", Type.Basic.NUMBER);

    /** A tensor among the arguments, and what guards call it. */
    record Leaf(GraphTensor tensor, String guardName) {}

    private final OpenSizes open;
    private final List<Leaf> tensors;
    private final long[] sizes;
    private final Map<Object, GraphNumber> numbers;
    private final List<RecordedCall> calls = new ArrayList<>();
    private final Set<GraphNumber> computed = new HashSet<>();

    /**
     * @param sizes open ones of the example
     * @param numbers by formula; is added to
     */
    SizeCalls(OpenSizes open, List<Leaf> tensors, long[] sizes, Map<Object, GraphNumber> numbers) {
        this.open = open;
        this.tensors = tensors;
        this.sizes = sizes;
        this.numbers = numbers;
    }

    /** An open size as Python reads it of the arguments. */
    String read(int symbol) {
        OpenSizes.Place place = open.place(symbol);
        String size = tensors.get(place.tensor()).guardName() + ".size()[" + place.dimension() + "]";
        if (place.sum() != 0) {
            size = "(" + size + " - " + place.sum() + ")";
        }
        return place.factor() == 1 ? size : "(" + size + " // " + place.factor() + ")";
    }

    /** Calls that make numbers, each behind what it takes. */
    List<RecordedCall> computing(Collection<GraphNumber> wanted) {
        // Symbols that no size is come first: what reads them is the size, which may be wanted itself.
        for (OpenSizes.Place place : open.places()) {
            Formula symbol = new Formula.OpenSize(place.symbol());
            if (wanted.stream().anyMatch(number -> mentions(number, place.symbol()))) {
                compute(number(symbol));
            }
        }
        wanted.forEach(this::compute);
        return calls;
    }

    private static boolean mentions(GraphNumber number, int symbol) {
        return mentions(number.real() == null ? number.whole() : number.real().of(), symbol);
    }

    private static boolean mentions(Formula formula, int symbol) {
        if (formula instanceof Formula.Sum sum) {
            return mentions(sum.left(), symbol) || mentions(sum.right(), symbol);
        }
        if (formula instanceof Formula.Product product) {
            return mentions(product.left(), symbol) || mentions(product.right(), symbol);
        }
        return formula instanceof Formula.Quotient quotient
                ? mentions(quotient.dividend(), symbol)
                : formula.equals(new Formula.OpenSize(symbol));
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
        call(
                "aten.sym_size.int",
                List.of(
                        FunctionSchema.Argument.of("self", Type.Basic.TENSOR),
                        FunctionSchema.Argument.of("dim", Type.Basic.INT)),
                List.of(tensors.get(place.tensor()).tensor(), (long) place.dimension()),
                read);
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
        GraphNumber of =
                formula.equals(plain) ? number : numbers.computeIfAbsent(plain, key -> GraphNumber.of(plain, sizes));
        if (of == number || computed.add(of)) {
            Object whole = operand(formula.of());
            call("torch.sym_float", List.of(A), List.of(whole), of);
        }
        if (of != number) {
            python(formula.divides() ? "_operator.truediv" : "_operator.mul", number, formula.factor(), of);
        }
    }

    private GraphNumber number(Formula formula) {
        return numbers.computeIfAbsent(formula, key -> GraphNumber.of(formula, sizes));
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
        RecordedCall call = new RecordedCall(target, formals, arguments, SourceRange.NONE, false);
        call.results(List.of(result));
        calls.add(call);
    }

    /**
     * Calls that make the tensor that a constant would be.
     *
     * @param elements of no or one dimension
     * @param calls is added to
     */
    static GraphTensor tensor(GraphTensor constant, List<Object> elements, List<RecordedCall> calls) {
        List<Object> scalars = new ArrayList<>();
        for (Object element : elements) {
            GraphTensor scalar = constant.like(new int[0]);
            RecordedCall call = new RecordedCall(
                    "aten.scalar_tensor.default",
                    List.of(
                            FunctionSchema.Argument.of("s", Type.Basic.NUMBER),
                            new FunctionSchema.Argument("dtype", Type.Basic.INT, true, false, null, false, null)),
                    Arrays.asList(element, (long) constant.stored().dtype().code()),
                    SourceRange.NONE,
                    false);
            call.results(List.of(scalar));
            calls.add(call);
            scalars.add(scalar);
        }
        if (constant.stored().rank() == 0) {
            return (GraphTensor) scalars.get(0);
        }
        GraphTensor all = constant.like(new int[] {scalars.size()});
        RecordedCall stack = new RecordedCall(
                "aten.stack.default",
                List.of(FunctionSchema.Argument.of("tensors", Type.list(Type.Basic.TENSOR))),
                List.of(scalars),
                SourceRange.NONE,
                false);
        stack.results(List.of(all));
        calls.add(stack);
        return all;
    }
}
