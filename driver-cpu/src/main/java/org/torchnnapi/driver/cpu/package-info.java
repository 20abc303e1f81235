/**
 * The fast NNAPI device. Each NNAPI operation it takes has a {@code OperationLowering}, which says what it refuses and
 * adds the operation to the graph of a {@link org.torchnnapi.program.Program}; models whose parameters are known late,
 * and control flow, are cut into programs that run one after the other.
 */
package org.torchnnapi.driver.cpu;
