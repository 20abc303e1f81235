package org.torchnnapi.converter.partial;

import java.util.LinkedHashMap;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** What a walk through a graph knows of a value. */
sealed interface AbstractValue {
    /** Whether a value is known to be None. */
    static boolean isNone(AbstractValue known) {
        return known instanceof Known constant && constant.value() == null;
    }

    /**
     * The same for all inputs of these shapes: a number, text, None, tensor or object that is no container.
     *
     * @param origin the constant that it was spelled as, or null
     */
    record Known(Object value, Node origin) implements AbstractValue {
        Known(Object value) {
            this(value, null);
        }
    }

    /**
     * Computed when the model runs.
     *
     * @param value in the graph that is made
     * @param sample a tensor of its shape, a list of such tensors, or null where the shape is not known
     */
    record Open(Value value, Object sample) implements AbstractValue {}

    /**
     * A container that is followed: a {@code ScriptList}, {@code ScriptTuple} or {@code ScriptDict} whose items (not
     * keys) are {@code AbstractValue} themselves, or an {@link Instance}. Who reads it in the graph that is made reads
     * a copy made there.
     */
    final class Held implements AbstractValue {
        private final Object container;
        private final Type type;
        private final Object site;
        private final Block home;

        /**
         * @param site what made it: a node of the graph that is walked through, or one of its inputs
         * @param home the block of the made graph in which it was made
         */
        Held(Object container, Type type, Object site, Block home) {
            this.container = container;
            this.type = type;
            this.site = site;
            this.home = home;
        }

        Object container() {
            return container;
        }

        Type type() {
            return type;
        }

        Object site() {
            return site;
        }

        Block home() {
            return home;
        }
    }

    /** An object of a class written in TorchScript. */
    record Instance(ClassType type, Map<String, AbstractValue> attributes) {
        Instance(ClassType type) {
            this(type, new LinkedHashMap<>());
        }
    }
}
