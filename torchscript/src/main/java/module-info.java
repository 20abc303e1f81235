/** TorchScript: archives, source and byte code, graphs, and their execution over the CPU kernels. */
module org.torchnnapi.torchscript {
    requires transitive org.torchnnapi.tensor;
    requires org.torchnnapi.kernels;
    requires org.torchnnapi.program;
    requires java.logging;

    exports org.torchnnapi.torchscript;
    exports org.torchnnapi.torchscript.archive;
    exports org.torchnnapi.torchscript.aten;
    exports org.torchnnapi.torchscript.aten.packed;
    exports org.torchnnapi.torchscript.format;
    exports org.torchnnapi.torchscript.interp;
    exports org.torchnnapi.torchscript.ir;
    exports org.torchnnapi.torchscript.pickle;
    exports org.torchnnapi.torchscript.source;
    exports org.torchnnapi.torchscript.value;
}
