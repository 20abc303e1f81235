module org.torchnnapi.benchmarks {
    requires org.torchnnapi.testkit;
    requires jmh.core;
}
