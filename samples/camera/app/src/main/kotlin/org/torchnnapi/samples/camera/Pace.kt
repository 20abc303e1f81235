package org.torchnnapi.samples.camera

import java.util.Locale

/** How long frames take. For one thread. */
class Pace(private val devices: List<String>) {
    private val millis = ArrayList<Double>()

    /**
     * Counts a frame.
     *
     * @return a line for the log behind every [FRAMES], which `samples/camera/seen` reads
     */
    fun frame(nanos: Long): String? {
        millis += nanos / 1e6
        if (millis.size < FRAMES) {
            return null
        }
        millis.sort()
        val line =
            String.format(
                Locale.ROOT,
                "frames: %d, median: %.1f ms, 90 %%: %.1f ms, devices: %s",
                FRAMES,
                millis[FRAMES / 2],
                millis[FRAMES * 9 / 10],
                devices.joinToString(" "),
            )
        millis.clear()
        return line
    }

    companion object {
        const val FRAMES = 100
    }
}
