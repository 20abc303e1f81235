/** Two runs of models recorded operator by operator, NNAPI's operations included, and compared layer by layer. */
module org.torchnnapi.differ {
    requires transitive org.torchnnapi.converter;

    exports org.torchnnapi.differ to
            org.torchnnapi.cli,
            org.torchnnapi.page;
}
