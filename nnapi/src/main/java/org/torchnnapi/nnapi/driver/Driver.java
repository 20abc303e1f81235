package org.torchnnapi.nnapi.driver;

import java.util.List;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;

/**
 * A device, in three verbs: what it is capable of, which operations of a model it supports, and preparing a model. Found
 * by {@link java.util.ServiceLoader}. Methods may be called from several threads.
 */
public interface Driver {
    /** The unique name of the device, such as "reference". */
    String name();

    /** The version of the driver; part of every cache key. */
    String version();

    /** What kind of device it is. */
    DeviceType type();

    /** Whether it is the reference device: it takes every operation, and what other devices fail at. */
    default boolean isReference() {
        return false;
    }

    /** The newest release whose models it takes. */
    FeatureLevel featureLevel();

    /** First verb: how fast and how frugal it is, by operand type. */
    Capabilities capabilities();

    /**
     * Second verb: one entry for each operation of the model, in its order: null when supported, else the reason why not, as the value
     * found and the rule.
     */
    List<String> supportedOperations(Model model);

    /**
     * Third verb: makes a model ready, all of whose operations are supported. The model's constants stay valid and unchanged.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException if it cannot, with the result code to report
     */
    PreparedModel prepare(Model model, PrepareOptions options);
}
