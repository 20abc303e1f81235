/**
 * What an application needs: PyTorch's own Java API ({@code org.pytorch}), the converter and quantizer, and the runtime
 * with its explanations.
 */
module org.torchnnapi.api {
    requires transitive org.torchnnapi.pytorch;
    requires transitive org.torchnnapi.converter;
    requires transitive org.torchnnapi.quantizer;
    // For ImageFile alone.
    requires static java.desktop;

    exports org.torchnnapi.api;
}
