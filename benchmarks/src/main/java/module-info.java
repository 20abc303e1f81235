module org.torchnnapi.benchmarks {
    requires org.torchnnapi.kernels;
    requires org.torchnnapi.program;
    requires org.torchnnapi.testkit;
    requires jmh.core;
}
