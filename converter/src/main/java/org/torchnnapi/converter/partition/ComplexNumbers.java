package org.torchnnapi.converter.partition;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.OperatorForms;
import org.torchnnapi.operators.passes.Decompose;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.Inlining;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.Complex;

/**
 * Complex numbers, which NNAPI lacks, as real and imaginary parts: an operator of them becomes what it is in operators
 * of the parts ({@link OperatorForms#complex}), a linear one works on both alike. What remains complex, because nothing
 * says its reader so, is put together again.
 */
final class ComplexNumbers {
    private static final String COMPLEX = "aten::complex";
    private static final String REAL = "aten::real";
    private static final String IMAGINARY = "aten::imag";
    /** Attribute of operators by which one of their own kind was said: these stay. */
    private static final String SAID = "said";

    private final PartialEvaluation.Facts facts;
    private boolean changed;

    private ComplexNumbers(PartialEvaluation.Facts facts) {
        this.facts = facts;
    }

    /** @return whether any node was replaced that NNAPI cannot take as it is */
    static boolean run(Graph graph, NodeSupport support) {
        ComplexNumbers numbers = new ComplexNumbers(support.facts());
        numbers.run(graph.block(), support.refused());
        if (numbers.changed) {
            DeadCode.run(graph);
        }
        return numbers.changed;
    }

    private void run(Block block, Set<Node> refused) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(inner -> run(inner, refused));
            TensorFacts known = refused.contains(node) && node.outputs().size() == 1 ? facts.of(node.output()) : null;
            Value made = known == null || node.attribute(SAID) != null ? null : made(node);
            if (made != null) {
                facts.tensors().put(made, List.of(known));
                node.output().replaceAllUsesWith(made);
                node.destroy();
                changed = true;
            }
        }
    }

    /** What replaces a node, or null. */
    private Value made(Node node) {
        if (node.is(REAL) || node.is(IMAGINARY)) {
            return part(node);
        }
        FunctionSchema schema = node.schema();
        if (schema == null
                || node.is(COMPLEX)
                || !isComplex(node.output())
                        && schema.indexOf("return_complex") < 0
                        && node.inputs().stream().noneMatch(this::isComplex)) {
            return null;
        }
        if (OperatorTrait.LINEAR.of(node)) {
            return linear(node);
        }
        Graph form = OperatorForms.complex(schema);
        if (form == null || !node.inputs().stream().allMatch(this::isKnown)) {
            return null;
        }
        return Inlining.before(node, form, inner -> {
                    Decompose.place(inner, node.range());
                    keep(inner, node.kind());
                })
                .get(0);
    }

    private static void keep(Block block, String kind) {
        for (Node node : block.nodes()) {
            if (node.is(kind)) {
                node.attribute(SAID, true);
            }
            node.blocks().forEach(inner -> keep(inner, kind));
        }
    }

    /** A part of what was put together of parts. */
    private Value part(Node node) {
        Node source = node.input(0).definition();
        Value part = source == null || !source.is(COMPLEX) ? null : source.input(node.is(REAL) ? 0 : 1);
        int[] own = part == null ? null : shape(part);
        if (own == null) {
            return null;
        }
        int[] shape = facts.of(node.output()).shape();
        return Arrays.equals(own, shape) ? part : NodeBuilder.before(node).tensor("aten::expand", part, shape, false);
    }

    /** What is known of a tensor's shape, or null; a constant has its own. */
    private int[] shape(Value value) {
        TensorFacts fact = facts.of(value);
        Node source = value.definition();
        boolean constant = fact == null
                && source != null
                && source.is(Prim.CONSTANT)
                && source.attribute("value") instanceof Tensor;
        return constant ? ((Tensor) source.attribute("value")).sizes() : fact == null ? null : fact.shape();
    }

    /** The same on the real parts and on the imaginary ones; where an operand is real, of zeros. */
    private Value linear(Node node) {
        if (!isComplex(node.output()) || !isComplex(node.input(0))) {
            return null;
        }
        NodeBuilder calls = NodeBuilder.before(node);
        return calls.tensor(
                COMPLEX,
                calls.again(node, parts(calls, REAL, node.inputs())),
                calls.again(node, parts(calls, IMAGINARY, node.inputs())));
    }

    private List<Value> parts(NodeBuilder calls, String part, List<Value> values) {
        return values.stream().map(value -> part(calls, part, value)).collect(Streams.toList());
    }

    private Value part(NodeBuilder calls, String part, Value value) {
        if (value.definition() != null && value.definition().is(Prim.LIST_CONSTRUCT) && isComplex(value)) {
            return calls.list(
                    Type.Basic.TENSOR,
                    parts(calls, part, value.definition().inputs()).toArray(new Value[0]));
        }
        if (isComplex(value)) {
            return calls.tensor(part, value);
        }
        boolean none = part.equals(IMAGINARY)
                && facts.of(value) != null
                && facts.of(value).dtype() == DType.FLOAT32;
        return none ? calls.tensor("aten::mul.Scalar", value, 0) : value;
    }

    private boolean isComplex(Value value) {
        TensorFacts fact = facts.of(value);
        if (fact != null) {
            return fact.dtype() == DType.COMPLEX64;
        }
        Node source = value.definition();
        return source != null
                && (source.is(Prim.LIST_CONSTRUCT)
                        ? source.inputs().stream().anyMatch(this::isComplex)
                        : source.is(Prim.CONSTANT)
                                && source.attribute("value") instanceof Tensor t
                                && t.dtype() == DType.COMPLEX64);
    }

    /** Tensors, lists of them, and constants but for complex numbers. */
    private boolean isKnown(Value value) {
        Node source = value.definition();
        return facts.of(value) != null
                || source != null
                        && source.is(Prim.LIST_CONSTRUCT)
                        && source.inputs().stream().allMatch(this::isKnown)
                || Literals.of(value)
                        .filter(literal -> !(literal.value() instanceof Complex))
                        .isPresent();
    }
}
