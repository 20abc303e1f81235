/**
 * Models as pages: one file of HTML with all it needs, which a browser opens from disk.
 * {@link org.torchnnapi.page.ModelPage} is the door.
 */
package org.torchnnapi.page;
