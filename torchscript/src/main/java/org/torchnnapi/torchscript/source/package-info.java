/**
 * TorchScript source as archives hold it: text to tokens, tokens to a syntax tree, and, class by class and function by
 * function as they are asked for, the tree to graphs.
 */
package org.torchnnapi.torchscript.source;
