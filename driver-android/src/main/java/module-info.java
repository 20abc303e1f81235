/** The devices of the system's own NNAPI runtime, on Android the phone's. */
module org.torchnnapi.driver.android {
    requires transitive org.torchnnapi.nnapi;
    requires java.logging;

    exports org.torchnnapi.driver.android;

    provides org.torchnnapi.nnapi.driver.DriverSource with
            org.torchnnapi.driver.android.SystemDevices;
}
