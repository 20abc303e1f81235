package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Which tensors of a run may have other elements in another call, and which other sizes, by their memory. Confined to
 * one thread.
 */
final class CallDependence {
    /** Arguments of operators that say how large a result is, where they are not left out. */
    private static final Set<String> SIZES = Set.of("num_classes", "output_size", "size");

    private final Set<Storage> varying = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Memory of tensors whose sizes follow from elements that vary. */
    private final Set<Storage> sized = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Storages that show another's memory as another type. */
    private final Map<Storage, Storage> shown = new IdentityHashMap<>();

    /** A test of a tensor. */
    interface Test {
        boolean holds(Tensor tensor);
    }

    /** Whether a test holds for any tensor of some values; all are tested. */
    static boolean any(Object[] values, Test test) {
        boolean any = false;
        for (Object value : values) {
            if (value instanceof Tensor tensor) {
                any |= test.holds(tensor);
            } else if (value instanceof Object[] several) {
                any |= any(several, test);
            } else if (TreeSpec.isContainer(value)) {
                List<Object> parts = new ArrayList<>();
                TreeSpec.parts(value, (key, part) -> parts.add(part));
                any |= any(parts.toArray(), test);
            }
        }
        return any;
    }

    /** Another call may have other elements there. */
    void vary(Tensor tensor) {
        varying.add(root(tensor));
    }

    /** Whether another call may have other elements there. */
    boolean varies(Tensor tensor) {
        return varying.contains(root(tensor));
    }

    /** Whether its sizes may be others in another call. */
    boolean isSized(Tensor tensor) {
        return sized.contains(root(tensor));
    }

    /** A tensor follows from another alone. */
    void follow(Tensor source, Tensor other) {
        if (varies(source)) {
            vary(other);
        }
        if (isSized(source)) {
            sized.add(root(other));
        }
    }

    /**
     * An operator was called.
     *
     * @param varies whether elements of what it gives and writes to may be others in another call
     * @param isSized the same of their sizes
     */
    void called(Node node, Object[] given, Object result, boolean varies, boolean isSized) {
        FunctionSchema schema = node.schema();
        List<Object> touched = new ArrayList<>();
        touched.add(result);
        for (int i = 0; i < given.length && i < schema.arguments().size(); i++) {
            if (schema.arguments().get(i).mutated()) {
                touched.add(given[i]);
            }
        }
        if (schema.isView() && result instanceof Tensor view && given[0] instanceof Tensor base) {
            if (view.storage() != base.storage()) {
                shown.put(view.storage(), base.storage());
            }
        }
        any(touched.toArray(), tensor -> {
            if (varies) {
                vary(tensor);
            }
            if (isSized) {
                sized.add(root(tensor));
            }
            return false;
        });
    }

    /** Whether an operator writes to a tensor that it is given. */
    static boolean writesTensors(Node node, Object[] given) {
        FunctionSchema schema = node.schema();
        for (int i = 0;
                schema != null && i < given.length && i < schema.arguments().size();
                i++) {
            if (schema.arguments().get(i).mutated() && given[i] instanceof Tensor) {
                return true;
            }
        }
        return false;
    }

    /** Whether how many elements a result has follows from elements that vary. */
    static boolean opens(Node node, Object[] given, boolean varies) {
        if (!varies) {
            return false;
        }
        boolean masked = node.kind().endsWith("index")
                && given.length > 1
                && given[1] instanceof ScriptList indices
                && indices.items().stream()
                        .anyMatch(item -> item instanceof Tensor tensor
                                && (tensor.dtype() == DType.BOOL || tensor.dtype() == DType.UINT8));
        return masked
                || OperatorTrait.DATA_DEPENDENT.of(node) && !saysItsSize(node.schema(), given)
                || node.is("aten::linalg_lstsq");
    }

    /** Whether an argument says how large a result is that otherwise follows from elements. */
    private static boolean saysItsSize(FunctionSchema schema, Object... given) {
        for (int i = 0;
                schema != null && i < given.length && i < schema.arguments().size();
                i++) {
            if (SIZES.contains(schema.arguments().get(i).name()) && given[i] instanceof Long size && size >= 0) {
                return true;
            }
        }
        return false;
    }

    /** The memory that a tensor shows, the same for all that show it. */
    Storage root(Tensor tensor) {
        Storage storage = tensor.storage();
        for (Storage other = shown.get(storage); other != null; other = shown.get(storage)) {
            storage = other;
        }
        return storage;
    }
}
