module org.torchnnapi.kernels {
    requires transitive org.torchnnapi.tensor;
}
