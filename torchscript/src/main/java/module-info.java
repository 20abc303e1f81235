/** TorchScript: archives, values, source and byte code to graphs, and what is known of operators by name. */
module org.torchnnapi.torchscript {
    requires transitive org.torchnnapi.tensor;

    exports org.torchnnapi.torchscript;
    exports org.torchnnapi.torchscript.archive;
    exports org.torchnnapi.torchscript.bytecode;
    exports org.torchnnapi.torchscript.format;
    exports org.torchnnapi.torchscript.ir;
    exports org.torchnnapi.torchscript.passes;
    exports org.torchnnapi.torchscript.pickle;
    exports org.torchnnapi.torchscript.print;
    exports org.torchnnapi.torchscript.source;
    exports org.torchnnapi.torchscript.value;
}
