/**
 * Pictures as the inputs of models: resized, cropped and normalised to the bit as Pillow and torchvision do it, on the
 * JVM and on Android. What an application decodes with ({@code ImageIO}, {@code BitmapFactory}) gives the pixels.
 */
package org.torchnnapi.image;
