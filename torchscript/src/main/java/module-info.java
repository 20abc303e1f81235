module org.torchnnapi.torchscript {
    requires transitive org.torchnnapi.tensor;
    requires org.torchnnapi.kernels;
}
