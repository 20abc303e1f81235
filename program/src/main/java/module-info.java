/** A graph of kernel operations becomes a fused, packed, memory-planned program. */
module org.torchnnapi.program {
    requires transitive org.torchnnapi.kernels;

    exports org.torchnnapi.program;
    exports org.torchnnapi.program.op;
}
