package org.torchnnapi.converter.partial;

import java.util.List;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;

/** A number, or what was computed of numbers, that may follow from the sizes of a model's inputs. Immutable. */
public sealed interface SizeTerm {
    /** What it is for the sizes of one trial. */
    Object value();

    /** The same for all sizes: a number, text or None. */
    record Constant(Object value) implements SizeTerm {}

    /** A number that was read off a tensor's shape. */
    record Read(Object value) implements SizeTerm {}

    /** Computed of others by an operator. */
    record Computed(Object value, Node node, List<SizeTerm> arguments) implements SizeTerm {}

    /** A list of others. */
    record Items(Type type, List<SizeTerm> arguments) implements SizeTerm {
        @Override
        public Object value() {
            return null;
        }
    }

    /** Whether one whole number is no greater than another. */
    record AtMost(Boolean value, SizeTerm one, SizeTerm other) implements SizeTerm {}

    /** What decided how a node was gone through: which branch, how many turns, where a slice ends. */
    record Decision(Node node, SizeTerm term) {}
}
