module org.torchnnapi.engine {
    requires transitive org.torchnnapi.torchscript;
    requires transitive org.torchnnapi.nnapi;
    requires org.torchnnapi.kernels;

    exports org.torchnnapi.engine;
}
