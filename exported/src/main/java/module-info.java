/** Archives of torch.export ({@code .pt2}): their programs become graphs like those of TorchScript, and back. */
module org.torchnnapi.exported {
    requires transitive org.torchnnapi.execution;
    requires com.fasterxml.jackson.core;

    exports org.torchnnapi.exported to
            org.torchnnapi.cli,
            org.torchnnapi.testkit;
    exports org.torchnnapi.exported.lowering to
            org.torchnnapi.cli,
            org.torchnnapi.testkit;

    provides org.torchnnapi.torchscript.ModuleFormat with
            org.torchnnapi.exported.ExportedFormat;
}
