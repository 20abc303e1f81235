/** The {@code torch-nnapi} command: one class per subcommand. */
module org.torchnnapi.cli {
    requires org.torchnnapi.testkit;
    requires org.torchnnapi.api;
    requires org.torchnnapi.kernels;
    requires org.torchnnapi.c;
    requires org.torchnnapi.differ;
    requires org.torchnnapi.exported;
    requires org.torchnnapi.optimizer;
    requires org.torchnnapi.page;
    requires org.torchnnapi.quantizer;
    requires org.torchnnapi.tflite;
    requires info.picocli;
    requires com.fasterxml.jackson.databind;
    requires java.desktop;
    requires java.logging;
    requires jdk.httpserver;

    opens org.torchnnapi.cli to
            info.picocli;
    opens org.torchnnapi.cli.demo to
            info.picocli;
    opens org.torchnnapi.cli.inspect to
            info.picocli;
}
