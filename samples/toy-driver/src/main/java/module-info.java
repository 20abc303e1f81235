/** A device of about a hundred lines. */
module org.torchnnapi.samples.toy {
    requires transitive org.torchnnapi.nnapi;

    exports org.torchnnapi.samples.toy;

    provides org.torchnnapi.nnapi.driver.Driver with
            org.torchnnapi.samples.toy.ToyDriver;
}
