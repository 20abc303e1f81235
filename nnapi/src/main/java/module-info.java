module org.torchnnapi.nnapi {
    requires transitive org.torchnnapi.tensor;
}
