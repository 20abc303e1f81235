module org.torchnnapi.pytorch {
    requires transitive org.torchnnapi.engine;
}
