/** From a TorchScript module to one that runs on NNAPI. */
module org.torchnnapi.converter {
    requires transitive org.torchnnapi.engine;
    requires transitive org.torchnnapi.execution;
    requires transitive org.torchnnapi.nnapi;

    exports org.torchnnapi.converter;
    exports org.torchnnapi.converter.check to
            org.torchnnapi.cli,
            org.torchnnapi.tflite;
    exports org.torchnnapi.converter.emit to
            org.torchnnapi.cli,
            org.torchnnapi.differ,
            org.torchnnapi.page,
            org.torchnnapi.testkit;
    exports org.torchnnapi.converter.input;
    exports org.torchnnapi.converter.level;
    exports org.torchnnapi.converter.model to
            org.torchnnapi.differ,
            org.torchnnapi.testkit;
    exports org.torchnnapi.converter.partition to
            org.torchnnapi.cli,
            org.torchnnapi.testkit,
            org.torchnnapi.tflite;
    exports org.torchnnapi.converter.report;
}
