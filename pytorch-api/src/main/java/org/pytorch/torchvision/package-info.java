/** Images as input tensors. */
package org.pytorch.torchvision;
