/** Data types, shapes, quantization, and the memory of tensors. */
module org.torchnnapi.tensor {
    exports org.torchnnapi.tensor;
    exports org.torchnnapi.tensor.platform to
            org.torchnnapi.api,
            org.torchnnapi.c,
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.differ,
            org.torchnnapi.driver.android,
            org.torchnnapi.driver.cpu,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.kernels,
            org.torchnnapi.nnapi,
            org.torchnnapi.operators,
            org.torchnnapi.optimizer,
            org.torchnnapi.page,
            org.torchnnapi.program,
            org.torchnnapi.pytorch,
            org.torchnnapi.quantizer,
            org.torchnnapi.testkit,
            org.torchnnapi.torchscript;
}
