"""Docker, a registry and a node, started for the tests and gone after them."""
