/** Data types, shapes, quantization, and the memory of tensors. */
module org.torchnnapi.tensor {
    exports org.torchnnapi.tensor;
    exports org.torchnnapi.tensor.platform;
}
