/** Fast CPU kernels: convolution, matrix product, pooling and element-wise work, float and quantized. */
module org.torchnnapi.kernels {
    requires transitive org.torchnnapi.tensor;

    exports org.torchnnapi.kernels;
}
