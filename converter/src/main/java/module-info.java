/** From a TorchScript module to one that runs on NNAPI. */
module org.torchnnapi.converter {
    requires transitive org.torchnnapi.engine;
    requires transitive org.torchnnapi.execution;
    requires transitive org.torchnnapi.nnapi;

    exports org.torchnnapi.converter;
    exports org.torchnnapi.converter.check;
    exports org.torchnnapi.converter.compare;
    exports org.torchnnapi.converter.emit;
    exports org.torchnnapi.converter.free;
    exports org.torchnnapi.converter.input;
    exports org.torchnnapi.converter.level;
    exports org.torchnnapi.converter.lower;
    exports org.torchnnapi.converter.optimize;
    exports org.torchnnapi.converter.quantize;
    exports org.torchnnapi.converter.report;
    exports org.torchnnapi.converter.shape;
    exports org.torchnnapi.converter.split;
}
