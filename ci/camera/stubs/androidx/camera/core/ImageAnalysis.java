package androidx.camera.core;

import java.util.concurrent.Executor;

public final class ImageAnalysis extends UseCase {
    public static final int STRATEGY_KEEP_ONLY_LATEST = 0;
    public static final int OUTPUT_IMAGE_FORMAT_RGBA_8888 = 2;

    private ImageAnalysis() {}

    public void setAnalyzer(Executor executor, Analyzer analyzer) {}

    public interface Analyzer {
        void analyze(ImageProxy image);
    }

    public static final class Builder {
        public Builder setBackpressureStrategy(int strategy) {
            return this;
        }

        public Builder setOutputImageFormat(int format) {
            return this;
        }

        public ImageAnalysis build() {
            return new ImageAnalysis();
        }
    }
}
