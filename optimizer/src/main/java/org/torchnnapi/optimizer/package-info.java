/** Models made ready for mobile CPUs: frozen, folded, and their convolutions and linear layers packed ahead of time. */
package org.torchnnapi.optimizer;
