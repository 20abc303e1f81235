/** The NNAPI 1.3 runtime: models, operations, devices, compilations and executions. */
module org.torchnnapi.nnapi {
    requires transitive org.torchnnapi.tensor;
    requires java.logging;

    exports org.torchnnapi.nnapi.model;
    exports org.torchnnapi.nnapi.op;
    exports org.torchnnapi.nnapi.driver;
    exports org.torchnnapi.nnapi.runtime;

    uses org.torchnnapi.nnapi.driver.Driver;
    uses org.torchnnapi.nnapi.driver.DriverSource;
}
