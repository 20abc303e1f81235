/** Loaded modules that run: an interpreter of graphs, and methods compiled into programs over the CPU kernels. */
module org.torchnnapi.execution {
    requires transitive org.torchnnapi.operators;
    requires org.torchnnapi.kernels;
    requires org.torchnnapi.program;

    exports org.torchnnapi.execution;
    exports org.torchnnapi.execution.interp to
            org.torchnnapi.cli,
            org.torchnnapi.converter,
            org.torchnnapi.differ,
            org.torchnnapi.engine,
            org.torchnnapi.exported,
            org.torchnnapi.optimizer,
            org.torchnnapi.page,
            org.torchnnapi.quantizer,
            org.torchnnapi.testkit;
}
