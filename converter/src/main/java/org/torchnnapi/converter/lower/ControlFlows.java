package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Branches and loops whose blocks can be lowered, as IF and WHILE: for this library's runtime, since PyTorch's loader
 * has no referenced models. Their blocks are lowered while they are planned, as what a node holds decides.
 */
public final class ControlFlows implements NodeFamily {
    public static final String IF = "prim::If";
    public static final String LOOP = "prim::Loop";

    @Override
    public void register(NodeLoweringTable table) {
        table.plan(IF, ControlFlows::choice);
        table.plan(LOOP, ControlFlows::loop);
    }

    /** Whether a node is a branch or loop. */
    public static boolean isOne(Node node) {
        return node.is(IF) || node.is(LOOP);
    }

    /** Why there are no branches and loops, or none with such a condition; null where there are. */
    private static Reason unfit(Value condition, LoweringContext context) {
        return context.nnapi().isForOwnRuntime()
                ? Numbers.notCondition(condition, context)
                : new Reason(
                        "PyTorch's loader has no branches and loops of NNAPI",
                        "control flow",
                        "none",
                        "convert with --runtime torch-nnapi");
    }

    private static OperandRef condition(Value value, LoweringContext context) {
        return Numbers.truth(
                value.type() == Type.Basic.TENSOR ? context.plain(value) : context.computedNumber(value),
                context.nnapi());
    }

    private static LoweringPlan choice(Node node, LoweringContext context) {
        Reason unfit = unfit(node.input(0), context);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        OperandRef condition = condition(node.input(0), context);
        SubgraphModel[] branches = new SubgraphModel[2];
        Set<Value> around = new LinkedHashSet<>();
        for (int i = 0; i < 2; i++) {
            Block block = node.blocks().get(i);
            branches[i] = new SubgraphModel(context);
            Reason refusal = branches[i].lower(block);
            if (refusal != null) {
                return LoweringPlan.refused(refusal);
            }
            for (Value result : block.results()) {
                branches[i].output(branches[i].result(result));
            }
            around.addAll(branches[i].captured());
        }
        List<Integer> inputs = new ArrayList<>();
        inputs.add(condition.id());
        for (SubgraphModel branch : branches) {
            around.forEach(branch::inputOf);
        }
        List<OperandRef> made = branches[0].results();
        for (int i = 0; i < made.size(); i++) {
            Reason unlike = unlike(made.get(i), branches[1].results().get(i));
            if (unlike != null) {
                return LoweringPlan.refused(unlike);
            }
        }
        for (SubgraphModel branch : branches) {
            inputs.add(context.nnapi().model().model(branch.model()));
        }
        for (Value value : around) {
            inputs.add(context.in(value, context.order(value)).id());
        }
        return () -> define(node, context, context.nnapi().control(OperationType.IF, inputs, made), 0);
    }

    /**
     * Goes on while a truth value holds that goes around with the values that the loop carries, and with the number of
     * turns where that matters.
     */
    private static LoweringPlan loop(Node node, LoweringContext context) {
        Reason unfit = unfit(node.input(1), context);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        NnapiBuilder nnapi = context.nnapi();
        long most = context.integer(node.input(0));
        Block block = node.blocks().get(0);
        boolean counts = most < Integer.MAX_VALUE || block.parameters().get(0).isUsed();
        List<OperandRef> starts = new ArrayList<>();
        starts.add(most <= 0 ? nnapi.truth(false) : condition(node.input(1), context));
        if (counts) {
            starts.add(nnapi.indices(0));
        }
        for (Value start : node.inputs().subList(2, node.inputs().size())) {
            starts.add(start.type() == Type.Basic.TENSOR ? context.plain(start) : context.computedNumber(start));
        }
        SubgraphModel body = new SubgraphModel(context);
        List<OperandRef> state = new ArrayList<>();
        for (OperandRef start : starts) {
            state.add(body.parameter(start));
        }
        int first = counts ? 2 : 1;
        if (counts) {
            body.context().number(block.parameters().get(0), state.get(1));
        }
        for (int i = first; i < state.size(); i++) {
            Value parameter = block.parameters().get(i - first + 1);
            if (Numbers.isNumber(parameter.type())) {
                body.context().number(parameter, state.get(i));
            } else {
                body.context().define(parameter, state.get(i));
            }
        }
        Reason refusal = body.lower(block);
        if (refusal == null) {
            refusal = Numbers.notCondition(block.results().get(0), body.context());
        }
        if (refusal != null) {
            return LoweringPlan.refused(refusal);
        }
        NnapiBuilder inner = body.context().nnapi();
        OperandRef goesOn = condition(block.results().get(0), body.context());
        OperandRef turns = counts ? inner.add(state.get(1), inner.indices(1)) : null;
        boolean bounded = most < Integer.MAX_VALUE;
        body.output(
                bounded
                        ? inner.test(
                                OperationType.LOGICAL_AND,
                                goesOn,
                                inner.test(OperationType.LESS, turns, inner.indices((int) most)))
                        : goesOn);
        if (counts) {
            body.output(turns);
        }
        for (Value result : block.results().subList(1, block.results().size())) {
            body.output(body.result(result));
        }
        Set<Value> around = new LinkedHashSet<>(body.captured());
        SubgraphModel test = new SubgraphModel(context);
        List<Integer> inputs = new ArrayList<>();
        OperandRef goes = null;
        for (int i = 0; i < starts.size(); i++) {
            Reason unlike = unlike(starts.get(i), body.results().get(i));
            if (unlike != null) {
                return LoweringPlan.refused(unlike);
            }
            body.input(state.get(i));
            OperandRef parameter = test.parameter(starts.get(i));
            test.input(parameter);
            goes = i == 0 ? parameter : goes;
        }
        around.forEach(body::inputOf);
        around.forEach(test::inputOf);
        test.output(goes);
        inputs.add(nnapi.model().model(test.model()));
        inputs.add(nnapi.model().model(body.model()));
        starts.forEach(start -> inputs.add(start.id()));
        for (Value value : around) {
            inputs.add(context.in(value, context.order(value)).id());
        }
        return () -> define(node, context, nnapi.control(OperationType.WHILE, inputs, starts), first);
    }

    private static void define(Node node, LoweringContext context, List<OperandRef> made, int first) {
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (Numbers.isNumber(output.type())) {
                context.number(output, made.get(first + i));
            } else {
                context.define(output, made.get(first + i));
            }
        }
    }

    /** Why results are none of one branch or loop; null where they are. */
    private static Reason unlike(OperandRef one, OperandRef other) {
        boolean alike = one.type() == other.type()
                && Arrays.equals(one.dims(), other.dims())
                && one.scale() == other.scale()
                && one.zeroPoint() == other.zeroPoint();
        return alike
                ? null
                : new Reason(
                        "both ways out of a branch, and all turns of a loop, give one shape and type",
                        one + " and " + other,
                        "equal ones");
    }
}
