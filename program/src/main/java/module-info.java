/** A graph of kernel operations becomes a fused, packed, memory-planned program. */
module org.torchnnapi.program {
    requires transitive org.torchnnapi.kernels;

    exports org.torchnnapi.program to
            org.torchnnapi.benchmarks,
            org.torchnnapi.driver.cpu,
            org.torchnnapi.execution;
    exports org.torchnnapi.program.op to
            org.torchnnapi.benchmarks,
            org.torchnnapi.driver.cpu,
            org.torchnnapi.execution;
}
