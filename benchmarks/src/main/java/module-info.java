/** Benchmarks of kernels, of NNAPI operations and of the runtime, with JMH. */
module org.torchnnapi.benchmarks {
    requires org.torchnnapi.kernels;
    requires org.torchnnapi.program;
    requires org.torchnnapi.testkit;
    requires jmh.core;
}
