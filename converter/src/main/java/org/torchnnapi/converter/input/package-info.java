/** What the user of a conversion says of the model's inputs. */
package org.torchnnapi.converter.input;
