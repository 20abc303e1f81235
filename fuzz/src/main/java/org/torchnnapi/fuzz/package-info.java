/**
 * Coverage-guided fuzzing of every door that bytes come in by. What goes through is run and converted too. A door may
 * refuse with the exceptions that its documentation names; anything else thrown, a hang or a dead process is a finding.
 */
package org.torchnnapi.fuzz;
