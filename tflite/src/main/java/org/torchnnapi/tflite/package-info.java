/** Writes NNAPI models as TensorFlow Lite's flat buffers; {@link org.torchnnapi.tflite.TfliteExport} is the door. */
package org.torchnnapi.tflite;
