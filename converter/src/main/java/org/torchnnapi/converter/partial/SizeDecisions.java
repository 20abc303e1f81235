package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.converter.partial.SizeTerm.AtMost;
import org.torchnnapi.converter.partial.SizeTerm.Computed;
import org.torchnnapi.converter.partial.SizeTerm.Constant;
import org.torchnnapi.converter.partial.SizeTerm.Decision;
import org.torchnnapi.converter.partial.SizeTerm.Items;
import org.torchnnapi.converter.partial.SizeTerm.Read;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Follows numbers from the shapes that they were read off to what they decide: which branch is taken, how many turns a
 * loop takes, which of two numbers is the smaller. A graph that was specialised for some sizes is right for others for
 * which all of this is decided alike.
 */
final class SizeDecisions {
    private final Map<AbstractValue, SizeTerm> terms = new IdentityHashMap<>();
    private final Consumer<Decision> taken;

    /** @param taken is told each decision that read numbers enter, in order; null where nobody asks */
    SizeDecisions(Consumer<Decision> taken) {
        this.taken = taken;
    }

    /** A node read a number off tensors. */
    void read(AbstractValue number) {
        if (taken == null) {
            return;
        }
        if (number instanceof Known known && (known.value() instanceof Long || known.value() instanceof Double)) {
            terms.putIfAbsent(number, new Read(known.value()));
        } else if (number instanceof Held held && held.container() instanceof ScriptList list) {
            list.items().forEach(item -> read((AbstractValue) item));
        }
    }

    /** An operator was run on what is known. */
    void computed(Node node, List<AbstractValue> inputs, AbstractValue result) {
        if (OperatorTrait.READS_GEOMETRY.of(node)) {
            read(result);
            return;
        }
        if (terms.isEmpty() || inputs.stream().noneMatch(this::isRead)) {
            return;
        }
        List<SizeTerm> arguments = new ArrayList<>();
        for (AbstractValue input : inputs) {
            SizeTerm term = term(input);
            if (term == null) {
                read(result);
                return;
            }
            arguments.add(term);
        }
        if (result instanceof Known known && !(known.value() instanceof Tensor)) {
            if (OperatorTrait.CHOOSES_NUMBER.of(node) && arguments.size() == 2) {
                compared(node, arguments.get(0), arguments.get(1));
            }
            terms.putIfAbsent(result, new Computed(known.value(), node, arguments));
        } else {
            read(result);
        }
    }

    /** A number or a truth decided how a node is gone through. */
    void decided(Node node, AbstractValue by) {
        SizeTerm term = terms.get(by);
        if (term != null) {
            taken.accept(new Decision(node, term));
        }
    }

    /**
     * A bound of a slice, counted from either end, was compared with the size of what is sliced: from there on another
     * bound changes nothing.
     */
    void bounded(Node node, AbstractValue bound, long size) {
        SizeTerm term = taken == null ? null : term(bound);
        if (term != null && term.value() instanceof Long number && number != Long.MIN_VALUE) {
            if (number >= 0 && number != Long.MAX_VALUE) {
                compared(node, term, new Read(size));
            } else if (number < 0 && term instanceof Constant) {
                compared(node, new Constant(-number), new Read(size));
            }
        }
    }

    private void compared(Node node, SizeTerm one, SizeTerm other) {
        if (one.value() instanceof Long a && other.value() instanceof Long b) {
            taken.accept(new Decision(node, new AtMost(a <= b, one, other)));
        }
    }

    private boolean isRead(AbstractValue known) {
        return terms.containsKey(known)
                || known instanceof Held held
                        && held.container() instanceof ScriptList list
                        && list.items().stream().anyMatch(item -> isRead((AbstractValue) item));
    }

    /** Null for tensors, objects and what is not known. */
    private SizeTerm term(AbstractValue known) {
        SizeTerm read = terms.get(known);
        if (read != null || known instanceof Open) {
            return read;
        }
        if (known instanceof Known constant) {
            Object value = constant.value();
            boolean plain =
                    value == null || value instanceof Number || value instanceof Boolean || value instanceof String;
            return plain ? new Constant(value) : null;
        }
        List<SizeTerm> items = new ArrayList<>();
        if (!(known instanceof Held held && held.container() instanceof ScriptList list)) {
            return null;
        }
        for (Object item : list.items()) {
            items.add(term((AbstractValue) item));
        }
        return items.contains(null) ? null : new Items(((Held) known).type(), items);
    }
}
