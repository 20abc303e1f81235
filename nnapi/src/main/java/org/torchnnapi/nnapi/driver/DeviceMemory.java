package org.torchnnapi.nnapi.driver;

/**
 * What a driver holds for a prepared model, in bytes.
 *
 * @param weights what it made of the model's constants; 0 if it uses them where they are
 * @param working what executions compute in, of all that ever ran at the same time
 */
public record DeviceMemory(long weights, long working) {
    /** Nothing, or nothing that the driver knows of. */
    public static final DeviceMemory NONE = new DeviceMemory(0, 0);

    public DeviceMemory plus(DeviceMemory other) {
        return new DeviceMemory(weights + other.weights, working + other.working);
    }
}
