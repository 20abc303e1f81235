/** The main job on a small trained network that the samples have. */
package org.torchnnapi.cli.demo;
