package org.torchnnapi.nnapi.model;

/**
 * The NNAPI releases: first by the Android API level that brought them, from {@link #LEVEL_5} on, which came with
 * Android 12 and brought calls but no operations, by numbers of their own.
 */
public enum FeatureLevel {
    V1_0(27, "1.0"),
    V1_1(28, "1.1"),
    V1_2(29, "1.2"),
    V1_3(30, "1.3"),
    LEVEL_5(31, "feature level 5"),
    LEVEL_6(1000006, "feature level 6"),
    LEVEL_7(1000007, "feature level 7"),
    LEVEL_8(1000008, "feature level 8");

    private final int apiLevel;
    private final String version;

    FeatureLevel(int apiLevel, String version) {
        this.apiLevel = apiLevel;
        this.version = version;
    }

    /** The number that stands for it in the interface: the Android API level, 27 to 31, and then 1000006 to 1000008. */
    public int apiLevel() {
        return apiLevel;
    }

    /** The NNAPI version, "1.0" to "1.3", and then "feature level 5" to "feature level 8". */
    public String version() {
        return version;
    }

    /** The newest release. */
    public static FeatureLevel newest() {
        return values()[values().length - 1];
    }

    /** Whether a device of this level may be given what {@code needed} introduced. */
    public boolean includes(FeatureLevel needed) {
        return compareTo(needed) >= 0;
    }

    /** The later one. */
    public static FeatureLevel max(FeatureLevel a, FeatureLevel b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** The earlier one. */
    public static FeatureLevel min(FeatureLevel a, FeatureLevel b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** @throws NnapiException BAD_DATA if no release has this number */
    public static FeatureLevel ofApiLevel(int apiLevel) {
        for (FeatureLevel level : values()) {
            if (level.apiLevel == apiLevel) {
                return level;
            }
        }
        throw new NnapiException(
                ResultCode.BAD_DATA, "feature level: " + apiLevel + " (expected: 27 to 31, or 1000006 to 1000008)");
    }

    @Override
    public String toString() {
        return "NNAPI " + version;
    }
}
