/** What a conversion is made for: a release of NNAPI, and who is to load the file. */
package org.torchnnapi.converter.level;
