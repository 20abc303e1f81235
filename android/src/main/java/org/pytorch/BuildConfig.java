package org.pytorch;

/** What Android's build tools write into a library; kept for applications that read it. */
public final class BuildConfig {
    public static final boolean DEBUG = false;
    public static final String LIBRARY_PACKAGE_NAME = "org.pytorch";
    public static final String BUILD_TYPE = "release";
}
