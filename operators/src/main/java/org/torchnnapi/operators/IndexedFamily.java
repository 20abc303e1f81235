package org.torchnnapi.operators;

import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Function;

/**
 * A family of the index that the build writes: its class is loaded when one of its operators first runs. Making all
 * families takes longer than a model's first inference, and a model uses few of them.
 */
final class IndexedFamily {
    private final String className;
    private Map<String, OperatorKernel> kernels;

    IndexedFamily(String className) {
        this.className = className;
    }

    /** The kernel of one of the schemas; calling it makes the family. */
    OperatorKernel kernel(String schema) {
        return new Deferred(this, schema);
    }

    /** What one of the schemas is made of, or null if it is no composite; asking makes the family. */
    Function decomposition(String schema) {
        return made(schema) instanceof Composite composite ? composite.function() : null;
    }

    private synchronized OperatorKernel made(String schema) {
        if (kernels == null) {
            Map<String, OperatorKernel> made = new HashMap<>();
            OperatorFamily family = family();
            family.register(new RegisteredOverloads().of(family, (text, kernel, traits) -> made.put(text, kernel)));
            kernels = made;
        }
        OperatorKernel kernel = kernels.get(schema);
        if (kernel == null) {
            throw new IllegalStateException(
                    className + " has no operator " + schema + " (expected: as in the operator index; build again)");
        }
        return kernel;
    }

    private OperatorFamily family() {
        try {
            return (OperatorFamily) Class.forName(className).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    className + " (expected: a family with a public constructor; build again)", e);
        }
    }

    /** Stands for a kernel until its first call. Threads that race find the same one. */
    private static final class Deferred implements OperatorKernel {
        private final IndexedFamily family;
        private final String schema;
        private OperatorKernel kernel;

        Deferred(IndexedFamily family, String schema) {
            this.family = family;
            this.schema = schema;
        }

        @Override
        public Object call(Object[] args) {
            OperatorKernel known = kernel;
            if (known == null) {
                known = family.made(schema);
                kernel = known;
            }
            return known.call(args);
        }
    }
}
