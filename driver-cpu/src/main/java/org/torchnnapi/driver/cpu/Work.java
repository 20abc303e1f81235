package org.torchnnapi.driver.cpu;

/**
 * What one step does: an operation, or a convolution with the addition that follows it.
 *
 * @param addition the ADD that takes the operation's result, or null
 * @param residual operand that is added, -1 without an addition
 */
record Work(Site site, Kind kind, Site addition, int residual) {
    int output(int position) {
        return (addition == null ? site : addition).operation().output(position);
    }

    int outputCount() {
        return (addition == null ? site : addition).operation().outputCount();
    }

    Step compile(Places places) {
        return addition == null ? kind.compile(site, places) : ConvolutionKind.compileAdding(site, addition, residual, places);
    }
}
