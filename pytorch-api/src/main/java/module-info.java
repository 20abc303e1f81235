/** The Java API of PyTorch 1.13, org.pytorch, over the engine. */
module org.torchnnapi.pytorch {
    requires transitive org.torchnnapi.engine;
    requires java.logging;

    exports org.pytorch;
    exports org.pytorch.torchvision;
    exports org.torchnnapi.image;
}
