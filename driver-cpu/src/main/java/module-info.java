/** The fast NNAPI device: a partition becomes a fused, packed, memory-planned program over the CPU kernels. */
module org.torchnnapi.driver.cpu {
    requires transitive org.torchnnapi.nnapi;
    requires org.torchnnapi.program;
    requires java.logging;

    exports org.torchnnapi.driver.cpu to
            org.torchnnapi.c;

    provides org.torchnnapi.nnapi.driver.Driver with
            org.torchnnapi.driver.cpu.CpuDriver;
}
