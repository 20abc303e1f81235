package org.torchnnapi.samples.camera;

/** The numbers of resources, which an app's build makes. */
public final class R {
    private R() {}

    public static final class layout {
        public static final int main = 1;

        private layout() {}
    }

    public static final class id {
        public static final int preview = 2;
        public static final int boxes = 3;
        public static final int time = 4;

        private id() {}
    }

    public static final class string {
        public static final int time = 5;

        private string() {}
    }
}
