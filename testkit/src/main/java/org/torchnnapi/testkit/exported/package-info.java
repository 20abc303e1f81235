/** Archives of torch.export made by genuine PyTorch, with what it answers. */
package org.torchnnapi.testkit.exported;
