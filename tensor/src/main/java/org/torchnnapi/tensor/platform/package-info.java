/**
 * What the Java library of a JDK has and that of Android 8 lacks. The core of the house calls these instead, and the
 * build checks each of its jars, method by method, against the public interface of the lowest Android it runs on.
 * Besides, what every module asks of its thread.
 */
package org.torchnnapi.tensor.platform;
