/** TorchScript: archives, values, source and byte code to graphs, and what is known of operators by name. */
module org.torchnnapi.torchscript {
    requires transitive org.torchnnapi.tensor;
    requires flatbuffers.java;

    exports org.torchnnapi.torchscript;
    exports org.torchnnapi.torchscript.archive;
    exports org.torchnnapi.torchscript.bytecode to
            org.torchnnapi.cli,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.testkit;
    exports org.torchnnapi.torchscript.format to
            org.torchnnapi.api,
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.page,
            org.torchnnapi.testkit;
    exports org.torchnnapi.torchscript.ir to
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.differ,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.operators,
            org.torchnnapi.optimizer,
            org.torchnnapi.page,
            org.torchnnapi.pytorch,
            org.torchnnapi.quantizer,
            org.torchnnapi.testkit;
    exports org.torchnnapi.torchscript.passes to
            org.torchnnapi.converter,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.operators,
            org.torchnnapi.optimizer,
            org.torchnnapi.quantizer;
    exports org.torchnnapi.torchscript.pickle to
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.testkit,
            org.torchnnapi.tflite;
    exports org.torchnnapi.torchscript.source to
            org.torchnnapi.converter,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.operators;
    exports org.torchnnapi.torchscript.support to
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.differ,
            org.torchnnapi.engine,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.optimizer,
            org.torchnnapi.quantizer,
            org.torchnnapi.testkit;
    exports org.torchnnapi.torchscript.value;

    uses org.torchnnapi.torchscript.ModuleFormat;
}
