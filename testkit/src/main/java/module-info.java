/** Conformance tests: what devices, converted models and the interpreter must give for recorded cases. */
module org.torchnnapi.testkit {
    requires transitive org.torchnnapi.pytorch;
    requires transitive org.torchnnapi.converter;
    requires org.torchnnapi.exported;
    requires org.torchnnapi.optimizer;
    requires org.torchnnapi.quantizer;
    requires com.fasterxml.jackson.databind;

    exports org.torchnnapi.testkit.captured;
    exports org.torchnnapi.testkit.exported;
    exports org.torchnnapi.testkit.nnapi;
    exports org.torchnnapi.testkit.torch;

    uses org.torchnnapi.nnapi.driver.Driver;
}
