/* Nothing is here, */
// and nothing there.
