package org.torchnnapi.program;

/** What one run computes in: all its floats, and all its bytes. */
public record Memory(float[] floats, byte[] bytes) {
}
