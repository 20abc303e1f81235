package org.torchnnapi.driver.cpu;

/** How the device does one kind of operation. */
interface Kind {
    /** What an operation asks of its images' places. */
    enum Images {
        /** Every image lies as the model says. */
        AS_DECLARED,
        /** Each of its images may lie in any layout. */
        ANY,
        /** All its images lie in one layout, whichever. */
        ALIKE,
        /** The input may lie in any layout, the output as the model says. */
        ANY_INPUT
    }

    /** Null when it can be done, else what was found and what is expected. Shapes are known and nothing is omitted. */
    String refusal(Site site);

    default Images images(Site site) {
        return Images.AS_DECLARED;
    }

    /** Whether a constant input is read from memory as it is, instead of being packed beforehand. */
    default boolean readsConstant(Site site, int input) {
        return true;
    }

    Step compile(Site site, Places places);
}
