/** What a conversion tells its user: refusals as values, and the report that collects them. */
package org.torchnnapi.converter.report;
