"""What the components have in common."""
