/**
 * What a device is to the runtime. A {@link org.torchnnapi.nnapi.driver.Driver} is three verbs (capabilities, supported operations, prepare), and
 * what it prepares has one (execute). Drivers are found by {@link java.util.ServiceLoader}: name the class in
 * {@code META-INF/services/org.torchnnapi.nnapi.driver.Driver} and, in a module, by {@code provides}.
 *
 * <p>Who owns what: the runtime owns models, requests and buffers, and lends them for the length of a call; the driver owns what it
 * prepares until {@link org.torchnnapi.nnapi.driver.PreparedModel#close}. A driver that throws anything but a result code, or
 * reports DEAD_OBJECT, is taken for dead and gets no more work.
 */
package org.torchnnapi.nnapi.driver;
