package org.torchnnapi.execution.specialise;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.Callee;
import org.torchnnapi.torchscript.value.CustomClass;

/** Whether functions may write to tensors and lists that they did not make. */
final class Writes {
    private final Function<String, CustomClass> customClasses;
    private final Set<org.torchnnapi.torchscript.ir.Function> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private Writes(Function<String, CustomClass> customClasses) {
        this.customClasses = customClasses;
    }

    /**
     * Conservative: true unless no operator of the function, or of what it calls, writes to anything but an operator's new result. What
     * lists that it makes contain may be given other memory by custom classes.
     */
    static boolean mayChangeTensors(org.torchnnapi.torchscript.ir.Function function, Function<String, CustomClass> customClasses) {
        return new Writes(customClasses).writes(function);
    }

    private boolean writes(org.torchnnapi.torchscript.ir.Function function) {
        return seen.add(function) && (!function.hasBody() || writes(function.representative().graph().block()));
    }

    private boolean writes(Block block) {
        for (Node node : block.nodes()) {
            if (node.is("prim::CallMethod") || node.is("prim::CallFunction") ? calls(node) : writes(node)) {
                return true;
            }
            for (Block inner : node.blocks()) {
                if (writes(inner)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean calls(Node node) {
        Callee callee = Callee.of(node, customClasses);
        return callee instanceof Callee.Body body ? writes(body.function()) : !(callee instanceof Callee.Custom custom) || customWrites(custom, node);
    }

    private static boolean customWrites(Callee.Custom callee, Node node) {
        for (int i = 1; i < node.inputs().size(); i++) {
            if (callee.type().mayWriteTo(callee.method(), i - 1) && !isNew(node.input(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean writes(Node node) {
        FunctionSchema schema = node.schema();
        if (schema == null) {
            return !node.kind().startsWith("prim::");
        }
        for (int i = 0; i < schema.arguments().size(); i++) {
            if (schema.arguments().get(i).mutated() && !isNew(node.input(i))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a value is an operator's result that shares memory with nothing, or such a result written to. */
    private static boolean isNew(Value value) {
        Node maker = value.definition();
        if (maker == null) {
            return false;
        }
        if (maker.is("prim::ListConstruct") || maker.is("prim::DictConstruct")) {
            return true;
        }
        FunctionSchema schema = maker.schema();
        if (schema == null || value.index() >= schema.returns().size()) {
            return false;
        }
        if (schema.returns().get(value.index()).alias() == null) {
            return true;
        }
        return schema.isMutating() && schema.arguments().get(0).mutated() && isNew(maker.input(0));
    }
}
