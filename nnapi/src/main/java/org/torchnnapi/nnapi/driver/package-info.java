/**
 * What a device is to the runtime. A {@link org.torchnnapi.nnapi.driver.Driver} is three verbs (capabilities, refusals,
 * prepare), and what it prepares has one (execute); all else has a plain default: what it asks of its parts
 * ({@link org.torchnnapi.nnapi.driver.PartRules}), memory of its own and what it imports by descriptors
 * ({@link org.torchnnapi.nnapi.driver.DeviceBuffer}), fences, bursts, the places it likes inputs and outputs at, types
 * and operations of its own ({@link org.torchnnapi.nnapi.driver.Extension}), and times. Drivers are found by
 * {@link java.util.ServiceLoader}: name the class in {@code META-INF/services/org.torchnnapi.nnapi.driver.Driver} and,
 * in a module, by {@code provides}.
 *
 * <p>Who owns what: the runtime owns models, requests and buffers, and lends them for the length of a call; the driver
 * owns what it prepares until {@link org.torchnnapi.nnapi.driver.PreparedModel#close}, and its own memory until
 * {@link org.torchnnapi.nnapi.driver.DeviceBuffer#close}. A failure costs a driver the part of the model that it failed
 * at; one that reports DEAD_OBJECT, or does not return in time, gets no work for a while.
 */
package org.torchnnapi.nnapi.driver;
