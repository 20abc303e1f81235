/** Times the same models in this project and in other engines, interleaved in one run. */
package org.torchnnapi.benchmarks.peers;
