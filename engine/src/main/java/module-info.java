module org.torchnnapi.engine {
    requires transitive org.torchnnapi.torchscript;
    requires transitive org.torchnnapi.nnapi;

    exports org.torchnnapi.engine;
}
