package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * The model of a branch or of a loop's body, while its block is lowered. What it reads from around it becomes its
 * inputs.
 */
final class SubgraphModel implements LoweringContext.Inputs {
    private final LoweringContext outer;
    private final LoweringContext context;
    /** Values from around, as they are here. */
    private final Map<Value, OperandRef> captured = new LinkedHashMap<>();

    private final List<OperandRef> results = new ArrayList<>();
    private final Set<Integer> taken = new HashSet<>();

    SubgraphModel(LoweringContext outer) {
        this.outer = outer;
        this.context = outer.inner(this);
    }

    LoweringContext context() {
        return context;
    }

    Set<Value> captured() {
        return captured.keySet();
    }

    @Override
    public void declare(Value value, TensorFacts known, NnapiBuilder nnapi, Map<List<Integer>, OperandRef> forms) {
        int[] order = outer.order(value);
        OperandRef own = parameter(outer.in(value, order));
        forms.put(Arrays.stream(order).boxed().collect(Streams.toList()), own);
        captured.put(value, own);
    }

    /** An operand like one from around; it is an input once {@link #input} says so. */
    OperandRef parameter(OperandRef like) {
        TensorOperand operand =
                new TensorOperand(like.type(), like.dims(), OperandLayout.CONTIGUOUS, like.scale(), like.zeroPoint());
        OperandRef own = new OperandRef(
                context.nnapi().model().add(operand), like.type(), like.dims(), like.scale(), like.zeroPoint(), false);
        taken.add(own.id());
        return own;
    }

    void input(OperandRef parameter) {
        context.nnapi().model().addInput(parameter.id());
    }

    /** Makes a value from around an input, whether or not anything reads it here. */
    void inputOf(Value value) {
        context.in(value, outer.order(value));
        input(captured.get(value));
    }

    /** Lowers a block's nodes, or says why one of them or a result cannot be; null where all are lowered. */
    Reason lower(Block block) {
        for (Node node : block.nodes()) {
            if (NodeLowerings.isGlue(node)) {
                continue;
            }
            boolean number = node.blocks().isEmpty()
                    && node.outputs().size() == 1
                    && Numbers.isNumber(node.output().type());
            Reason reason = number ? Numbers.unsupported(node, context) : NodeLowerings.lower(node, context);
            if (reason != null) {
                return reason;
            }
            if (number) {
                context.number(node.output(), Numbers.lower(node, context));
            }
        }
        return block.results().stream()
                .filter(result -> !Numbers.isNumber(result.type()) && result.type() != Type.Basic.TENSOR)
                .map(result -> new Reason(
                        "branches and loops give tensors and numbers",
                        result.type().text(),
                        "a tensor, int, float or bool"))
                .findFirst()
                .orElse(null);
    }

    /** The next output; a copy where the model has it as an input, a constant or another output already. */
    void output(OperandRef term) {
        OperandRef own = term.isConstant() || !taken.add(term.id()) ? copy(term) : term;
        taken.add(own.id());
        context.nnapi().model().addOutput(own.id());
        results.add(own);
    }

    private OperandRef copy(OperandRef term) {
        NnapiBuilder nnapi = context.nnapi();
        return term.type() == OperandType.TENSOR_BOOL8
                ? nnapi.test(OperationType.LOGICAL_OR, term, term)
                : term.type() == OperandType.TENSOR_INT32 ? nnapi.add(term, nnapi.indices(0)) : nnapi.copy(term);
    }

    /** The value of a block's result. */
    OperandRef result(Value value) {
        return Numbers.isNumber(value.type()) ? context.computedNumber(value) : context.plain(value);
    }

    List<OperandRef> results() {
        return results;
    }

    ModelAssembler model() {
        return context.nnapi().model().pruned();
    }
}
