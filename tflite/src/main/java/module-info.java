/** Converted models as files of TensorFlow Lite. */
module org.torchnnapi.tflite {
    requires transitive org.torchnnapi.converter;
    requires flatbuffers.java;
    requires tensorflow.lite.metadata;

    exports org.torchnnapi.tflite;
}
