/** A page on this machine that does what the commands do. */
package org.torchnnapi.cli.serve;
