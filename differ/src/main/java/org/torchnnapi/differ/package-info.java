/**
 * Two runs of one model beside each other, layer by layer: float and quantized, plain and converted, on one device and
 * on another.
 */
package org.torchnnapi.differ;
