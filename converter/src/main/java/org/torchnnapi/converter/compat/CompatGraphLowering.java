package org.torchnnapi.converter.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Lowers a frozen graph node by node. A node that cannot be lowered is noted and the walk goes on, so that one run
 * finds every reason against a conversion.
 */
public final class CompatGraphLowering {
    private final CompatLoweringContext context = new CompatLoweringContext();
    private final List<Refusal> refusals = new ArrayList<>();
    private final boolean int16;

    private CompatGraphLowering(boolean int16) {
        this.int16 = int16;
    }

    /**
     * The outcome of a lowering.
     *
     * @param model null if there are refusals
     * @param refusals every reason found, in the graph's order
     */
    public record Outcome(LoweredModel model, List<Refusal> refusals) {}

    /**
     * @param graph frozen and inlined; a first input of a class type is the module and is skipped
     * @param inputs one per remaining input
     * @param int16 whether int16 tensors may stand for 16-bit quantized ones
     * @param returnShapes sizes of the output templates instead of the computed ones, or null
     */
    public static Outcome lower(Graph graph, List<InputSpec> inputs, boolean int16, List<int[]> returnShapes) {
        CompatGraphLowering lowering = new CompatGraphLowering(int16);
        LoweredModel model = lowering.run(graph, inputs, returnShapes);
        return new Outcome(lowering.refusals.isEmpty() ? model : null, List.copyOf(lowering.refusals));
    }

    private LoweredModel run(Graph graph, List<InputSpec> specs, List<int[]> returnShapes) {
        List<OperandLayout> inputLayouts = inputs(graph, specs);
        for (Node node : graph.block().nodes()) {
            lower(node);
        }
        return result(graph, inputLayouts, returnShapes);
    }

