package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.ModelAssembler;
import org.torchnnapi.converter.lower.OperandLayout;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.converter.lower.TensorOperand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** The model of a branch or of a loop's body, while its block is lowered. What it reads from around it becomes its inputs. */
final class InnerModel implements Scope.Inputs {
    private final Scope outer;
    private final Scope scope;
    /** Values from around, as they are here. */
    private final Map<Value, Term> captured = new LinkedHashMap<>();
    private final List<Term> results = new ArrayList<>();
    private final Set<Integer> taken = new HashSet<>();

    InnerModel(Scope outer) {
        this.outer = outer;
        this.scope = outer.inner(this);
    }

    Scope scope() {
        return scope;
    }

    Set<Value> captured() {
        return captured.keySet();
    }

    @Override
    public void declare(Value value, TensorFacts known, NetBuilder net, Map<List<Integer>, Term> forms) {
        int[] order = outer.order(value);
        Term own = parameter(outer.in(value, order));
        forms.put(Arrays.stream(order).boxed().collect(Streams.toList()), own);
        captured.put(value, own);
    }

    /** An operand like one from around; it is an input once {@link #input} says so. */
    Term parameter(Term like) {
        TensorOperand operand = new TensorOperand(like.type(), like.dims(), OperandLayout.CONTIGUOUS, like.scale(), like.zeroPoint());
        Term own = new Term(scope.net().model().add(operand), like.type(), like.dims(), like.scale(), like.zeroPoint(), false);
        taken.add(own.id());
        return own;
    }

    void input(Term parameter) {
        scope.net().model().addInput(parameter.id());
    }

    /** Makes a value from around an input, whether or not anything reads it here. */
    void inputOf(Value value) {
        scope.in(value, outer.order(value));
        input(captured.get(value));
    }

    /** @throws Refused if a node cannot be lowered */
    void lower(Block block) {
        for (Node node : block.nodes()) {
            if (NodeLowerings.isGlue(node)) {
                continue;
            }
            boolean number = node.blocks().isEmpty() && node.outputs().size() == 1 && Numbers.isNumber(node.output().type());
            if (number) {
                scope.number(node.output(), Numbers.lower(node, scope));
            } else {
                NodeLowerings.lower(node, scope);
            }
        }
    }

    /** The next output; a copy where the model has it as an input, a constant or another output already. */
    void output(Term term) {
        Term own = term.isConstant() || !taken.add(term.id()) ? copy(term) : term;
        taken.add(own.id());
        scope.net().model().addOutput(own.id());
        results.add(own);
    }

    private Term copy(Term term) {
        NetBuilder net = scope.net();
        return term.type() == OperandType.TENSOR_BOOL8 ? net.test(OperationType.LOGICAL_OR, term, term)
            : term.type() == OperandType.TENSOR_INT32 ? net.add(term, net.indices(0)) : net.copy(term);
    }

    /** The value of a block's result. */
    Term result(Value value) {
        if (Numbers.isNumber(value.type())) {
            return scope.computedNumber(value);
        }
        if (value.type() != Type.Basic.TENSOR) {
            throw new Refused("branches and loops give tensors and numbers", value.type().text(), "a tensor, int, float or bool", "");
        }
        return scope.plain(value);
    }

    List<Term> results() {
        return results;
    }

    ModelAssembler model() {
        return scope.net().model().pruned();
    }
}
