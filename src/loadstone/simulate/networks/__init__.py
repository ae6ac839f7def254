"""Process networks by the rules of Kahn."""
