package androidx.camera.view;

import android.content.Context;
import android.widget.FrameLayout;
import androidx.camera.core.Preview;

public final class PreviewView extends FrameLayout {
    public PreviewView(Context context) {
        super(context);
    }

    public Preview.SurfaceProvider getSurfaceProvider() {
        throw new UnsupportedOperationException();
    }

    public ScaleType getScaleType() {
        throw new UnsupportedOperationException();
    }

    public void setScaleType(ScaleType type) {}

    public enum ScaleType {
        FIT_CENTER
    }
}
