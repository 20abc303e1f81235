package org.torchnnapi.nnapi.driver;

import java.nio.ByteBuffer;
import java.util.List;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;

/**
 * A device, in three verbs: what it is capable of, what of a model it refuses, and preparing a model. Everything else
 * has a plain default. Found by {@link java.util.ServiceLoader}. Methods may be called from several threads.
 */
public interface Driver {
    /** The unique name of the device, such as "reference". */
    String name();

    /** The version of the driver; part of every cache key. */
    String version();

    /** What kind of device it is. */
    DeviceType type();

    /** The newest release whose models it takes. */
    FeatureLevel featureLevel();

    /** First verb: how fast and how frugal it is, by operand type. */
    Capabilities capabilities();

    /**
     * What it knows beyond the specification. Of models with anything else beyond it is shown only the operations that
     * it may know.
     */
    default List<Extension> extensions() {
        return List.of();
    }

    /**
     * Whether it knows an extension of this name, {@link Extension#OEM}'s included: by rule one that it lists; a device
     * that can only be asked by name lists none.
     */
    default boolean hasExtension(String name) {
        return Extension.isAmong(name, extensions());
    }

    /**
     * Second verb: the operations of the model that it does not take, each once with the reason; none when it takes
     * all.
     */
    List<DeviceRefusal> refusals(Model model);

    /**
     * Third verb: makes a model ready, none of whose operations it refuses. The model's constants stay valid and
     * unchanged.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException if it cannot, with the result code to report
     */
    PreparedModel prepare(Model model, PrepareOptions options);

    /**
     * Whether models that it prepares may have {@link PreparedModel#cacheData}. Where preparing anew costs no more than
     * reading and checking what was kept, none is worth keeping: the runtime then writes no file for the device and
     * reads none.
     */
    default boolean keepsCacheData() {
        return false;
    }

    /** What it asks of the models that it prepares. */
    default PartRules partRules() {
        return PartRules.NONE;
    }

    /** Where it likes inputs and outputs to lie. */
    default MemoryPreference memoryPreference() {
        return MemoryPreference.NONE;
    }

    /**
     * Memory of its own for a value that only goes in and out of its executions; null to leave that to the runtime.
     *
     * @param operand of known shape
     * @param roles all that it will be used for, each once; at least one
     */
    default DeviceBuffer allocate(OperandDescriptor operand, List<MemoryRole> roles) {
        return null;
    }

    /**
     * Memory behind a file descriptor as a buffer of its own, which is then bound to its executions beside the bytes
     * that the runtime has mapped; null where those are enough. Asked for once of each memory, before the first
     * execution of the device that uses it.
     *
     * @param descriptor stays the caller's, who may close it afterwards
     * @param offset in bytes
     * @param mapped the same bytes, as many as there are, read-only where the device shall not write; stays mapped
     *     until the buffer is closed, whose {@link DeviceBuffer#host} it is
     */
    default DeviceBuffer importMemory(int descriptor, long offset, ByteBuffer mapped) {
        return null;
    }

    /** Whether it is the reference device: it takes every operation, and what other devices fail at. */
    default boolean isReference() {
        return false;
    }

    /**
     * Whether it only describes a device that is not here: nothing is prepared for it, the reference device computes in
     * its place.
     */
    default boolean isDescription() {
        return false;
    }
}
