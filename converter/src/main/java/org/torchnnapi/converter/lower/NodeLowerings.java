package org.torchnnapi.converter.lower;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.torchscript.ir.Node;

/** The table of all lowerings, by node kind. */
public final class NodeLowerings {
    private static final Map<String, NodeLowering> TABLE = table(List.of(
            new Elementwise(),
            new Comparisons(),
            new Activations(),
            new Convolutions(),
            new Pools(),
            new Shapes(),
            new TensorShapeLowering(),
            new Reductions(),
            new Normalisations(),
            new Products(),
            new Resizes(),
            new Volumes(),
            new Quantized(),
            new Recurrences(),
            new GatherLowering(),
            new ElementGather(),
            new ScatterLowering(),
            new GridSamplerLowering(),
            new SortLowering(),
            new CompositeLowering(),
            new Trigonometry(),
            new IndexPutLowering(),
            new SmallMatrices(),
            new ControlFlows()));

    private NodeLowerings() {}

    /** Every node kind that has a lowering, sorted. */
    public static Set<String> kinds() {
        return new TreeSet<>(TABLE.keySet());
    }

    /** Constants, and lists of what is joined, are part of the nodes that read them. */
    public static boolean isGlue(Node node) {
        return node.is("prim::Constant") || node.is("prim::ListConstruct") || node.is("prim::TupleConstruct");
    }

    /** Why no node of the kind can be lowered; null where some can. */
    public static Reason unsupported(Node node) {
        return TABLE.containsKey(node.kind()) ? null : Reason.unknownOperator(node.kind());
    }

    /** Adds what a node becomes to the model, or says why NNAPI cannot express it; null where it is added. */
    public static Reason lower(Node node, LoweringContext context) {
        Reason unknown = unsupported(node);
        if (unknown != null) {
            return unknown;
        }
        int before = context.nnapi().model().operations().size();
        try {
            LoweringPlan plan = TABLE.get(node.kind()).plan(node, context);
            if (plan.refusal() != null) {
                return plan.refusal();
            }
            plan.emit();
            ByteForms.lower(node, context, before);
            return null;
        } catch (Refused refused) {
            return refused.reason();
        } catch (IndexOutOfBoundsException fewer) {
            return new Reason(
                    "the operator must have PyTorch 1.13's arguments",
                    node.inputs().size() + " arguments",
                    "more",
                    "save the model with PyTorch 1.13");
        } catch (ArithmeticException | IllegalArgumentException tooLarge) {
            return new Reason(
                    "sizes and constants must fit NNAPI's 32 bits",
                    String.valueOf(tooLarge.getMessage()),
                    "numbers within 32 bits");
        }
    }

    private static Map<String, NodeLowering> table(List<NodeFamily> families) {
        NodeLoweringTable table = new NodeLoweringTable();
        families.forEach(family -> family.register(table));
        return table.all();
    }
}