    private List<OperandLayout> inputs(Graph graph, List<InputSpec> specs) {
        List<Value> values = new ArrayList<>(graph.inputs());
        if (!values.isEmpty() && values.get(0).type() instanceof ClassType) {
            context.markUnknown(values.remove(0));
        }
        if (values.size() != specs.size()) {
            refuse(
                    "model",
                    SourceRange.NONE,
                    List.of(),
                    new Refused(
                            "every input needs a description",
                            specs.size() + " inputs described",
                            values.size() + " inputs",
                            "describe shape and dtype of each input"));
            values.forEach(context::markUnknown);
            return List.of();
        }
        List<OperandLayout> layouts = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Value value = values.get(i);
            try {
                if (value.type() != Type.Basic.TENSOR) {
                    throw new Refused(
                            "inputs of NNAPI models are tensors",
                            value.type().text(),
                            "Tensor",
                            "make the argument an attribute of the module");
                }
                layouts.add(input(i, value, specs.get(i)));
            } catch (Refused refused) {
                context.markUnknown(value);
                refuse("input " + i, SourceRange.NONE, List.of(specs.get(i).toString()), refused);
            }
        }
        return layouts;
    }

    private OperandLayout input(int index, Value value, InputSpec spec) {
        TensorOperand operand = ModelInput.operand(spec, int16);
        int id = context.define(value, operand);
        context.model().addInput(id);
        for (int d = 0; d < operand.rank(); d++) {
            if (operand.size(d) == TensorOperand.AT_LOAD) {
                context.shapes().assign(id, d, new SizeExpression.ArgumentSize(index, d));
            }
        }
        return operand.layout();
    }

    private void lower(Node node) {
        if (KnownValues.evaluate(node, context) || node.is("prim::If") && branch(node)) {
            return;
        }
        CompatLowering lowering = CompatLowerings.of(node.kind());
        if (lowering == null && followsFromRefusal(node)) {
            node.outputs().forEach(context::markUnknown);
            return;
        }
        List<String> operands = context.describeOperands(node);
        try {
            if (lowering == null) {
                throw Refused.unknownOperator(
                        node.kind(), "replace the operator, or run this part of the model outside NNAPI");
            }
            context.model().at(node.range());
            lowering.lower(node, context);
        } catch (Refused refused) {
            refuse(node.kind(), node.range(), operands, refused);
            afterRefusal(node, lowering == null);
        } catch (UnknownOperand unknown) {
            node.outputs().forEach(context::markUnknown);
        } catch (ArithmeticException | IllegalArgumentException tooLarge) {
            refuse(
                    node.kind(),
                    node.range(),
                    operands,
                    new Refused(
                            "sizes and constants must fit NNAPI's 32 bits",
                            String.valueOf(tooLarge.getMessage()),
                            "numbers within 32 bits",
                            ""));
            node.outputs().forEach(context::markUnknown);
        }
    }

    /** Lowers the branch that a known condition takes. */
    private boolean branch(Node node) {
        Value condition = node.input(0);
        if (!context.isConstant(condition) || !(context.constant(condition) instanceof Boolean taken)) {
            return false;
        }
        Block block = node.blocks().get(taken ? 0 : 1);
        block.nodes().forEach(this::lower);
        for (int i = 0; i < node.outputs().size(); i++) {
            context.alias(node.output(i), block.results().get(i));
        }
        return true;
    }

    /** Numbers and conditions computed from what a refused node returns are no reasons of their own. */
    private boolean followsFromRefusal(Node node) {
        return node.inputs().stream().anyMatch(context::isUnknown)
                && node.inputs().stream().noneMatch(context::isOperand)
                && node.outputs().stream().allMatch(output -> output.type() != Type.Basic.TENSOR);
    }

    /** Defines results of a refused node as far as they are known. */
    private void afterRefusal(Node node, boolean unknownKind) {
        boolean known =
                unknownKind && keepsShape(node) && node.outputs().size() == 1 && context.isOperand(node.input(0));
        if (known) {
            context.define(node.output(), context.operand(node.input(0)).operand());
        } else {
            node.outputs().forEach(context::markUnknown);
        }
    }

    /** Whether the result has the sizes of the first operand; it lets the walk see further. */
    private static boolean keepsShape(Node node) {
        long tensors = node.inputs().stream()
                .filter(input -> input.type() == Type.Basic.TENSOR)
                .count();
        return OperatorTrait.KEEPS_SHAPE.of(node) || OperatorTrait.ELEMENTWISE.of(node) && tensors == 1;
    }

    private LoweredModel result(Graph graph, List<OperandLayout> inputLayouts, List<int[]> returnShapes) {
        List<OperandLayout> outputLayouts = new ArrayList<>();
        List<LoweredModel.Returned> returned = new ArrayList<>();
        LoweredModel.Results results = LoweredModel.Results.TENSOR;
        try {
            if (graph.outputs().size() != 1) {
                throw new Refused(
                        "a model returns one value",
                        graph.outputs().size() + " values",
                        "a tensor or a tuple of tensors",
                        "");
            }
            Value result = graph.outputs().get(0);
            results = results(result);
            List<Value> values = results == LoweredModel.Results.TENSOR ? List.of(result) : context.sequence(result);
            if (values == null || values.isEmpty()) {
                throw new Refused(
                        "a model returns tensors", context.describe(result), "a tensor or a tuple of tensors", "");
            }
            if (returnShapes != null && returnShapes.size() != values.size()) {
                throw new Refused(
                        "every output needs a return shape",
                        returnShapes.size() + " shapes",
                        values.size() + " shapes",
                        "");
            }
            for (int i = 0; i < values.size(); i++) {
                returned.add(returned(values.get(i), returnShapes == null ? null : returnShapes.get(i), outputLayouts));
            }
            if (outputLayouts.isEmpty()) {
                throw new Refused(
                        "an NNAPI model computes something",
                        "a model that returns its inputs",
                        "at least one operation",
                        "");
            }
        } catch (Refused refused) {
            refuse(
                    "output",
                    SourceRange.NONE,
                    graph.outputs().stream().map(context::describe).collect(Streams.toList()),
                    refused);
        } catch (UnknownOperand unknown) {
            // The refused node it depends on is reported already.
            return null;
        }
        return new LoweredModel(context.model(), inputLayouts, outputLayouts, results, returned);
    }

    private LoweredModel.Results results(Value returned) {
        if (returned.type() == Type.Basic.TENSOR) {
            return LoweredModel.Results.TENSOR;
        }
        if (returned.type() instanceof Type.TupleType tuple && tuple.name() == null) {
            return LoweredModel.Results.TUPLE;
        }
        if (returned.type() instanceof Type.ListType) {
            return LoweredModel.Results.LIST;
        }
        throw new Refused(
                "a model returns tensors",
                returned.type().text(),
                "a tensor, or a tuple or list of tensors",
                "return a plain tuple");
    }

    private LoweredModel.Returned returned(Value value, int[] returnShape, List<OperandLayout> outputLayouts) {
        CompatLoweringContext.Ref out = context.operand(value);
        int argument = context.model().inputs().indexOf(out.id());
        if (argument >= 0) {
            return new LoweredModel.Returned(true, argument);
        }
        int known = context.model().outputs().indexOf(out.id());
        if (known >= 0) {
            return new LoweredModel.Returned(false, known);
        }
        int[] shape = returnShape == null ? out.operand().shape() : returnShape;
        if (shape.length != out.operand().rank() || Arrays.stream(shape).anyMatch(size -> size < -1)) {
            throw new Refused(
                    "a return shape must fit its output",
                    Arrays.toString(shape),
                    out.operand().rank() + " sizes >= -1",
                    "");
        }
        context.model().addOutput(out.id());
        context.shapes().addTemplate(OutputTemplates.of(out, shape));
        outputLayouts.add(out.operand().layout());
        return new LoweredModel.Returned(false, outputLayouts.size() - 1);
    }

    private void refuse(String node, SourceRange where, List<String> operands, Refused refused) {
        refusals.add(new Refusal(
                node, where, operands, refused.getMessage(), refused.found(), refused.expected(), refused.advice()));
    }
}
