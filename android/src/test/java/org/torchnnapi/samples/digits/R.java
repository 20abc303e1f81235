package org.torchnnapi.samples.digits;

/** The numbers of resources, which an app's build makes; the sample is compiled with these. */
public final class R {
    private R() {}

    public static final class layout {
        public static final int main = 1;

        private layout() {}
    }

    public static final class id {
        public static final int pad = 2;
        public static final int answer = 3;

        private id() {}
    }
}
