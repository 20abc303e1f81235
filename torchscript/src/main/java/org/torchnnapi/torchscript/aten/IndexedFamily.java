package org.torchnnapi.torchscript.aten;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A family of the index that the build writes: its schemas are known, its class is loaded when one of its operators first
 * runs. Making all families takes longer than a model's first inference, and a model uses few of them.
 */
final class IndexedFamily {
    private static final String FAMILY = "= ";

    private final String className;
    private final List<String> schemas = new ArrayList<>();
    private Map<String, OperatorKernel> kernels;

    private IndexedFamily(String className) {
        this.className = className;
    }

    /**
     * Reads an index.
     *
     * @param resource name of a file beside this class
     */
    static List<IndexedFamily> read(String resource) {
        String text;
        try (InputStream in = IndexedFamily.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing (expected: beside " + IndexedFamily.class.getName()
                    + "; Maven writes it after compiling)");
            }
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
        List<IndexedFamily> families = new ArrayList<>();
        int end;
        for (int start = 0; start < text.length(); start = end + 1) {
            end = text.indexOf('\n', start);
            String line = text.substring(start, end);
            if (line.startsWith(FAMILY)) {
                families.add(new IndexedFamily(line.substring(FAMILY.length())));
            } else {
                families.get(families.size() - 1).schemas.add(line.indexOf('\\') < 0 ? line : line.replace("\\n", "\n"));
            }
        }
        return families;
    }

    String className() {
        return className;
    }

    List<String> schemas() {
        return schemas;
    }

    /** The kernel of one of the schemas; calling it makes the family. */
    OperatorKernel kernel(String schema) {
        return new Deferred(this, schema);
    }

    private synchronized OperatorKernel made(String schema) {
        if (kernels == null) {
            Map<String, OperatorKernel> made = new HashMap<>();
            family().register(made::put);
            kernels = made;
        }
        OperatorKernel kernel = kernels.get(schema);
        if (kernel == null) {
            throw new IllegalStateException(className + " has no operator " + schema + " (expected: as in the operator index; build again)");
        }
        return kernel;
    }

    private OperatorFamily family() {
        try {
            return (OperatorFamily) Class.forName(className).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(className + " (expected: a family with a public constructor; build again)", e);
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
