/** Data types, shapes, quantization, and the memory of tensors. */
module org.torchnnapi.tensor {
    exports org.torchnnapi.tensor;
    exports org.torchnnapi.tensor.platform to
        org.torchnnapi.api, org.torchnnapi.cli, org.torchnnapi.converter, org.torchnnapi.driver.android, org.torchnnapi.driver.cpu,
        org.torchnnapi.engine, org.torchnnapi.execution, org.torchnnapi.kernels, org.torchnnapi.nnapi, org.torchnnapi.operators, org.torchnnapi.page,
        org.torchnnapi.program, org.torchnnapi.pytorch, org.torchnnapi.testkit, org.torchnnapi.torchscript;
}
