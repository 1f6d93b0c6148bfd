"""Where the objects come from: one module for each kind of folder."""
