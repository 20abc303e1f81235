module org.torchnnapi.pytorch {
    requires transitive org.torchnnapi.engine;

    exports org.pytorch;
    exports org.pytorch.torchvision;
}
