package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.partial.OperatorEvaluator;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * What a node makes of each byte of one quantized tensor, be it an operator of such tensors, or the last of several
 * that dequantize, compute element by element and quantize.
 *
 * @param source the tensor
 * @param in what its bytes stand for
 * @param out what the result's bytes stand for
 * @param results by the unsigned value of the byte, as PyTorch's operators give them
 * @param numbers constants that the operators take
 * @param operators their names
 */
record ByteFunction(
        Value source,
        Quantization.PerTensor in,
        Quantization.PerTensor out,
        byte[] results,
        TreeSet<Double> numbers,
        String operators) {
    /** What is made of more nodes is no activation. */
    private static final int MOST_NODES = 16;

    /** @return null where the node's result is no such function */
    static ByteFunction of(Node node, LoweringContext context) {
        if (!isBytes(node.output(), context)) {
            return null;
        }
        Evaluation evaluation = new Evaluation(context);
        Object made = evaluation.call(node);
        if (evaluation.source == null
                || !(made instanceof Tensor results)
                || results.numel() != ByteForm.BYTES
                || !results.quantization().equals(context.quantization(node.output()))
                || !context.keepsShape(evaluation.source, node.output())) {
            return null;
        }
        return new ByteFunction(
                evaluation.source,
                context.quantization(evaluation.source),
                context.quantization(node.output()),
                results.contiguous().storage().byteArray().clone(),
                evaluation.numbers,
                String.join(", ", evaluation.names));
    }

    private static boolean isBytes(Value value, LoweringContext context) {
        return context.isKnown(value)
                && context.facts(value).dtype() == DType.QUINT8
                && context.facts(value).quantization() instanceof Quantization.PerTensor;
    }

    /** Runs operators on all bytes. */
    private static final class Evaluation {
        private final LoweringContext context;
        private final Map<Value, Object> known = new IdentityHashMap<>();
        private final TreeSet<Double> numbers = new TreeSet<>();
        private final TreeSet<String> names = new TreeSet<>();
        private Value source;
        private int nodes;

        Evaluation(LoweringContext context) {
            this.context = context;
        }

        /** Null where it cannot be known. */
        Object call(Node node) {
            Optional<Operator> operator =
                    node.schema() == null ? Optional.empty() : OperatorEvaluator.operator(node.schema());
            if (!operator.isPresent()
                    || !ByteForm.isElementwise(node)
                    || node.schema().isMutating()
                    || node.outputs().size() != 1
                    || ++nodes > MOST_NODES) {
                return null;
            }
            Object[] arguments = new Object[node.inputs().size()];
            for (int i = 0; i < arguments.length; i++) {
                Value input = node.input(i);
                Optional<Literals.Literal> literal = Literals.of(input);
                arguments[i] = literal.isPresent() ? literal.get().value() : of(input);
                if (arguments[i] == null && !Literals.isNone(input)
                        || literal.isPresent() && arguments[i] instanceof Tensor tensor && tensor.numel() != 1) {
                    return null;
                }
                if (arguments[i] instanceof Number number
                        && !node.schema().arguments().get(i).name().startsWith("output_")) {
                    numbers.add(number.doubleValue());
                }
            }
            if (!QuantizeOperators.isStep(node)) {
                names.add(node.kind());
            }
            try {
                return operator.get().kernel().call(arguments);
            } catch (RuntimeException unfit) {
                return null;
            }
        }

        private Object of(Value value) {
            if (isBytes(value, context)) {
                if (source != null && source != value) {
                    return null;
                }
                source = value;
                return ByteForm.all(context.quantization(value));
            }
            if (known.containsKey(value)) {
                return known.get(value);
            }
            // What another segment computes comes in as it is.
            Object made = value.definition() != null && context.isLowered(value) ? call(value.definition()) : null;
            known.put(value, made);
            return made;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ByteFunction function
                && in.equals(function.in)
                && out.equals(function.out)
                && Arrays.equals(results, function.results);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(results);
    }
}
