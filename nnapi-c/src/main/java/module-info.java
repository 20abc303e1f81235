/**
 * The runtime behind the C interface of the Neural Networks API: what the library {@code libneuralnetworks.so} calls.
 */
module org.torchnnapi.c {
    requires org.torchnnapi.nnapi;
    requires java.logging;

    exports org.torchnnapi.c;
}
