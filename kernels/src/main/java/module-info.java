/** Fast CPU kernels: convolution, matrix product, pooling and element-wise work, float and quantized. */
module org.torchnnapi.kernels {
    requires transitive org.torchnnapi.tensor;

    exports org.torchnnapi.kernels to
            org.torchnnapi.benchmarks,
            org.torchnnapi.cli,
            org.torchnnapi.driver.cpu,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.operators,
            org.torchnnapi.program;
}
