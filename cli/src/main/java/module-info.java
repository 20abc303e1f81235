module org.torchnnapi.cli {
    requires org.torchnnapi.testkit;
    requires info.picocli;
    requires com.fasterxml.jackson.databind;
}
