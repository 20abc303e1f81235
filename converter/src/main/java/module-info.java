/** From a TorchScript module to one that runs on NNAPI. */
module org.torchnnapi.converter {
    requires transitive org.torchnnapi.engine;
    requires transitive org.torchnnapi.execution;
    requires transitive org.torchnnapi.nnapi;

    exports org.torchnnapi.converter;
    exports org.torchnnapi.converter.check to org.torchnnapi.cli, org.torchnnapi.tflite;
    exports org.torchnnapi.converter.compare to org.torchnnapi.cli, org.torchnnapi.page;
    exports org.torchnnapi.converter.emit to org.torchnnapi.cli, org.torchnnapi.page, org.torchnnapi.testkit;
    exports org.torchnnapi.converter.free to org.torchnnapi.cli, org.torchnnapi.tflite;
    exports org.torchnnapi.converter.input;
    exports org.torchnnapi.converter.level;
    exports org.torchnnapi.converter.lower to org.torchnnapi.testkit;
    exports org.torchnnapi.converter.optimize to org.torchnnapi.cli;
    exports org.torchnnapi.converter.quantize;
    exports org.torchnnapi.converter.report;
}
