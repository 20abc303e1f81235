/** Fast CPU kernels: convolution, matrix product, pooling and element-wise work, float and quantized. */
module org.torchnnapi.kernels {
    exports org.torchnnapi.kernels;
}
