package org.torchnnapi.samples.camera

import java.nio.ByteBuffer
import org.pytorch.IValue
import org.pytorch.Module
import org.torchnnapi.image.ImagePreprocessing
import org.torchnnapi.image.RgbImage

/**
 * A frame as CameraX gives it in RGBA_8888: rows of four bytes a pixel, [rowStride] bytes apart. Turned by [degrees]
 * clockwise (0, 90, 180 or 270) it stands upright.
 */
class Frame(
    val width: Int,
    val height: Int,
    private val pixels: ByteBuffer,
    private val rowStride: Int,
    private val degrees: Int,
) {
    /** Red, green and blue of each pixel, upright. */
    fun upright(): RgbImage {
        val rgb = ByteArray(3 * width * height)
        val row = ByteArray(4 * width)
        val bytes = pixels.duplicate()
        var at = 0
        for (y in 0 until height) {
            bytes.position(y * rowStride)
            bytes.get(row)
            for (x in 0 until width) {
                rgb[at++] = row[4 * x]
                rgb[at++] = row[4 * x + 1]
                rgb[at++] = row[4 * x + 2]
            }
        }
        return RgbImage(width, height, rgb).upright(ORIENTATIONS[degrees / 90])
    }

    private companion object {
        /** EXIF's numbers of quarter turns clockwise. */
        val ORIENTATIONS = intArrayOf(1, 6, 3, 8)
    }
}

/** A shape in an upright frame, its sides in that frame's pixels. */
data class Found(
    val kind: String,
    val score: Float,
    val left: Float,
    val top: Float,
    val right: Float,
    val bottom: Float,
) {
    /** Intersection over union. */
    fun overlap(other: Found): Float {
        val width = minOf(right, other.right) - maxOf(left, other.left)
        val height = minOf(bottom, other.bottom) - maxOf(top, other.top)
        val both = maxOf(0f, width) * maxOf(0f, height)
        return both / (area() + other.area() - both)
    }

    private fun area() = maxOf(0f, right - left) * maxOf(0f, bottom - top)
}

/**
 * The detector of samples/detection on frames. It has one module for all of them, as the first call compiles what the
 * later ones run, and closing it frees that. For one thread at a time: the camera's executor.
 */
class Detector(private val module: Module) : AutoCloseable {
    /** The shapes in the square in the middle of an upright frame, the best first. */
    fun find(frame: RgbImage): List<Found> {
        val (scores, boxes) =
            module.forward(IValue.from(PREPROCESSING.tensor(frame))).toTuple().map { it.toTensor().dataAsFloatArray }
        val side = minOf(frame.width(), frame.height())
        val scale = side / SIZE.toFloat()
        val x = (frame.width() - side) / 2
        val y = (frame.height() - side) / 2
        val claims =
            scores.indices
                .filter { scores[it] >= LEAST_SCORE }
                .sortedByDescending { scores[it] }
                .map {
                    val at = it / CLASSES.size * 4
                    Found(
                        CLASSES[it % CLASSES.size],
                        scores[it],
                        x + boxes[at] * scale,
                        y + boxes[at + 1] * scale,
                        x + boxes[at + 2] * scale,
                        y + boxes[at + 3] * scale,
                    )
                }
        val kept = mutableListOf<Found>()
        for (claim in claims) {
            if (kept.none { it.kind == claim.kind && it.overlap(claim) > MOST_OVERLAP }) {
                kept += claim
            }
        }
        return kept
    }

    override fun close() = module.destroy()

    companion object {
        val CLASSES = listOf("circle", "square", "triangle", "star", "cross")
        private const val SIZE = 128
        private const val LEAST_SCORE = 0.3f
        private const val MOST_OVERLAP = 0.5f
        private val PREPROCESSING = ImagePreprocessing.none().withShorterSide(SIZE).withCrop(SIZE, SIZE)
    }
}
