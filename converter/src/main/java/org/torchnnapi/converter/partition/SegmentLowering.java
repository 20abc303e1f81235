package org.torchnnapi.converter.partition;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.GatherLowering;
import org.torchnnapi.converter.lower.LoweringContext;
import org.torchnnapi.converter.lower.NnapiBuilder;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.lower.OperandRef;
import org.torchnnapi.converter.lower.OperandTypes;
import org.torchnnapi.converter.lower.Shapes;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.nnapi.model.LevelCheck;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/** Lowers some nodes of a specialised graph to an NNAPI model of their own. */
final class SegmentLowering implements LoweringContext.Inputs {
    private static final int LOOK_AHEAD = 12;

    private final Set<Node> nodes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Value> images;
    private final List<LoweredSegment.Boundary> inputs = new ArrayList<>();
    private final List<OperandLayout> inputLayouts = new ArrayList<>();
    private final Target target;
    /** Null unless a node is asked by itself. */
    private final SizeTrial.Step step;

    private final LoweringContext context;
    /** For each operation, the node that it was made for. */
    private final List<Node> origins = new ArrayList<>();

    private SegmentLowering(
            List<Node> nodes, PartialEvaluation.Facts facts, Set<Value> images, Target target, SizeTrial.Step step) {
        this.nodes.addAll(nodes);
        this.images = images;
        this.target = target;
        this.step = step;
        this.context = new LoweringContext(facts, target, this);
    }

    /**
     * Lowers nodes to a legal model.
     *
     * @param nodes in the graph's order
     * @param outputs values that are used outside
     * @param images values from outside that come as N, H, W, C whatever reads them
     * @param target whose level must take the model
     */
    static Outcome lower(
            List<Node> nodes, List<Value> outputs, PartialEvaluation.Facts facts, Set<Value> images, Target target) {
        return new SegmentLowering(nodes, facts, images, target, null).run(nodes, outputs);
    }

    /**
     * Why NNAPI does not take a node by itself; null where it does.
     *
     * @param step of the search that remembers what it has asked
     */
    static Reason unsupported(
            Node node, PartialEvaluation.Facts facts, Set<Value> images, Target target, SizeTrial.Step step) {
        SegmentLowering alone = new SegmentLowering(List.of(node), facts, images, target, step);
        Reason reason = alone.run(List.of(node), List.of()).reason();
        step.lowered(
                node,
                alone.context.nnapi().model().operations().stream()
                        .map(ModelAssembler.AssembledOperation::type)
                        .collect(Streams.toList()));
        return reason;
    }

    /**
     * What came of some nodes.
     *
     * @param segment null where they are refused
     * @param node the one that is refused; null where that is the segment as a whole
     * @param reason why; null where they are not refused
     */
    record Outcome(LoweredSegment segment, Node node, Reason reason) {
        static Outcome refused(Node node, Reason reason) {
            return new Outcome(null, node, reason);
        }

        /** The same for calls of so many rows, for which it was lowered. */
        Outcome inRows(int number) {
            return segment == null ? this : new Outcome(segment.inRows(number), null, null);
        }

        /** @throws IllegalStateException if it is refused */
        LoweredSegment require() {
            if (segment == null) {
                throw new IllegalStateException(reason.found() + " (expected: " + reason.expected() + ")");
            }
            return segment;
        }
    }

    private Outcome run(List<Node> list, List<Value> results) {
        for (Node node : list) {
            Interruption.check();
            if (NodeLowerings.isGlue(node)
                    || !node.outputs().isEmpty() && node.outputs().stream().allMatch(context::isEmpty)) {
                continue;
            }
            context.nnapi().model().at(node.range());
            Reason reason = NodeLowerings.lower(node, context);
            if (reason != null) {
                return Outcome.refused(node, reason);
            }
            noteOrigins(node);
        }
        try {
            return legal(results);
        } catch (Refused refused) {
            return Outcome.refused(null, refused.reason());
        }
    }

    private Outcome legal(List<Value> results) {
        List<LoweredSegment.Boundary> outputs = new ArrayList<>();
        List<OperandLayout> outputLayouts = new ArrayList<>();
        List<LoweredModel.Returned> returned = new ArrayList<>();
        Set<Integer> seen = new HashSet<>(context.nnapi().model().inputs());
        for (Value value : results) {
            if (context.isEmpty(value)) {
                return Outcome.refused(
                        value.definition(),
                        new Reason("tensors have elements", value.type().text(), "sizes of 1 or more"));
            }
            outputs.add(output(value, outputLayouts, seen));
            noteOrigins(value.definition());
            returned.add(new LoweredModel.Returned(false, returned.size()));
        }
        List<Node> kept = context.nnapi().model().usedOperations().stream()
                .mapToObj(origins::get)
                .collect(Streams.toList());
        origins.clear();
        origins.addAll(kept);
        LoweredModel model = new LoweredModel(
                context.nnapi().model().pruned(), inputLayouts, outputLayouts, LoweredModel.Results.LIST, returned);
        int[] words = SerializedModelEncoder.words(model);
        List<Tensor> weights = model.model().weights();
        Outcome refused = step == null
                ? illegal(words, weights)
                : step.once(
                        List.of(target, IntBuffer.wrap(words), NnapiPart.checked(weights)),
                        () -> illegal(words, weights));
        return refused != null
                ? refused
                : new Outcome(new LoweredSegment(model, inputs, outputs, origins, 0), null, null);
    }

