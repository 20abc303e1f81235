package org.torchnnapi.driver.cpu;

/** How the device does one kind of operation. */
interface Kind {
    /** Null when it can be done, else what was found and what is expected. Shapes are known and nothing is omitted. */
    String refusal(Site site);

    /** Says it in operations of a program. */
    void translate(Site site, Translation translation);
}
