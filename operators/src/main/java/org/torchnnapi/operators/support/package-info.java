/** What operator families share: reading arguments, type promotion, broadcasting, loops over elements. */
package org.torchnnapi.operators.support;
