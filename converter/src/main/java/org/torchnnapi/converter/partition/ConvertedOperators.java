package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.passes.Decompose;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Which operators convert, and since which release of NNAPI: small calls are lowered, and the operations looked at that
 * come out.
 */
public final class ConvertedOperators {
    private static final Set<String> LOWERED = NodeLowerings.kinds();
    /** Shapes for the tensors of a call: images, matrices, a vector; what the next tensors have that are parameters. */
    private static final int[][] SHAPES = {{1, 4, 6, 6}, {4, 6}, {1, 4, 6}, {6}};

    private static final int[][] PARAMETERS = {{4}, {6}, {6, 6}, {4, 4, 3, 3}, {4, 4, 3}};

    private static final List<FeatureLevel> LEVELS = Arrays.stream(FeatureLevel.values())
            .filter(FeatureLevel.V1_3::includes)
            .collect(Streams.toList());

    private ConvertedOperators() {}

    /**
     * Whether there is a lowering for calls of an operator such as {@code aten::relu}, in a model, or for all that it
     * is made of.
     */
    public static boolean includes(FunctionSchema schema) {
        Operator operator = OperatorRegistry.withBuiltins().find(schema.fullName());
        return LOWERED.contains(schema.name())
                || operator != null
                        && operator.decomposition() != null
                        && areLowered(operator.decomposition().graph().block());
    }

    private static boolean areLowered(Block block) {
        return block.nodes().stream()
                .allMatch(node -> node.blocks().stream().allMatch(ConvertedOperators::areLowered)
                        && (node.schema() == null
                                || node.outputs().stream().noneMatch(output -> output.type() == Type.Basic.TENSOR)
                                || includes(node.schema())));
    }

    /** The lowest level at which a small call could be lowered; empty if none of those that are tried could. */
    public static Optional<FeatureLevel> since(FunctionSchema schema) {
        if (!includes(schema) || schema.isMutating()) {
            return Optional.empty();
        }
        int least = LEVELS.size();
        for (int[] shape : SHAPES) {
            for (int[] parameter : PARAMETERS) {
                for (boolean number : new boolean[] {false, true}) {
                    Call call = least == 0 ? null : Call.of(schema, shape, parameter, number);
                    for (int level = 0; level < least && call != null; level++) {
                        least = call.isTakenBy(LEVELS.get(level)) ? level : least;
                    }
                }
            }
        }
        return least == LEVELS.size() ? Optional.empty() : Optional.of(LEVELS.get(least));
    }

    /** A graph of one call. */
    private record Call(Graph graph, PartialEvaluation.Facts facts) {
        static Call of(FunctionSchema schema, int[] shape, int[] parameter, boolean number) {
            Graph graph = new Graph();
            Node node = graph.create(schema.name()).schema(schema);
            List<Tensor> samples = new ArrayList<>();
            for (FunctionSchema.Argument argument : schema.arguments()) {
                node.addInput(argument(graph, argument, shape, parameter, number, samples));
            }
            for (FunctionSchema.Argument result : schema.returns()) {
                graph.block().addResult(node.addOutput(result.type()));
            }
            graph.block().append(node);
            if (samples.isEmpty()) {
                return null;
            }
            try {
                Decompose.run(graph, call -> LOWERED.contains(call.kind()));
                PartialEvaluation.Facts facts = PartialEvaluation.run(graph, samples, null);
                ListParts.run(graph, facts);
                Call call = new Call(graph, facts);
                return call.isTakenBy(FeatureLevel.V1_3) ? call : null;
            } catch (RuntimeException unsuited) {
                // This call is not one of the operator's; another may be.
                return null;
            }
        }

        boolean isTakenBy(FeatureLevel level) {
            NodeSupport support =
                    NodeSupport.of(graph, facts, new Target(level, false), Set.of(), SizeTrial.NONE.step(graph));
            return GraphPartitioner.of(graph, support, SegmentCost.DEFAULT).isWhole(graph);
        }
    }

    private static Value argument(
            Graph graph,
            FunctionSchema.Argument argument,
            int[] shape,
            int[] parameter,
            boolean number,
            List<Tensor> samples) {
        Type type = argument.type();
        if (type == Type.Basic.TENSOR
                && (samples.isEmpty()
                        || argument.name().equals("other")
                        || argument.name().equals("mat2"))) {
            samples.add(sample(shape));
            return graph.addInput(type, argument.name());
        }
        if (type instanceof Type.ListType list && list.element() == Type.Basic.TENSOR) {
            Node items = graph.create(Prim.LIST_CONSTRUCT);
            for (int i = 0; i < 2; i++) {
                samples.add(sample(shape));
                items.addInput(graph.addInput(Type.Basic.TENSOR, argument.name() + i));
            }
            Value output = items.addOutput(type);
            graph.block().append(items);
            return output;
        }
        Object value = argument.hasDefault() && !number ? argument.defaultValue() : value(type, parameter);
        Node constant = graph.constant(
                value,
                value == null
                        ? Type.Basic.NONE
                        : type instanceof Type.OptionalType optional ? optional.element() : type);
        graph.block().append(constant);
        return constant.output();
    }

    private static Object value(Type type, int[] parameter) {
        if (type == Type.Basic.TENSOR) {
            return sample(parameter);
        }
        if (type instanceof Type.ListType list && list.element() == Type.Basic.INT) {
            return ScriptList.ofInts(1, 1);
        }
        return type == Type.Basic.INT || type == Type.Basic.NUMBER
                ? (Object) 1L
                : type == Type.Basic.FLOAT ? (Object) 0.5 : type == Type.Basic.BOOL ? (Object) false : null;
    }

    private static Tensor sample(int[] shape) {
        Tensor tensor = Tensor.zeros(DType.FLOAT32, shape);
        float[] values = tensor.storage().floatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] = 0.5f + i % 7;
        }
        return tensor;
    }
}
