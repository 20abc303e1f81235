/** A loaded model that runs: TorchScript joined with the NNAPI runtime. */
module org.torchnnapi.engine {
    requires transitive org.torchnnapi.execution;
    requires transitive org.torchnnapi.nnapi;
    requires org.torchnnapi.kernels;
    requires java.logging;

    exports org.torchnnapi.engine;
}
