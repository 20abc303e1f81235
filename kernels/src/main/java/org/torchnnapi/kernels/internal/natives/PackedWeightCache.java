package org.torchnnapi.kernels.internal.natives;

import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.WeightsOrigin;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Packed weights, in one memory for all plans that have the same: those of one layer for images of several sizes, and
 * those of several models of one file. Weights whose origin is that of others are not even read; others that may be
 * there already are packed aside and compared byte by byte. Safe for use by several threads.
 */
final class PackedWeightCache {
    /** Less is not worth looking for. */
    private static final int LEAST = 4096;
    /** Elements that tell weights apart before they are packed. */
    private static final int SAMPLES = 64;

    private static final Map<Key, List<WeakReference<NativeMemory>>> KNOWN = new HashMap<>();
    /** The same memory by what it was packed of, where that has an origin. */
    private static final Map<Packed, WeakReference<NativeMemory>> ORIGINS = new HashMap<>();

    private static final int LEAST_ORIGINS = 256;
    /** With so many, those that are gone are thrown away before another comes. */
    private static int mostOrigins = LEAST_ORIGINS;
    /** What was packed aside last lay here; confined to the class's lock. */
    private static SoftReference<NativeMemory> aside = new SoftReference<>(null);

    /** Fills memory that is zero. */
    interface Packing {
        void into(NativeMemory memory);
    }

    private record Key(long size, long sample) {}

    private record Packed(WeightsOrigin origin, List<?> form) {}

    private PackedWeightCache() {}

    /**
     * What a form packs of weights: that which is known of their origin, or else of their numbers.
     *
     * @param form all that tells one way to pack the same weights from another
     */
    static NativeMemory of(Weights weights, List<?> form, long size, Packing packing) {
        return known(weights.origin(), form, size, () -> of(weights.values(), size, packing));
    }

    /** The same of integers; that they have a sign and their zero points need not be in the form. */
    static NativeMemory of(QuantizedWeights weights, List<?> form, long size, Packing packing) {
        List<Object> whole = new ArrayList<>(form);
        whole.add(weights.signed());
        for (int zeroPoint : weights.zeroPoints()) {
            whole.add(zeroPoint);
        }
        return known(weights.origin(), whole, size, () -> of(weights.values(), size, packing));
    }

    private static NativeMemory known(WeightsOrigin origin, List<?> form, long size, Supplier<NativeMemory> packing) {
        if (origin == null || size < LEAST) {
            return packing.get();
        }
        Packed packed = new Packed(origin, form);
        synchronized (ORIGINS) {
            WeakReference<NativeMemory> known = ORIGINS.get(packed);
            NativeMemory memory = known == null ? null : known.get();
            if (memory != null) {
                return memory;
            }
        }
        NativeMemory memory = packing.get();
        synchronized (ORIGINS) {
            if (ORIGINS.size() >= mostOrigins) {
                ORIGINS.entrySet()
                        .removeIf(entry -> entry.getValue().get() == null
                                || entry.getKey().origin.isGone());
                mostOrigins = Math.max(LEAST_ORIGINS, 2 * ORIGINS.size());
            }
            ORIGINS.put(packed, new WeakReference<>(memory));
        }
        return memory;
    }

    static NativeMemory of(float[] weights, long size, Packing packing) {
        long hash = weights.length;
        for (int i = 0; i < Math.min(weights.length, SAMPLES); i++) {
            hash = hash * 0x9E3779B97F4A7C15L
                    + Float.floatToRawIntBits(weights[(int) ((long) i * weights.length / SAMPLES % weights.length)]);
        }
        return of(new Key(size, hash), packing);
    }

    static NativeMemory of(byte[] weights, long size, Packing packing) {
        long hash = ~weights.length;
        for (int i = 0; i < Math.min(weights.length, SAMPLES); i++) {
            hash = hash * 0x9E3779B97F4A7C15L + weights[(int) ((long) i * weights.length / SAMPLES % weights.length)];
        }
        return of(new Key(size, hash), packing);
    }

    private static NativeMemory of(Key key, Packing packing) {
        if (key.size >= LEAST) {
            List<NativeMemory> candidates = known(key);
            if (!candidates.isEmpty()) {
                return like(candidates, key, packing);
            }
        }
        NativeMemory packed = NativeMemory.lasting(key.size);
        packing.into(packed);
        if (key.size >= LEAST) {
            add(key, packed);
        }
        return packed;
    }

    private static List<NativeMemory> known(Key key) {
        List<NativeMemory> alive = new ArrayList<>();
        synchronized (KNOWN) {
            List<WeakReference<NativeMemory>> references = KNOWN.get(key);
            if (references != null) {
                references.removeIf(reference -> reference.get() == null);
                references.forEach(reference -> alive.add(reference.get()));
                alive.removeIf(memory -> memory == null);
            }
        }
        return alive;
    }

    private static void add(Key key, NativeMemory packed) {
        synchronized (KNOWN) {
            KNOWN.values().removeIf(references -> references.stream().allMatch(reference -> reference.get() == null));
            KNOWN.computeIfAbsent(key, k -> new ArrayList<>(1)).add(new WeakReference<>(packed));
        }
    }

    /** The candidate that the weights would be, or else new memory with them. */
    private static synchronized NativeMemory like(List<NativeMemory> candidates, Key key, Packing packing) {
        NativeMemory place = aside.get();
        if (place == null || place.size() < key.size) {
            place = new NativeMemory(key.size);
            aside = new SoftReference<>(place);
        } else {
            clear(place.bytes(), (int) key.size);
        }
        packing.into(place);
        ByteBuffer bytes = Buffers.slice(place.bytes(), 0, (int) key.size);
        for (NativeMemory candidate : candidates) {
            if (Buffers.slice(candidate.bytes(), 0, (int) key.size).equals(bytes)) {
                return candidate;
            }
        }
        NativeMemory packed = NativeMemory.lasting(key.size);
        packed.bytes().duplicate().put(bytes);
        add(key, packed);
        return packed;
    }

    private static void clear(ByteBuffer bytes, int count) {
        byte[] zeros = new byte[Math.min(count, 1 << 16)];
        for (int at = 0; at < count; at += zeros.length) {
            Buffers.put(bytes, at, zeros, 0, Math.min(zeros.length, count - at));
        }
    }

    /**
     * Bytes of packed weights that plans refer to, each memory once; those that no plan refers to count until they are
     * collected.
     */
    static long bytes() {
        synchronized (KNOWN) {
            return KNOWN.values().stream()
                    .flatMap(List::stream)
                    .map(WeakReference::get)
                    .filter(memory -> memory != null)
                    .mapToLong(NativeMemory::size)
                    .sum();
        }
    }
}
