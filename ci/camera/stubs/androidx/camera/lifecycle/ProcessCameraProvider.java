package androidx.camera.lifecycle;

import android.content.Context;
import androidx.camera.core.Camera;
import androidx.camera.core.CameraSelector;
import androidx.camera.core.UseCase;
import androidx.lifecycle.LifecycleOwner;
import com.google.common.util.concurrent.ListenableFuture;

public final class ProcessCameraProvider {
    private ProcessCameraProvider() {}

    public static ListenableFuture<ProcessCameraProvider> getInstance(Context context) {
        throw new UnsupportedOperationException();
    }

    public void unbindAll() {}

    public Camera bindToLifecycle(LifecycleOwner owner, CameraSelector selector, UseCase... cases) {
        throw new UnsupportedOperationException();
    }
}
