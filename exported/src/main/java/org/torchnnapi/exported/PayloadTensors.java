package org.torchnnapi.exported;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;

/**
 * Tensors whose storages are entries of raw bytes, with sizes, strides and offset in a table. Tensors of one entry
 * share its storage.
 */
final class PayloadTensors implements TensorTable {
    /** Elements that a view with zero strides may have for each of its storage, beyond a free allowance. */
    private static final long MAX_EXPANSION = 4096;

    private static final long FREE_EXPANSION = 1 << 24;

    private final Map<String, Json> config;
    private final Function<String, ByteBuffer> payloads;
    private final Map<String, Storage> storages = new HashMap<>();
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();
    /** What pickled payloads hold, by their tensors' names. */
    private final Map<String, Object> pickled = new HashMap<>();

    /** @param payloads the bytes of an entry by name */
    PayloadTensors(Json config, Function<String, ByteBuffer> payloads) {
        this.config = config.fields();
        this.payloads = payloads;
    }

    @Override
    public Tensor find(String name) {
        Tensor known = tensors.get(name);
        if (known == null && config.containsKey(name)) {
            known = tensor(name, config.get(name));
            tensors.put(name, known);
        }
        return known;
    }

    @Override
    public Map<String, Tensor> parts(String name) {
        Json entry = config.get(name);
        return entry != null && isPickled(entry) ? TensorParts.of(pickled(name, entry)) : null;
    }

    private static boolean isPickled(Json entry) {
        return !entry.get("use_pickle").isNull() && entry.get("use_pickle").flag();
    }

    private Object pickled(String name, Json entry) {
        return pickled.computeIfAbsent(name, first -> {
            String payload = entry.get("path_name").text();
            return new SavedTensors(payload, payloads.apply(payload), entry.budget()).named();
        });
    }

    private Tensor tensor(String name, Json entry) {
        String payload = entry.get("path_name").text();
        if (isPickled(entry)) {
            if (pickled(name, entry) instanceof Tensor tensor) {
                return tensor;
            }
            throw new ArchiveException(entry.place() + ": " + payload + " is no tensor (expected: a tensor)");
        }
        Json meta = entry.get("tensor_meta");
        ElementTypes.layout(meta.get("layout"));
        DType type = ElementTypes.of(meta.get("dtype"));
        int[] sizes = ints(meta.get("sizes"));
        int[] strides = ints(meta.get("strides"));
        int offset = size(meta.get("storage_offset"));
        Storage storage = storage(entry, payload, type);
        long count = count(meta.get("sizes"), sizes);
        if (count > 0 && storage.length() == 0) {
            throw new ArchiveException(entry.place() + ": " + payload + " has no bytes (expected: " + count + " "
                    + type.torchName() + "; save the program with its weights, not under FakeTensorMode)");
        }
        if (count > Math.max(FREE_EXPANSION, MAX_EXPANSION * storage.length())) {
            throw new ArchiveException(entry.place() + ": " + count + " elements over a storage of " + storage.length()
                    + " (expected: at most " + MAX_EXPANSION + " times as many)");
        }
        try {
            return new Tensor(storage, offset, sizes, strides, null);
        } catch (IllegalArgumentException e) {
            throw new ArchiveException(entry.place() + ": " + e.getMessage(), e);
        }
    }

    private Storage storage(Json entry, String payload, DType type) {
        String key = type + "/" + payload;
        Storage known = storages.get(key);
        if (known == null) {
            ByteBuffer bytes = payloads.apply(payload);
            if (bytes.remaining() % type.bytes() != 0) {
                throw new ArchiveException(entry.place() + ": " + payload + " has " + bytes.remaining()
                        + " bytes (expected: a multiple of " + type.bytes() + " for " + type.torchName() + ")");
            }
            known = Storage.ofBytes(type, bytes);
            storages.put(key, known);
        }
        return known;
    }

    private static int[] ints(Json list) {
        List<Json> items = list.items();
        int[] sizes = new int[items.size()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = size(items.get(i));
        }
        return sizes;
    }

    private static long count(Json place, int[] sizes) {
        try {
            return Shape.numel(sizes);
        } catch (IllegalArgumentException e) {
            throw new ArchiveException(place.place() + ": " + e.getMessage(), e);
        }
    }

    private static int size(Json symInt) {
        long size = symInt.get("as_int").integer();
        if (size < 0 || size > Integer.MAX_VALUE) {
            throw symInt.error("0 to " + Integer.MAX_VALUE);
        }
        return (int) size;
    }
}
