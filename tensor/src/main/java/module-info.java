module org.torchnnapi.tensor {
    exports org.torchnnapi.tensor;
}
