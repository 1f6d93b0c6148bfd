"""The renderer of kpt packages: `kpt fn render`, with local executables as functions."""
