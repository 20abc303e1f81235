/**
 * Devices of the system's own NNAPI runtime, asked and driven through its C interface (NeuralNetworks.h). On Android
 * the runtime is {@code libneuralnetworks.so}; elsewhere the library that the environment's LIBNEURALNETWORKS_PATH
 * names, as for PyTorch's own test.
 */
package org.torchnnapi.driver.android;
