package org.torchnnapi.driver.cpu;

/** What one execution computes in: all its float values, and all its bytes. */
record Memory(float[] floats, byte[] bytes) {
}
