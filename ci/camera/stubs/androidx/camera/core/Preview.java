package androidx.camera.core;

public final class Preview extends UseCase {
    private Preview() {}

    public void setSurfaceProvider(SurfaceProvider provider) {}

    public interface SurfaceProvider {}

    public static final class Builder {
        public Preview build() {
            return new Preview();
        }
    }
}
