/** Float modules made quantized ones, from what their layers take and give over some inputs. */
module org.torchnnapi.quantizer {
    requires transitive org.torchnnapi.execution;
    requires org.torchnnapi.optimizer;

    exports org.torchnnapi.quantizer;
}
