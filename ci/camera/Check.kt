import java.awt.image.BufferedImage
import java.io.File
import java.nio.ByteBuffer
import javax.imageio.ImageIO
import org.pytorch.Module
import org.torchnnapi.samples.camera.Detector
import org.torchnnapi.samples.camera.Found
import org.torchnnapi.samples.camera.Frame
import org.torchnnapi.samples.camera.Pace

const val SIDE = 128
const val ROW = 10
const val LEAST_FOUND = 0.9

/** Margin of a frame on each side of its square, and bytes behind its rows, as cameras leave some. */
const val MARGIN = 21
const val PADDING = 28

/** Picture number [index] of a sheet, in the middle of a frame that was held [degrees] askew. */
fun frame(sheet: BufferedImage, index: Int, degrees: Int): Frame {
    val wide = SIDE + 2 * MARGIN
    val lies = degrees % 180 != 0
    val width = if (lies) SIDE else wide
    val height = if (lies) wide else SIDE
    val stride = 4 * width + PADDING
    val bytes = ByteBuffer.allocateDirect(stride * (height - 1) + 4 * width)
    for (y in 0 until SIDE) {
        for (x in 0 until SIDE) {
            val rgb = sheet.getRGB(index % ROW * SIDE + x, index / ROW * SIDE + y)
            // Where the upright pixel lies in a frame that has to be turned clockwise by degrees.
            val (column, row) =
                when (degrees) {
                    0 -> Pair(x + MARGIN, y)
                    90 -> Pair(y, wide - 1 - (x + MARGIN))
                    180 -> Pair(wide - 1 - (x + MARGIN), SIDE - 1 - y)
                    else -> Pair(SIDE - 1 - y, x + MARGIN)
                }
            val at = row * stride + 4 * column
            bytes.put(at, (rgb shr 16).toByte()).put(at + 1, (rgb shr 8).toByte()).put(at + 2, rgb.toByte())
        }
    }
    return Frame(width, height, bytes, stride, degrees)
}

/** Arguments: the detection sample's folder. Prints the log's line of the frames. */
fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
    val sheet = ImageIO.read(File(folder, "detection-test.jpg"))
    val truths =
        File(folder, "detection-test.tsv").readLines().map { it.split("\t") }.groupBy({ it[0].toInt() }) { line ->
            val (left, top, right, bottom) = line.drop(2).map { it.toFloat() }
            Found(line[1], 1f, left + MARGIN, top, right + MARGIN, bottom)
        }
    val pace = Pace(listOf("cpu", "reference"))
    var line: String? = null
    Detector(Module.load(File(folder, "detection-quantized-nnapi.pt").path)).use { detector ->
        for (degrees in listOf(0, 90, 180, 270)) {
            var met = 0
            for ((index, shapes) in truths) {
                val upright = frame(sheet, index, degrees).upright()
                check(upright.width() == SIDE + 2 * MARGIN && upright.height() == SIDE) { upright }
                val start = System.nanoTime()
                val found = detector.find(upright)
                line = pace.frame(System.nanoTime() - start) ?: line
                met += shapes.count { shape -> found.any { it.kind == shape.kind && it.overlap(shape) >= 0.5f } }
            }
            val all = truths.values.sumOf { it.size }
            System.err.println("turned by $degrees: $met of $all shapes found")
            check(met >= LEAST_FOUND * all) { "turned by $degrees: $met of $all (expected: at least $LEAST_FOUND)" }
        }
    }
    println(checkNotNull(line))
}
