module org.torchnnapi.converter {
    requires transitive org.torchnnapi.engine;
}
