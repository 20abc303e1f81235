/**
 * NNAPI models in the specification's terms: operands, operations, {@link org.torchnnapi.nnapi.model.ModelBuilder}
 * which checks every call, the finished {@link org.torchnnapi.nnapi.model.Model} which knows the lowest feature level
 * it needs, and {@link org.torchnnapi.nnapi.model.SerializedModel}, PyTorch's form of it.
 */
package org.torchnnapi.nnapi.model;
