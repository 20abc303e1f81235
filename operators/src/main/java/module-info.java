/** What operators mean: their schemas and plain implementations, and the custom classes that hold packed weights. */
module org.torchnnapi.operators {
    requires transitive org.torchnnapi.torchscript;
    requires org.torchnnapi.kernels;
    requires java.logging;

    exports org.torchnnapi.operators;
    exports org.torchnnapi.operators.packed;
    exports org.torchnnapi.operators.passes;
    exports org.torchnnapi.operators.builtin to org.torchnnapi.execution;
    exports org.torchnnapi.operators.ops to org.torchnnapi.execution;
    exports org.torchnnapi.operators.support to org.torchnnapi.execution;
}
