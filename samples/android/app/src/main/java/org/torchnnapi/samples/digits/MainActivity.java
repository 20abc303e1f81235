package org.torchnnapi.samples.digits;

import android.app.Activity;
import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.os.Bundle;
import android.view.MotionEvent;
import android.view.View;
import android.widget.TextView;
import java.util.Locale;

/** Draw a digit; the title says which it is and how long that took. */
public final class MainActivity extends Activity {
    private static final int SIDE = 256;

    private final Bitmap picture = Bitmap.createBitmap(SIDE, SIDE, Bitmap.Config.ARGB_8888);
    private final Canvas canvas = new Canvas(picture);
    private final Paint pen = new Paint();
    private Digits digits;
    private float lastX;
    private float lastY;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(R.layout.main);
        digits = new Digits(getAssets(), "digits-core-nnapi.pt");
        pen.setColor(Color.WHITE);
        pen.setStrokeWidth(SIDE / 10f);
        pen.setStrokeCap(Paint.Cap.ROUND);
        canvas.drawColor(Color.BLACK);
        View pad = findViewById(R.id.pad);
        pad.setOnTouchListener(this::draw);
    }

    private boolean draw(View pad, MotionEvent event) {
        float x = event.getX() / pad.getWidth() * SIDE;
        float y = event.getY() / pad.getHeight() * SIDE;
        switch (event.getActionMasked()) {
            case MotionEvent.ACTION_DOWN:
                canvas.drawColor(Color.BLACK);
                break;
            case MotionEvent.ACTION_MOVE:
                canvas.drawLine(lastX, lastY, x, y, pen);
                break;
            default:
                tell();
        }
        lastX = x;
        lastY = y;
        return true;
    }

    private void tell() {
        long start = System.nanoTime();
        int digit = digits.digit(picture);
        TextView answer = findViewById(R.id.answer);
        answer.setText(String.format(Locale.ROOT, "%d (%.1f ms)", digit, (System.nanoTime() - start) / 1e6));
    }
}
