package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Complex numbers, which NNAPI lacks, as real and imaginary parts: an operator of them becomes operators of the parts,
 * and transforms become products with matrices ({@link FourierMatrices}). What remains complex, because nothing here
 * knows its reader, is put together again.
 */
final class ComplexNumbers {
    private final Graph graph;
    private final PartialEvaluation.Facts facts;
    private final Map<Value, Parts> known = new IdentityHashMap<>();
    private GraphCalls calls;
    private boolean changed;

    private ComplexNumbers(Graph graph, PartialEvaluation.Facts facts) {
        this.graph = graph;
        this.facts = facts;
    }

    /**
     * The parts of a tensor.
     *
     * @param imaginary null of real tensors
     */
    record Parts(Value real, Value imaginary) {}

    /** @return whether any node was replaced that NNAPI cannot take as it is */
    static boolean run(Graph graph, NodeSupport support) {
        ComplexNumbers numbers = new ComplexNumbers(graph, support.facts());
        numbers.run(graph.block(), support.refused());
        if (numbers.calls != null) {
            DeadCode.run(graph);
        }
        return numbers.changed;
    }

    private void run(Block block, Set<Node> refused) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(inner -> run(inner, refused));
            if (!refused.contains(node)
                    || node.outputs().size() != 1
                    || facts.of(node.output()) == null
                    || !concerns(node)) {
                continue;
            }
            calls = new GraphCalls(node);
            Parts made = made(node);
            if (made == null) {
                continue;
            }
            changed = true;
            Value whole =
                    made.imaginary() == null ? made.real() : calls.call("aten::complex", made.real(), made.imaginary());
            if (made.imaginary() != null) {
                known.put(whole, made);
            }
            facts.tensors().put(whole, List.of(facts.of(node.output())));
            node.output().replaceAllUsesWith(whole);
            node.destroy();
        }
    }

    /** Other than what the parts are put together with, and taken from. */
    private boolean concerns(Node node) {
        return !node.is("aten::complex")
                        && (isComplex(node.output()) || node.inputs().stream().anyMatch(this::isComplex))
                        && (!node.is("aten::real") && !node.is("aten::imag") || known.containsKey(node.input(0)))
                || node.is("aten::fft_rfft")
                || node.is("aten::fft_rfft2")
                || node.is("aten::fft_rfftn")
                || node.is("aten::stft");
    }

    private boolean isComplex(Value value) {
        TensorFacts fact = facts.of(value);
        if (fact != null) {
            return fact.dtype() == DType.COMPLEX64;
        }
        if (value.definition() != null && value.definition().is(Prim.LIST_CONSTRUCT)) {
            return value.definition().inputs().stream().anyMatch(this::isComplex);
        }
        return value.definition() != null
                && value.definition().is(Prim.CONSTANT)
                && value.definition().attribute("value") instanceof Tensor t
                && t.dtype() == DType.COMPLEX64;
    }

    private Parts parts(Value value) {
        if (!isComplex(value)) {
            return new Parts(value, null);
        }
        Parts found = known.get(value);
        Node source = value.definition();
        if (found == null && source != null && source.is("aten::complex")) {
            return new Parts(source.input(0), source.input(1));
        }
        return found != null ? found : new Parts(calls.call("aten::real", value), calls.call("aten::imag", value));
    }

    /** What replaces a node, or null. */
    private Parts made(Node node) {
        if (OperatorTrait.LINEAR.of(node)) {
            return linear(node);
        }
        switch (node.kind()) {
            case "aten::add":
            case "aten::sub":
                return sum(node);
            case "aten::mul":
            case "aten::matmul":
            case "aten::bmm":
            case "aten::mm":
            case "aten::einsum":
                return product(node);
            case "aten::conj":
            case "aten::_conj":
            case "aten::conj_physical":
                Parts x = parts(node.input(0));
                return new Parts(x.real(), calls.call("aten::neg", x.imaginary()));
            case "aten::real":
                return new Parts(parts(node.input(0)).real(), null);
            case "aten::imag":
                return new Parts(parts(node.input(0)).imaginary(), null);
            case "aten::view_as_real":
                return new Parts(
                        calls.call(
                                "aten::stack",
                                calls.list(List.of(
                                        parts(node.input(0)).real(),
                                        parts(node.input(0)).imaginary())),
                                -1),
                        null);
            case "aten::view_as_complex":
                return new Parts(
                        calls.call("aten::select.int", node.input(0), -1, 0),
                        calls.call("aten::select.int", node.input(0), -1, 1));
            case "aten::polar":
                return polar(node.input(0), node.input(1));
            case "aten::exp":
                return polar(
                        calls.call("aten::exp", parts(node.input(0)).real()),
                        parts(node.input(0)).imaginary());
            case "aten::abs":
                return new Parts(calls.call("aten::sqrt", power(parts(node.input(0)))), null);
            case "aten::angle":
                return new Parts(
                        calls.call(
                                "aten::atan2",
                                parts(node.input(0)).imaginary(),
                                parts(node.input(0)).real()),
                        null);
            case "aten::div":
                return quotient(node);
            default:
                return new FourierMatrices(calls, facts).made(node, this::parts);
        }
    }

    private Parts polar(Value length, Value angle) {
        return new Parts(times(length, calls.call("aten::cos", angle)), times(length, calls.call("aten::sin", angle)));
    }

    private Value times(Value a, Value b) {
        return calls.call("aten::mul.Tensor", a, b);
    }

    private Value power(Parts x) {
        return calls.call("aten::add.Tensor", times(x.real(), x.real()), times(x.imaginary(), x.imaginary()), 1);
    }

    /** The same on the real parts and on the imaginary ones; where an operand is real, of zeros. */
    private Parts linear(Node node) {
        if (!isComplex(node.output()) || !isComplex(node.input(0))) {
            return null;
        }
        boolean writes = node.kind().endsWith("_scatter");
        List<Value> real = new ArrayList<>();
        List<Value> imaginary = new ArrayList<>();
        for (Value input : node.inputs()) {
            Node source = input.definition();
            if (source != null && source.is(Prim.LIST_CONSTRUCT) && isComplex(input)) {
                List<Parts> all = source.inputs().stream().map(this::parts).collect(Streams.toList());
                real.add(calls.list(all.stream().map(Parts::real).collect(Streams.toList())));
                imaginary.add(calls.list(all.stream()
                        .map(p -> p.imaginary() == null ? calls.call("aten::mul.Scalar", p.real(), 0) : p.imaginary())
                        .collect(Streams.toList())));
            } else {
                Parts p = parts(input);
                real.add(p.real());
                imaginary.add(
                        p.imaginary() != null
                                ? p.imaginary()
                                : writes && input == node.input(1)
                                        ? calls.call("aten::mul.Scalar", p.real(), 0)
                                        : p.real());
            }
        }
        return new Parts(calls.again(node, real), calls.again(node, imaginary));
    }

    private Parts sum(Node node) {
        Parts a = parts(node.input(0));
        if (facts.of(node.input(1)) == null && !isTensor(node.input(1))) {
            return isNumber(node.input(1))
                    ? new Parts(
                            calls.again(
                                    node,
                                    node.inputs().stream()
                                            .map(v -> v == node.input(0) ? a.real() : v)
                                            .collect(Streams.toList())),
                            a.imaginary())
                    : null;
        }
        Parts b = parts(node.input(1));
        List<Value> rest = node.inputs().subList(2, node.inputs().size());
        int[] shape = facts.of(node.output()).shape();
        Value imaginary;
        if (a.imaginary() != null && b.imaginary() != null) {
            imaginary = calls.again(node, joined(a.imaginary(), b.imaginary(), rest));
        } else if (a.imaginary() != null) {
            imaginary = calls.call("aten::expand", a.imaginary(), shape, false);
        } else {
            imaginary = calls.call(
                    "aten::expand",
                    node.is("aten::sub") ? calls.call("aten::neg", b.imaginary()) : b.imaginary(),
                    shape,
                    false);
            if (!rest.isEmpty()) {
                imaginary = calls.call("aten::mul.Scalar", imaginary, rest.get(0));
            }
        }
        return new Parts(calls.again(node, joined(a.real(), b.real(), rest)), imaginary);
    }

    private static List<Value> joined(Value first, Value second, List<Value> rest) {
        List<Value> all = new ArrayList<>(Arrays.asList(first, second));
        all.addAll(rest);
        return all;
    }

    private static boolean isTensor(Value value) {
        return Literals.of(value)
                .map(literal -> literal.value() instanceof Tensor)
                .orElse(false);
    }

    private static boolean isNumber(Value value) {
        return Literals.of(value)
                .map(literal -> literal.value() instanceof Number)
                .orElse(false);
    }

    private Parts product(Node node) {
        boolean einsum = node.is("aten::einsum");
        List<Value> operands =
                einsum ? node.input(1).definition().inputs() : node.inputs().subList(0, 2);
        if (operands.size() != 2) {
            return null;
        }
        Parts a = parts(operands.get(0));
        if (!einsum && facts.of(operands.get(1)) == null && !isTensor(operands.get(1))) {
            return isNumber(operands.get(1))
                    ? new Parts(
                            calls.again(node, List.of(a.real(), operands.get(1))),
                            calls.again(node, List.of(a.imaginary(), operands.get(1))))
                    : null;
        }
        Parts b = parts(operands.get(1));
        if (a.imaginary() == null || b.imaginary() == null) {
            return new Parts(
                    times(node, a.real(), b.real()),
                    a.imaginary() == null
                            ? times(node, a.real(), b.imaginary())
                            : times(node, a.imaginary(), b.real()));
        }
        return new Parts(
                calls.call(
                        "aten::sub.Tensor",
                        times(node, a.real(), b.real()),
                        times(node, a.imaginary(), b.imaginary()),
                        1),
                calls.call(
                        "aten::add.Tensor",
                        times(node, a.real(), b.imaginary()),
                        times(node, a.imaginary(), b.real()),
                        1));
    }

    private Value times(Node node, Value a, Value b) {
        if (!node.is("aten::einsum")) {
            return calls.again(node, List.of(a, b));
        }
        List<Value> inputs = new ArrayList<>(node.inputs());
        inputs.set(1, calls.list(List.of(a, b)));
        return calls.again(node, inputs);
    }

    private Parts quotient(Node node) {
        Parts a = parts(node.input(0));
        if (node.inputs().size() != 2) {
            return null;
        }
        Parts b = parts(node.input(1));
        if (b.imaginary() == null) {
            boolean given = facts.of(node.input(1)) != null || isTensor(node.input(1)) || isNumber(node.input(1));
            return given
                    ? new Parts(
                            calls.again(node, List.of(a.real(), b.real())),
                            calls.again(node, List.of(a.imaginary(), b.real())))
                    : null;
        }
        Value length = power(b);
        Value real = times(a.real(), b.real());
        Value imaginary = calls.call("aten::neg", times(a.real(), b.imaginary()));
        if (a.imaginary() != null) {
            real = calls.call("aten::add.Tensor", real, times(a.imaginary(), b.imaginary()), 1);
            imaginary = calls.call("aten::add.Tensor", imaginary, times(a.imaginary(), b.real()), 1);
        }
        return new Parts(
                calls.call("aten::div.Tensor", real, length), calls.call("aten::div.Tensor", imaginary, length));
    }
}