    /** Why the converted model is none that NNAPI takes; null where it is. */
    private Outcome illegal(int[] words, List<Tensor> weights) {
        try {
            return aboveLevel(NnapiPart.requireLegal(Tensor.of(words, words.length), weights));
        } catch (NnapiException e) {
            // A node by itself is lowered to see whether NNAPI takes it.
            return Outcome.refused(
                    null,
                    new Reason(
                            "NNAPI must take the converted model",
                            String.valueOf(e.getMessage()),
                            "a legal NNAPI model",
                            nodes.size() == 1 ? "" : "please report this model"));
        }
    }

    private void noteOrigins(Node node) {
        while (origins.size() < context.nnapi().model().operations().size()) {
            origins.add(node);
        }
    }

    /** What the release that is converted for lacks; null where it has all. */
    private Outcome aboveLevel(Model model) {
        if (target.level().includes(model.featureLevelNeed().level())) {
            return null;
        }
        LevelCheck check = LevelCheck.of(model, target.level());
        Reason reason = new Reason(
                "the operation must be one of the Android that is converted for",
                check.text(),
                target.level().toString(),
                "convert for a later Android");
        return Outcome.refused(
                check.refused().isEmpty() ? null : origins.get(check.refused().get(0)), reason);
    }

    @Override
    public void declare(Value value, TensorFacts known, NnapiBuilder nnapi, Map<List<Integer>, OperandRef> forms) {
        DType dtype = boundary(known);
        int[] own = Shapes.dims(known.shape());
        boolean listed = dtype == DType.INT32
                && !nnapi.has(OperationType.GATHER)
                && value.uses().stream().anyMatch(GatherLowering::picksRows);
        int[] shape = listed ? new int[] {Math.toIntExact(known.count())} : own;
        Quantization.PerTensor q = known.quantization() instanceof Quantization.PerTensor p ? p : null;
        boolean image = !listed && known.rank() == 4 && (images.contains(value) || isRead(value, LOOK_AHEAD));
        OperandLayout layout = image ? OperandLayout.CHANNELS_LAST : OperandLayout.CONTIGUOUS;
        OperandRef term = nnapi.input(new TensorOperand(
                OperandTypes.of(dtype), shape, layout, q == null ? 0 : q.scale(), q == null ? 0 : q.zeroPoint()));
        if (OperandTypes.isShort(known.dtype())
                || OperandTypes.isWhole(known.dtype()) && GatherLowering.arePlaces(value)) {
            nnapi.exact(term);
        }
        OperandRef first = known.dtype() == DType.BOOL
                ? nnapi.cast(term, OperandType.TENSOR_BOOL8)
                : listed ? nnapi.asGiven(term, own) : term;
        forms.put(
                Arrays.stream(image ? LoweringContext.IMAGE : LoweringContext.identity(known.rank()))
                        .boxed()
                        .collect(Streams.toList()),
                first);
        inputs.add(new LoweredSegment.Boundary(value, known, dtype, shape, context.isRows(value)));
        inputLayouts.add(layout);
    }

    /** The type in which a tensor passes into or out of an NNAPI model. */
    private static DType boundary(TensorFacts known) {
        if (known.quantization() != null && !(known.quantization() instanceof Quantization.PerTensor)) {
            throw known.asQuantized();
        }
        return switch (known.dtype()) {
            case FLOAT32, QUINT8, INT32 -> known.dtype();
            case INT64, UINT8, INT8, INT16, BOOL -> DType.INT32;
            case FLOAT64, FLOAT16, BFLOAT16 -> DType.FLOAT32;
            default ->
                throw new Refused(
                        "NNAPI models take and return few types",
                        known.toString(),
                        "real or whole numbers, bool or quint8");
        };
    }

    /** Whether an image operator reads the value, or an element-wise function of it. */
    private boolean isRead(Value value, int depth) {
        for (Value.Use use : value.uses()) {
            Node user = use.user();
            if (!nodes.contains(user) || use.index() != 0 && !user.is(Prim.LIST_CONSTRUCT)) {
                continue;
            }
            if (wantsChannelsLast(user)) {
                return true;
            }
            boolean keepsOrder = user.outputs().size() == 1 && context.keepsShape(value, user.output());
            if (keepsOrder && depth > 0 && isRead(user.output(), depth - 1)) {
                return true;
            }
        }
        return false;
    }

    private LoweredSegment.Boundary output(Value value, List<OperandLayout> layouts, Set<Integer> seen) {
        TensorFacts known = context.facts(value);
        DType dtype = boundary(known);
        boolean image = known.rank() == 4 && Arrays.equals(context.order(value), LoweringContext.IMAGE);
        OperandRef term = image ? context.in(value, LoweringContext.IMAGE) : context.plain(value);
        if (term.type() == OperandType.TENSOR_BOOL8) {
            term = context.nnapi().cast(term, OperandType.TENSOR_INT32);
        }
        if (term.isConstant() || !seen.add(term.id())) {
            term = context.nnapi().copy(term);
            seen.add(term.id());
        }
        context.nnapi().model().addOutput(term.id());
        int[] shape = known.rank() > NnapiBuilder.MAX_RANK ? term.dims() : LoweringContext.boxed(known.shape());
        context.nnapi().model().addTemplate(new OutputTemplate(dtype, shape, term.scale(), term.zeroPoint()));
        layouts.add(image ? OperandLayout.CHANNELS_LAST : OperandLayout.CONTIGUOUS);
        return new LoweredSegment.Boundary(value, known, dtype, shape, context.isRows(value));
    }

    /** Whether an operator of images wants its input as N, H, W, C. */
    private static boolean wantsChannelsLast(Node node) {
        return OperatorTrait.SPATIAL.of(node);
    }
}
