package org.torchnnapi.nnapi.driver;

/**
 * What memory of a device will be to a model that the device has prepared.
 *
 * @param model the driver's own, not yet closed
 * @param input whether the memory will be an input; else it will be an output
 * @param position of the input or output in the prepared model
 * @param frequency how often, from above 0 to 1: a hint
 */
public record MemoryRole(PreparedModel model, boolean input, int position, float frequency) {}
