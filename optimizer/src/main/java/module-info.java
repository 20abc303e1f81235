/** TorchScript modules rewritten for phones: frozen, folded, prepacked, as PyTorch's mobile optimizer leaves them. */
module org.torchnnapi.optimizer {
    requires transitive org.torchnnapi.execution;

    exports org.torchnnapi.optimizer to
            org.torchnnapi.cli,
            org.torchnnapi.quantizer,
            org.torchnnapi.testkit;
}
