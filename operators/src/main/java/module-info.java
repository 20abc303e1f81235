/** What operators mean: their schemas and plain implementations, and the custom classes that hold packed weights. */
module org.torchnnapi.operators {
    requires transitive org.torchnnapi.torchscript;
    requires org.torchnnapi.kernels;
    requires java.logging;

    exports org.torchnnapi.operators to
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.differ,
            org.torchnnapi.execution,
            org.torchnnapi.exported,
            org.torchnnapi.optimizer,
            org.torchnnapi.page,
            org.torchnnapi.quantizer,
            org.torchnnapi.testkit;
    exports org.torchnnapi.operators.packed to
            org.torchnnapi.converter,
            org.torchnnapi.execution,
            org.torchnnapi.exported;
    exports org.torchnnapi.operators.passes to
            org.torchnnapi.converter,
            org.torchnnapi.differ,
            org.torchnnapi.execution,
            org.torchnnapi.optimizer,
            org.torchnnapi.quantizer;
    exports org.torchnnapi.operators.builtin to
            org.torchnnapi.execution;
    exports org.torchnnapi.operators.ops to
            org.torchnnapi.execution;
    exports org.torchnnapi.operators.range to
            org.torchnnapi.converter;
    exports org.torchnnapi.operators.shape to
            org.torchnnapi.converter,
            org.torchnnapi.exported;
    exports org.torchnnapi.operators.support to
            org.torchnnapi.converter,
            org.torchnnapi.execution;
}
