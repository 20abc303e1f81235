package org.torchnnapi.samples.camera

import android.content.Context
import android.graphics.Canvas
import android.graphics.Color
import android.graphics.Paint
import android.util.AttributeSet
import android.view.View

/** The boxes of a frame over its preview, which is shown whole in the middle (`FIT_CENTER`). For the main thread. */
class BoxesView(context: Context, attributes: AttributeSet?) : View(context, attributes) {
    private val pen =
        Paint(Paint.ANTI_ALIAS_FLAG).apply {
            strokeWidth = 2 * resources.displayMetrics.density
            textSize = 16 * resources.displayMetrics.density
        }
    private var found = emptyList<Found>()
    private var frameWidth = 1
    private var frameHeight = 1

    fun show(found: List<Found>, frameWidth: Int, frameHeight: Int) {
        this.found = found
        this.frameWidth = frameWidth
        this.frameHeight = frameHeight
        invalidate()
    }

    override fun onDraw(canvas: Canvas) {
        super.onDraw(canvas)
        val scale = minOf(width / frameWidth.toFloat(), height / frameHeight.toFloat())
        canvas.translate((width - frameWidth * scale) / 2, (height - frameHeight * scale) / 2)
        for (one in found) {
            pen.color = COLORS[Detector.CLASSES.indexOf(one.kind)]
            pen.style = Paint.Style.STROKE
            canvas.drawRect(one.left * scale, one.top * scale, one.right * scale, one.bottom * scale, pen)
            pen.style = Paint.Style.FILL
            canvas.drawText(one.kind, one.left * scale, one.top * scale - pen.strokeWidth, pen)
        }
    }

    private companion object {
        val COLORS = intArrayOf(Color.WHITE, Color.YELLOW, Color.CYAN, Color.MAGENTA, Color.GREEN)
    }
}
