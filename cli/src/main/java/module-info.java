/** The {@code torch-nnapi} command: one class per subcommand. */
module org.torchnnapi.cli {
    requires org.torchnnapi.testkit;
    requires info.picocli;
    requires java.desktop;
    requires com.fasterxml.jackson.databind;

    opens org.torchnnapi.cli to info.picocli;
}
