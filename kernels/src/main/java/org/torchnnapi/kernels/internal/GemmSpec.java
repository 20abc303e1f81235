package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Clamp;

/** {@code C[m][n] = clamp(alpha * A[m][k] * B[k][n] + beta * C)}, all three strided; C's columns are adjacent. */
public record GemmSpec(
        int m, int n, int k, int aRow, int aCol, int bRow, int bCol, int cRow, float alpha, float beta, Clamp clamp) {}
