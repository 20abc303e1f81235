module org.torchnnapi.testkit {
    requires transitive org.torchnnapi.pytorch;
    requires transitive org.torchnnapi.converter;
    requires com.fasterxml.jackson.databind;
}
