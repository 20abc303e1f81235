package org.torchnnapi.nnapi.runtime;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** A device as applications see it. One that died or hung is fenced off: it is offered no further work. */
public final class Device {

    private final Driver driver;
    private volatile String fence;

    Device(Driver driver) {
        this.driver = driver;
    }

    public String name() {
        return driver.name();
    }

    public DeviceType type() {
        return driver.type();
    }

    public String version() {
        return driver.version();
    }

    public FeatureLevel featureLevel() {
        return driver.featureLevel();
    }

    public Capabilities capabilities() {
        return driver.capabilities();
    }

    /** Whether it is the reference device, which finishes what others fail at. */
    public boolean isReference() {
        return driver instanceof ReferenceDriver;
    }

    /**
     * For each operation of the model null, or the reason why the device does not take it.
     *
     * @throws NnapiException DEAD_OBJECT if the driver fails to answer
     */
    public List<String> supportedOperations(Model model) {
        List<String> answer;
        try {
            answer = driver.supportedOperations(model);
        } catch (RuntimeException | LinkageError e) {
            fence("failed to say what it supports", e);
            throw new NnapiException(ResultCode.DEAD_OBJECT, "device " + name() + ": " + e, e);
        }
        if (answer == null || answer.size() != model.operations().size()) {
            throw new NnapiException(ResultCode.DEAD_OBJECT, "device " + name() + ": answers for "
                    + (answer == null ? "no" : answer.size()) + " operations (expected: " + model.operations().size() + ")");
        }
        return answer;
    }

    Driver driver() {
        return driver;
    }

    /** Why the device gets no more work, or null while it does. */
    public String fenced() {
        return fence;
    }

    /** Offers the device work again, but for parts of models that failed on it already. */
    public void unfence() {
        fence = null;
    }

    /** Fences the device off, warning once. */
    void fence(String reason, Throwable cause) {
        synchronized (this) {
            if (fence != null) {
                return;
            }
            fence = reason;
        }
        Logger.getLogger(Device.class.getName()).log(Level.WARNING, "device " + name() + " " + reason + "; it gets no more work, the reference device takes over", cause);
    }

    @Override
    public String toString() {
        return name() + " (" + type() + ", version " + version() + ", " + featureLevel() + ")";
    }
}
