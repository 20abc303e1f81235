package org.torchnnapi.converter.compat;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/** Constants, and the lists and tuples that operators and results are made of. None of them becomes an operation. */
final class CompatContainerLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering(
                "prim::Constant", 0, (node, context) -> context.defineConstant(node.output(), node.attribute("value")));
        registrar.lowering("prim::GetAttr", 0, CompatContainerLowering::attribute);
        registrar.lowering("prim::ListConstruct", 0, CompatContainerLowering::list);
        registrar.lowering(
                "prim::TupleConstruct", 0, (node, context) -> context.defineSequence(node.output(), node.inputs()));
    }

    private static void attribute(Node node, CompatLoweringContext context) {
        throw new Refused(
                "attributes must not change while the model runs",
                "attribute " + node.attribute("name"),
                "an attribute that no method assigns",
                "compute the value from the inputs instead of storing it in the module");
    }

    private static void list(Node node, CompatLoweringContext context) {
        List<Object> constants = new ArrayList<>();
        boolean tensors = true;
        for (Value item : node.inputs()) {
            if (context.isUnknown(item)) {
                throw new UnknownOperand();
            }
            if (context.isConstant(item)) {
                constants.add(context.constant(item));
            }
            tensors &= item.type() == Type.Basic.TENSOR;
        }
        boolean constant = constants.size() == node.inputs().size();
        if (!constant && !tensors) {
            throw new Refused(
                    "lists must hold either constants or tensors",
                    context.describeOperands(node).toString(),
                    "all constants, or all tensors",
                    "");
        }
        if (constant) {
            Type element = node.output().type() instanceof Type.ListType list ? list.element() : Type.Basic.ANY;
            context.defineConstant(node.output(), new ScriptList(element, constants));
        }
        if (tensors) {
            context.defineSequence(node.output(), node.inputs());
        }
    }
}
