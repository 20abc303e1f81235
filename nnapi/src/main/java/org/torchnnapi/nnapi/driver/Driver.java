package org.torchnnapi.nnapi.driver;

import java.util.List;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;

/**
 * A device, in three verbs: what it is capable of, what of a model it refuses, and preparing a model. Everything else has a plain default. Found
 * by {@link java.util.ServiceLoader}. Methods may be called from several threads.
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

    /** Second verb: the operations of the model that it does not take, each once with the reason; none when it takes all. */
    List<Refusal> refusals(Model model);

    /**
     * Third verb: makes a model ready, none of whose operations it refuses. The model's constants stay valid and unchanged.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException if it cannot, with the result code to report
     */
    PreparedModel prepare(Model model, PrepareOptions options);

    /** What it asks of the models that it prepares. */
    default PartRules partRules() {
        return PartRules.NONE;
    }

    /** Whether it is the reference device: it takes every operation, and what other devices fail at. */
    default boolean isReference() {
        return false;
    }

    /** Whether it only describes a device that is not here: nothing is prepared for it, the reference device computes in its place. */
    default boolean isDescription() {
        return false;
    }
}
